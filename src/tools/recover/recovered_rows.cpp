// Reads what a thread has noted about its paths in lists: where samples were taken, for which locks
// it waited, how long its calls took, and what it allocated.
#include <algorithm>
#include <cmath>
#include <utility>

#include "recover/recovered_process.hpp"

namespace vftrace {

// The thread's nodes have been read: rows of other nodes are left out. `node_of_row`: nullptr if
// nodes of other threads are allowed, which have not been read yet.
template <class Row>
void RecoveredProcess::read_rows(const Thread& thread, Row*& first, std::deque<Row>& kept,
                                 std::type_identity_t<const Node * Row::*> node_of_row) {
    const Row* next = std::exchange(first, nullptr);
    Row** link = &first;
    while (next) {
        Row row;
        if (!image_->read(next, row) || !spend(sizeof row)) {
            left_out_++;
            break;
        }
        next = row.next_created;
        if (node_of_row) {
            row.*node_of_row = node_at(row.*node_of_row);
            if (!belongs_to(thread, row.*node_of_row)) {
                left_out_++;
                continue;
            }
        }
        if constexpr (requires { row.module; })
            if (row.module >= modules_.size())
                row.module = no_module;
        row.next_created = nullptr;
        *link = &kept.emplace_back(row);
        link = &(*link)->next_created;
    }
}

void RecoveredProcess::read_addresses(Thread& thread) {
    ThreadAddresses& addresses = thread.record.addresses;
    addresses.index = {};
    addresses.newest = nullptr;
    read_rows(thread, addresses.first, thread.addresses, &AddressRow::node);
}

void RecoveredProcess::read_lock_waits(Thread& thread) {
    ThreadLockWaits& waits = thread.record.lock_waits;
    waits = {.first = waits.first};
    read_rows(thread, waits.first, thread.lock_waits, &LockWaitRow::waiter);
    for (LockWaitRow& row : thread.lock_waits)
        if (static_cast<std::size_t>(row.kind) >= lock_kinds)
            row.kind = LockKind::none;
}

void RecoveredProcess::read_latencies(Thread& thread) {
    ThreadLatencies& latencies = thread.record.latencies;
    latencies = {.first = latencies.first};
    read_rows(thread, latencies.first, thread.latencies, &LatencyRow::node);
    for (LatencyRow& row : thread.latencies) {
        constexpr std::uint32_t least = 2, most = 61;
        row.power = std::clamp(row.power, least, most);
        row.next_of_node = nullptr;
    }
}

void RecoveredProcess::read_heap(Thread& thread) {
    ThreadHeap& heap = thread.record.heap;
    heap.index = {};
    heap.newest = nullptr;
    read_rows(thread, heap.first, thread.heap, &HeapSite::node);
    for (HeapSite& site : thread.heap)
        for_each_heap_figure([&](MetricId, auto figure) {
            const auto value = static_cast<double>(site.figures.*figure);
            if (!std::isfinite(value) || value < 0)
                site.figures.*figure = 0;
        });
}

void RecoveredProcess::read_placement(Thread& thread) {
    ThreadPlacement& placement = thread.record.placement;
    placement.index = {};
    placement.newest = nullptr;
    read_rows(thread, placement.first, thread.placement, nullptr);
}

// A list of the process. `keep(row, place)` completes a row, which was at that place there, and
// returns whether it is one.
template <class Row, class Keep>
void RecoveredProcess::read_list(Row*& first, std::deque<Row>& rows, std::size_t most, Keep keep) {
    const Row* next = std::exchange(first, nullptr);
    Row** link = &first;
    while (next && rows.size() < most) {
        Row row;
        if (!image_->read(next, row) || !spend(sizeof row)) {
            left_out_++;
            return;
        }
        const Row* const place = std::exchange(next, row.next);
        row.next = nullptr;
        Row& kept = rows.emplace_back(row);
        if (!keep(kept, place)) {
            rows.pop_back();
            continue;
        }
        *link = &kept;
        link = &kept.next;
    }
}

void RecoveredProcess::read_annotations() {
    read_list(record_.annotations, annotations_, 2 * most_annotations,
              [&](AnnotationRow& row, const AnnotationRow*) {
                  if (static_cast<std::size_t>(row.interface) >= annotation_interface_count ||
                      static_cast<std::size_t>(row.role) >= annotation_role_count)
                      return false;
                  row.name = keep_text(row.name, "(name lost)");
                  row.detail = keep_text(row.detail, "");
                  return true;
              });
}

void RecoveredProcess::read_files() {
    constexpr std::size_t most = 10'000;
    read_list(record_.files, files_, most, [&](FileRecord& file, const FileRecord* place) {
        file.name = keep_text(file.name, "(name lost)");
        if (static_cast<std::size_t>(file.kind) >= file_kinds)
            file.kind = FileKind::other;
        known_files_.emplace(place, &file);
        return true;
    });
}

void RecoveredProcess::read_files(Thread& thread) {
    ThreadFiles& files = thread.record.files;
    files.index = {};
    files.newest = nullptr;
    read_rows(thread, files.first, thread.files, &FileRow::node);
    for (FileRow& row : thread.files) {
        const auto known = known_files_.find(row.file);
        row.file = known != known_files_.end() ? known->second : nullptr;
    }
}

// The nodes of all threads have been read.
void RecoveredProcess::connect_lock_waits(Thread& thread) {
    for (LockWaitRow& row : thread.lock_waits) {
        row.holder = node_at(row.holder);
        row.origin = node_at(row.origin);
    }
}

void RecoveredProcess::connect_placement(Thread& thread) {
    for (PlacementRow& row : thread.placement)
        row.node = node_at(row.node);
}

}  // namespace vftrace
