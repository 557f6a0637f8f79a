// Threads and parallel regions in the messages that ranks send each other, and their merging.
#include "collate/thread_collation.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "collate/row_codec.hpp"
#include "profile/metric_rows.hpp"

namespace vftrace {
namespace {

// Bytes that a record has at least: see ByteReader::count().
constexpr std::size_t least_thread = 6 + least_figures<ThreadFigures>(),
                      least_row_metric = 1 + sizeof(double),
                      least_region = 1 + least_figures<ParallelRegion>();

void write(ByteWriter& out, const ThreadFigures& thread) {
    out.number(thread.rank);
    out.number(thread.number);
    out.text(thread.name);
    out.number(thread.start == no_index ? 0 : std::uint64_t{thread.start} + 1);
    out.byte(thread.openmp_worker);
    write_figures(out, thread);
    out.number(thread.metrics.size());
    for (const RowMetric& value : thread.metrics) {
        out.number(value.metric);
        out.real(value.value);
    }
}

ThreadFigures read_thread(ByteReader& in, const std::vector<std::uint32_t>& path_of,
                          const std::vector<std::uint32_t>& metric_of) {
    ThreadFigures thread;
    thread.rank = in.number32();
    thread.number = in.number32();
    thread.name = in.text();
    const std::uint64_t start = in.number_up_to(path_of.size());
    thread.start = start == 0 ? no_index : path_of[start - 1];
    thread.openmp_worker = in.byte() != 0;
    read_figures(in, thread);
    for (std::uint32_t n = in.count(least_row_metric); n > 0 && !in.failed(); n--) {
        const std::uint32_t metric = in.index(metric_of.size());
        const double value = in.real();
        if (!in.failed())
            thread.metrics.push_back({metric_of[metric], value});
    }
    sort_metrics(thread.metrics);
    return thread;
}

void write(ByteWriter& out, const ParallelRegion& region) {
    out.number(region.path);
    write_figures(out, region);
}

ParallelRegion read_region(ByteReader& in, const std::vector<std::uint32_t>& path_of) {
    ParallelRegion region;
    const std::uint32_t path = in.index(path_of.size());
    region.path = in.failed() ? 0 : path_of[path];
    read_figures(in, region);
    return region;
}

bool is_rest(const ThreadFigures& thread) { return thread.number == no_index; }

// Which rows stay does not depend on the order in which ranks are merged.
void limit_rows(std::vector<ThreadFigures>& threads, const std::vector<Metric>& metrics) {
    const auto rests = std::partition(threads.begin(), threads.end(),
                                      [](const ThreadFigures& thread) { return !is_rest(thread); });
    std::size_t kept = static_cast<std::size_t>(rests - threads.begin());
    if (kept > most_thread_rows) {
        kept = most_thread_rows;
        std::nth_element(threads.begin(), threads.begin() + most_thread_rows, rests,
                         [](const ThreadFigures& a, const ThreadFigures& b) {
                             return std::tie(b.time_ns, a.rank, a.number) <
                                    std::tie(a.time_ns, b.rank, b.number);
                         });
    }
    if (kept == threads.size())
        return;
    ThreadFigures rest;
    rest.rank = rest.number = rest.start = no_index;
    rest.threads = 0;
    for (std::size_t i = kept; i < threads.size(); i++)
        add_thread_row(rest, threads[i], metrics);
    threads.resize(kept);
    threads.push_back(std::move(rest));
}

}  // namespace

void write_threads(ByteWriter& out, const Profile& profile) {
    out.number(profile.threads.size());
    for (const ThreadFigures& thread : profile.threads)
        write(out, thread);
    out.number(profile.parallel_regions.size());
    for (const ParallelRegion& region : profile.parallel_regions)
        write(out, region);
}

void ThreadMerger::add(ByteReader& in, const std::vector<std::uint32_t>& path_of,
                       const std::vector<std::uint32_t>& metric_of, Profile& profile) {
    for (std::uint32_t n = in.count(least_thread); n > 0 && !in.failed(); n--)
        profile.threads.push_back(read_thread(in, path_of, metric_of));
    limit_rows(profile.threads, profile.metrics);
    region_of_.resize(profile.paths.size(), no_index);
    for (std::uint32_t n = in.count(least_region); n > 0; n--) {
        ParallelRegion region = read_region(in, path_of);
        if (in.failed())
            return;
        add_region(region, profile.parallel_regions);
    }
}

void ThreadMerger::add_region(const ParallelRegion& region, std::vector<ParallelRegion>& regions) {
    std::uint32_t& index = region_of_[region.path];
    if (index == no_index) {
        index = static_cast<std::uint32_t>(regions.size());
        regions.push_back(region);
        return;
    }
    add_figures(regions[index], region);
}

void sort_threads(Profile& profile) {
    std::sort(profile.threads.begin(), profile.threads.end(),
              [](const ThreadFigures& a, const ThreadFigures& b) {
                  return std::tie(a.rank, a.number) < std::tie(b.rank, b.number);
              });
    std::sort(profile.parallel_regions.begin(), profile.parallel_regions.end(),
              [](const ParallelRegion& a, const ParallelRegion& b) { return a.path < b.path; });
}

}  // namespace vftrace
