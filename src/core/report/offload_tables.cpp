#include "report/offload_tables.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

constexpr struct {
    const char *id, *name;
} models[] = {{"openacc", "OpenACC"}, {"omptarget", "OpenMP Target"}};
static_assert(std::size(models) == programming_models);

std::string base_of(const std::string& file) { return printable(std::string(base_name(file))); }

// "heat.c - 42".
std::string position_text(const Function& construct) {
    if (construct.file.empty())
        return "-";
    return construct.line == 0 ? base_of(construct.file)
                               : base_of(construct.file) + format(" - %u", construct.line);
}

// "heat.c (42 - 48)".
std::string source_text(const Function& construct) {
    if (construct.file.empty())
        return "-";
    if (construct.line == 0)
        return base_of(construct.file);
    const std::uint32_t last = construct.kind == NodeKind::gpu
                                   ? std::max(openacc_last_line(construct.offset), construct.line)
                                   : construct.line;
    return base_of(construct.file) + format(" (%u - %u)", construct.line, last);
}

// Indices of rows or regions in the order of the configuration. `path_of(i)`: a path of element i.
template <class Element, class PathOf>
std::vector<std::uint32_t> sorted(const Profile& profile, const std::vector<Element>& elements,
                                  OpenaccSortOrder sort, PathOf path_of) {
    const auto value = [&](const OffloadFigures& figures) -> double {
        switch (sort.column) {
        case OpenaccColumn::time:
            return static_cast<double>(figures.all_time());
        case OpenaccColumn::memcpy:
            return static_cast<double>(figures.time(ConstructTime::data));
        case OpenaccColumn::calls:
            return static_cast<double>(figures.calls);
        case OpenaccColumn::stack_id:
            break;
        }
        return 0.0;
    };
    std::vector<std::uint32_t> order(elements.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t stid_a = profile.paths[path_of(elements[a])].stid,
                            stid_b = profile.paths[path_of(elements[b])].stid;
        if (sort.column == OpenaccColumn::stack_id)
            return row_before(stid_a, stid_b, stid_a, stid_b, sort.ascending);
        return row_before(value(elements[a].figures), value(elements[b].figures), stid_a, stid_b,
                          sort.ascending);
    });
    return order;
}

std::string devices_text(const Profile& profile, ProgrammingModel model) {
    std::size_t devices = 0;
    bool on_host = false;
    for (const ConstructDeviceFigures& device : profile.construct_devices)
        if (device.model == model) {
            devices += !device.is_host;
            on_host |= device.is_host;
        }
    return format("Registered GPUs: %zu%s\n", devices,
                  on_host && devices == 0 ? " (constructs ran on the host)" : "");
}

const Function& function_of(const Profile& profile, std::uint32_t path) {
    return profile.functions[profile.paths[path].function];
}

void add_times(TableRow& cells, const OffloadFigures& figures) {
    for (ConstructTime time : {ConstructTime::compute, ConstructTime::data, ConstructTime::wait})
        cells.number(seconds(figures.time(time)));
}

void write_regions(const Profile& profile, ProgrammingModel model, const OffloadRows& offload,
                   const std::vector<std::uint32_t>& order, const ReportOptions& options,
                   int decimals, TableOutput& out) {
    const Column columns[] = {text_column("position", "Position"),
                              function_column,
                              time_column("compute_time", "t_compute [s]", decimals),
                              time_column("data_time", "t_data [s]", decimals),
                              time_column("wait_time", "t_wait [s]", decimals),
                              count_column("bytes_to_device", "Host -> Device [B]", "B"),
                              count_column("bytes_to_host", "Device -> Host [B]", "B"),
                              count_column("bytes_on_device", "On Device [B]", "B")};
    const auto& [id, name] = models[static_cast<std::size_t>(model)];
    const std::string title = format("--%s Summary--", name),
                      devices = devices_text(profile, model);
    const std::size_t shown = shown_rows(order.size(), options);
    const TableSpec spec = {.id = id,
                            .title = title,
                            .intro = devices,
                            .row = "construct",
                            .columns = columns,
                            .sorted_by = word_of(options.openacc_sort),
                            .ascending = options.openacc_sort.ascending};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const OffloadRegion& region = offload.regions[order[i]];
        cells.text(position_text(function_of(profile, region.construct)));
        cells.text(shorten_middle(printable(region.function), options.max_name_width));
        add_times(cells, region.figures);
        for (std::uint64_t bytes : region.figures.bytes)
            cells.integer(bytes);
    });
    say_what_is_left_out(order.size(), shown, out);
}

void write_details(const Profile& profile, ProgrammingModel model, const OffloadRows& offload,
                   const std::vector<std::uint32_t>& regions, const PathText& text,
                   const ReportOptions& options, int decimals, TableOutput& out) {
    std::vector<std::size_t> number_of(regions.size());
    for (std::size_t i = 0; i < regions.size(); i++)
        number_of[regions[i]] = i + 1;
    const std::vector<std::uint32_t> order = sorted(profile, offload.rows, options.openacc_sort,
                                                    [](const OffloadRow& row) { return row.path; });
    const Column columns[] = {stid_column,
                              text_column("event", "event"),
                              count_column("region", "regionID"),
                              count_column("calls", "#Calls"),
                              time_column("compute_time", "t_compute[s]", decimals),
                              time_column("data_time", "t_data[s]", decimals),
                              time_column("wait_time", "t_wait[s]", decimals),
                              count_column("bytes", "Bytes", "B"),
                              text_column("source", "Source File"),
                              function_column};
    const auto& [model_id, name] = models[static_cast<std::size_t>(model)];
    const std::string id = format("%s_events", model_id),
                      title = format("--%s Detailed Event Summary-- (regionID: row of the table "
                                     "above)",
                                     name);
    const std::size_t shown = shown_rows(order.size(), options);
    const TableSpec spec = {.id = id,
                            .title = title,
                            .row = "path",
                            .columns = columns,
                            .sorted_by = word_of(options.openacc_sort),
                            .ascending = options.openacc_sort.ascending};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const OffloadRow& row = offload.rows[order[i]];
        cells.integer(profile.paths[row.path].stid);
        const std::string& name = text.function(row.path);
        cells.text(row.event == 0 ? name.substr(0, name.find(" @")) : format("%u", row.event));
        cells.integer(number_of[row.region]);
        cells.integer(row.figures.calls);
        add_times(cells, row.figures);
        cells.integer(row.figures.all_bytes());
        const Function& own = function_of(profile, row.path);
        const Function& around = function_of(profile, offload.regions[row.region].construct);
        cells.text(source_text(own.file.empty() ? around : own));
        cells.text(shorten_middle(printable(offload.regions[row.region].function),
                                  options.max_name_width));
    });
    say_what_is_left_out(order.size(), shown, out);
}

}  // namespace

void write_offload_tables(const Profile& profile, ProgrammingModel model, const PathText& text,
                          const ReportOptions& options, LogScope scope, bool details,
                          TableOutput& out) {
    const OffloadRows offload = offload_rows(profile, model);
    const std::vector<std::uint32_t> order =
        sorted(profile, offload.regions, options.openacc_sort,
               [](const OffloadRegion& region) { return region.construct; });
    const int decimals = scope == LogScope::summary ? 3 : 2;
    write_regions(profile, model, offload, order, options, decimals, out);
    if (details)
        write_details(profile, model, offload, order, text, options, decimals, out);
    write_offload_ratios(profile, model, offload, text, options, out);
}

void write_openacc_event_ids(const Profile& profile, TableOutput& out) {
    std::vector<const OpenaccEvent*> used;
    const OffloadRows offload = offload_rows(profile, ProgrammingModel::openacc);
    for (const OpenaccEvent& event : openacc_events)
        if (std::any_of(offload.rows.begin(), offload.rows.end(),
                        [&](const OffloadRow& row) { return row.event == event.number; }))
            used.push_back(&event);
    if (used.empty())
        return;
    static constexpr Column columns[] = {count_column("event", "event"),
                                         text_column("name", "OpenACC name", Align::left)};
    const TableSpec spec = {.id = "openacc_event_ids",
                            .title = "OpenACC event ids:",
                            .row = "event",
                            .columns = columns,
                            .sorted_by = "event",
                            .ascending = true,
                            .style = TableStyle::list};
    out.table(spec, used.size(), [&](std::size_t i, TableRow& row) {
        row.integer(used[i]->number);
        row.text(used[i]->name);
    });
    out.write("\n");
}

}  // namespace vftrace
