#include "collate/file_calls.hpp"

#include <algorithm>

#include "base/relaxed.hpp"
#include "base/saturating.hpp"
#include "collate/side_figures.hpp"
#include "collate/unite.hpp"
#include "profile/file_access.hpp"

namespace vftrace {
namespace {

FileSizes sizes_of(const FileRow& row) {
    static_assert(std::size(size_members) == size_ranges);
    FileSizes sizes;
    for (std::size_t i = 0; i < size_ranges; i++) {
        const std::uint64_t calls = relaxed(row.sizes[i]);
        sizes.*size_members[i] = calls;
        sizes.calls += calls;
    }
    return sizes;
}

}  // namespace

void FileCallsSum::add(const NodePaths::Thread& thread) {
    const FileRow* row = __atomic_load_n(&thread.record->files.first, __ATOMIC_ACQUIRE);
    for (; row; row = __atomic_load_n(&row->next_created, __ATOMIC_ACQUIRE)) {
        const std::uint32_t number = row->node->number;
        const std::uint32_t path =
            number < thread.path_of.size() ? thread.path_of[number] : no_index;
        FileCalls calls;
        calls.calls = relaxed(row->calls);
        calls.buffered = relaxed(row->buffered);
        if (path == no_index)
            continue;
        const auto ns = [&](std::uint64_t ticks) {
            return saturated_ns(static_cast<double>(ticks), ns_per_tick_);
        };
        calls.path = path;
        if (const FileRecord* const file = row->file) {
            calls.file = file->name;
            calls.kind = file->kind;
        } else {
            calls.kind = FileKind::other;
        }
        calls.failed = relaxed(row->failed);
        calls.read = relaxed(row->bytes_read);
        calls.written = relaxed(row->bytes_written);
        calls.ns = ns(relaxed(row->ticks));
        calls.longest_ns = ns(relaxed(row->longest));
        calls.placed = relaxed(row->placed);
        calls.sequential = relaxed(row->sequential);
        calls.consecutive = relaxed(row->consecutive);
        calls.unaligned = relaxed(row->unaligned);
        calls.sizes = sizes_of(*row);
        add_to_file(*row, calls, row->file);
        profile_.file_calls.push_back(std::move(calls));
    }
}

void FileCallsSum::add_to_file(const FileRow& row, const FileCalls& calls,
                               const FileRecord* record) {
    FileFigures file;
    file.file = calls.file;
    file.kind = calls.kind;
    if (record) {
        file.file_system = record->file_system;
        file.block = record->block;
    }
    file.read = calls.read;
    file.written = calls.written;
    file.ns = calls.ns;
    const std::uint64_t start = process_.start.ticks;
    const auto since_start = [&](std::uint64_t ticks) {
        return saturated_ns(static_cast<double>(static_cast<std::int64_t>(ticks - start)),
                            ns_per_tick_);
    };
    file.first_ns = relaxed(row.first) == 0 ? std::numeric_limits<std::int64_t>::max()
                                            : since_start(relaxed(row.first));
    file.last_ns = relaxed(row.last) == 0 ? 0 : since_start(relaxed(row.last));
    profile_.files.push_back(std::move(file));
}

void FileCallsSum::add_metrics() {
    std::uint64_t read = 0, written = 0;
    std::int64_t ns = 0;
    for (const FileCalls& row : profile_.file_calls)
        add_saturating(ns, row.ns);
    const auto add = [&](std::uint32_t path, MetricId id, std::uint64_t bytes) {
        if (bytes > 0)
            profile_.metric_values.push_back({path, metric_index(profile_, described_metric(id, 0)),
                                              static_cast<double>(bytes)});
    };
    for (auto row = profile_.file_calls.begin(); row != profile_.file_calls.end();) {
        const std::uint32_t path = row->path;
        std::uint64_t path_read = 0, path_written = 0;
        for (; row != profile_.file_calls.end() && row->path == path; ++row) {
            path_read += row->read;
            path_written += row->written;
        }
        add(path, MetricId::files_read, path_read);
        add(path, MetricId::files_written, path_written);
        read += path_read;
        written += path_written;
    }
    sort_values_of_paths(profile_);
    const auto add_of_rank = [&](MetricId id, auto value) {
        profile_.rank_metrics.push_back({profile_.run.rank,
                                         metric_index(profile_, described_metric(id, 0)),
                                         static_cast<double>(value)});
    };
    add_of_rank(MetricId::files_time, ns);
    add_of_rank(MetricId::files_all_read, read);
    add_of_rank(MetricId::files_all_written, written);
    add_of_rank(MetricId::files_read_outside, relaxed(process_.read_outside));
    add_of_rank(MetricId::files_written_outside, relaxed(process_.written_outside));
    add_of_rank(MetricId::files_own_read, relaxed(process_.own_read));
    add_of_rank(MetricId::files_own_written, relaxed(process_.own_written));
}

void FileCallsSum::finish() {
    if (profile_.file_calls.empty())
        return;
    sort_and_unite(profile_.file_calls);
    sort_and_unite(profile_.files);
    for (FileFigures& file : profile_.files) {  // of this rank
        file.ranks = 1;
        file.readers = file.read > 0;
        file.writers = file.written > 0;
        file.read_and_wrote = file.read > 0 && file.written > 0;
        file.most_read = file.read;
        file.most_written = file.written;
        file.first_ns = std::min(file.first_ns, file.last_ns);  // all were in buffers: 0
    }
    add_metrics();
}

}  // namespace vftrace
