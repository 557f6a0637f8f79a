#include "report/gpu_tables.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "profile/fields.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"

namespace vftrace {
namespace {

// The number of rows of GPUs and streams if the configuration does not set one.
constexpr std::size_t most_rows_of_hardware = 32;

// In the order of GpuWork.
constexpr std::string_view directions[] = {"",
                                           "host to device",
                                           "device to host",
                                           "within a device",
                                           "device to device",
                                           "within the host",
                                           "pages to device",
                                           "pages to host",
                                           "memset"};
static_assert(std::size(directions) == gpu_works);

constexpr Column rank_column = count_column("rank", "Rank"),
                 gpu_column = count_column("gpu", "GPU"),
                 wait_column = number_column("wait", "Wait[us]", "us", 1);

double microseconds(double ns) { return ns / 1e3; }

// How long work waits for the device on average; blank if it is not known.
void mean_wait(const PathGpuWork& work, TableRow& row) {
    if (work.timely == 0)
        row.blank();
    else
        row.number(microseconds(mean(static_cast<double>(work.waited_ns), work.timely)));
}

void write_kernels(const Profile& profile, const PathText& text, const ReportOptions& options,
                   TableOutput& out) {
    std::vector<const PathGpuWork*> rows;
    double total = 0.0;
    for (const PathGpuWork& work : profile.gpu_work)
        if (work.work == GpuWork::kernel) {
            rows.push_back(&work);
            total += static_cast<double>(work.ns);
        }
    if (rows.empty())
        return;
    std::stable_sort(rows.begin(), rows.end(), [&](const PathGpuWork* a, const PathGpuWork* b) {
        return row_before(a->ns, b->ns, profile.paths[a->path].stid, profile.paths[b->path].stid,
                          false);
    });
    static constexpr Column columns[] = {count_column("count", "Count"),
                                         time_column("time", "Time[s]"),
                                         percent_column("share", "Time[%]"),
                                         number_column("mean", "Mean[us]", "us", 1),
                                         number_column("shortest", "Min[us]", "us", 1),
                                         number_column("longest", "Max[us]", "us", 1),
                                         wait_column,
                                         text_column("kernel", "Kernel"),
                                         caller_column,
                                         stid_column};
    const std::size_t shown = shown_rows(rows.size(), options);
    const TableSpec spec = {
        .id = "gpu_kernels",
        .title = "GPU kernels (time on the device; wait: from the call to the start, mean)",
        .row = "path",
        .columns = columns,
        .sorted_by = "time"};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const PathGpuWork& work = *rows[i];
        row.integer(work.count);
        row.number(seconds(work.ns));
        row.number(percentage(work.ns, total));
        row.number(microseconds(mean(static_cast<double>(work.ns), work.count)));
        row.number(microseconds(static_cast<double>(work.shortest_ns)));
        row.number(microseconds(static_cast<double>(work.longest_ns)));
        mean_wait(work, row);
        row.text(work.function == no_index ? "(name not known)" : text.name(work.function));
        if (work.path == 0) {
            row.text(no_known_call);
            row.blank();
            return;
        }
        // A graph's kernels are called by the launch of the graph.
        const bool is_launch = work.function == profile.paths[work.path].function;
        row.text(is_launch ? text.caller(work.path) : text.function(work.path));
        row.integer(profile.paths[work.path].stid);
    });
    say_what_is_left_out(rows.size(), shown, out);
}

void write_copies(const Profile& profile, TableOutput& out) {
    std::array<PathGpuWork, gpu_works> sums{};
    for (const PathGpuWork& work : profile.gpu_work)
        add_figures(sums[static_cast<std::size_t>(work.work)], work);
    std::vector<std::size_t> rows;
    for (std::size_t i = 1; i < gpu_works; i++)
        if (sums[i].count > 0)
            rows.push_back(i);
    if (rows.empty())
        return;
    static constexpr Column columns[] = {text_column("direction", "Direction"),
                                         count_column("count", "Count"),
                                         count_column("bytes", "Bytes", "B"),
                                         number_column("mean_size", "Mean size[B]", "B", 0),
                                         time_column("time", "Time[s]"),
                                         number_column("bandwidth", "Bandwidth[GB/s]", "GB/s", 3),
                                         wait_column};
    const TableSpec spec = {.id = "gpu_copies",
                            .title =
                                "GPU copies (bandwidth: bytes divided by the time on the device)",
                            .row = "direction",
                            .columns = columns};
    out.table(spec, rows.size(), [&](std::size_t i, TableRow& row) {
        const PathGpuWork& sum = sums[rows[i]];
        row.text(directions[rows[i]]);
        row.integer(sum.count);
        row.integer(sum.bytes);
        row.number(mean(static_cast<double>(sum.bytes), sum.count));
        row.number(seconds(sum.ns));
        row.number(sum.ns > 0 ? static_cast<double>(sum.bytes) / static_cast<double>(sum.ns) : 0.0);
        mean_wait(sum, row);
    });
    out.write("\n");
}

void write_devices(const Profile& profile, const ReportOptions& options, TableOutput& out) {
    const std::vector<GpuDeviceFigures>& devices = profile.gpu_devices;
    if (devices.empty())
        return;
    const bool show_rank = profile.ranks.size() > 1;
    std::vector<Column> columns;
    if (show_rank)
        columns.push_back(rank_column);
    columns.insert(
        columns.end(),
        {gpu_column, text_column("name", "Name"), time_column("kernel_time", "Kernels[s]"),
         percent_column("kernel_share", "Kernels[%]"), time_column("copy_time", "Copies[s]"),
         percent_column("copy_share", "Copies[%]"), time_column("overlap_time", "Both[s]"),
         percent_column("overlap_share", "Both[%]"), time_column("idle_time", "Idle[s]"),
         percent_column("idle_share", "Idle[%]"), time_column("span", "Span[s]")});
    const std::size_t shown = shown_rows(devices.size(), options, most_rows_of_hardware);
    const TableSpec spec = {.id = "gpus",
                            .title = "GPUs (time with kernels, with copies, with both, with "
                                     "neither; span: first start to last end)",
                            .row = "device",
                            .columns = columns};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const GpuDeviceFigures& device = devices[i];
        if (show_rank)
            row.integer(device.rank);
        row.integer(device.number);
        row.text(device.name);
        const double kernels = seconds(device.kernel_ns), copies = seconds(device.copy_ns),
                     both = seconds(device.overlap_ns), span = seconds(device.span_ns);
        const double idle = std::max(0.0, span - (kernels + copies - both));
        for (const double time : {kernels, copies, both, idle}) {
            row.number(time);
            row.number(span > 0.0 ? 100.0 * time / span : 0.0);
        }
        row.number(span);
    });
    say_what_is_left_out(devices.size(), shown, out);
}

double busy_time(const GpuStreamFigures& stream) {
    return seconds(stream.kernel_ns) + seconds(stream.copy_ns);
}

void write_streams(const Profile& profile, const ReportOptions& options, TableOutput& out) {
    if (profile.gpu_streams.empty())
        return;
    std::vector<const GpuStreamFigures*> rows;
    for (const GpuStreamFigures& stream : profile.gpu_streams)
        rows.push_back(&stream);
    const auto is_rest = [](const GpuStreamFigures* stream) { return stream->stream == no_index; };
    std::stable_sort(
        rows.begin(), rows.end(), [&](const GpuStreamFigures* a, const GpuStreamFigures* b) {
            return is_rest(a) != is_rest(b) ? is_rest(b) : busy_time(*a) > busy_time(*b);
        });
    const bool show_rank = profile.ranks.size() > 1;
    std::vector<Column> columns;
    if (show_rank)
        columns.push_back(rank_column);
    columns.insert(columns.end(),
                   {gpu_column, count_column("context", "Context"), text_column("stream", "Stream"),
                    count_column("kernels", "Kernels"), time_column("kernel_time", "Kernels[s]"),
                    count_column("copies", "Copies"), time_column("copy_time", "Copies[s]"),
                    count_column("bytes", "Bytes", "B"), time_column("span", "Span[s]"),
                    percent_column("busy_share", "Busy[%]")});
    const std::size_t shown = shown_rows(rows.size(), options, most_rows_of_hardware);
    const TableSpec spec = {.id = "gpu_streams",
                            .title = "GPU streams (busiest first)",
                            .row = "stream",
                            .columns = columns};
    out.table(spec, shown, [&](std::size_t i, TableRow& row) {
        const GpuStreamFigures& stream = *rows[i];
        if (is_rest(&stream)) {
            for (int blanks = show_rank ? 3 : 2; blanks > 0; blanks--)
                row.blank();
            row.text("all others");
        } else {
            if (show_rank)
                row.integer(stream.rank);
            row.integer(stream.device);
            row.integer(stream.context);
            row.text(format("%u", stream.stream));
        }
        const double span = seconds(stream.span_ns);
        row.integer(stream.kernels);
        row.number(seconds(stream.kernel_ns));
        row.integer(stream.copies);
        row.number(seconds(stream.copy_ns));
        row.integer(stream.bytes);
        row.number(span);
        row.number(span > 0.0 ? 100.0 * busy_time(stream) / span : 0.0);
    });
    say_what_is_left_out(rows.size(), shown, out);
}

}  // namespace

void write_gpu_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                      TableOutput& out) {
    write_kernels(profile, text, options, out);
    write_copies(profile, out);
    write_devices(profile, options, out);
    write_streams(profile, options, out);
}

}  // namespace vftrace
