// The figures of a process since a mark: its current counts minus those at the mark.
//
// Trees, lists and tables only grow, at their ends, so entries that existed at the mark still have
// the same position in their lists.
#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "record/open_calls.hpp"
#include "recover/recovered_process.hpp"

namespace vftrace {
namespace {

// Pieces of a file that was being written may be from different moments, so differences are at
// least 0.
template <class Count>
void take_away(Count& now, Count then) {
    now = now > then ? now - then : Count{};
}

template <class Object, class Count>
void take_away(Object& now, const Object& then, std::initializer_list<Count Object::*> counts) {
    for (Count Object::*count : counts)
        take_away(now.*count, then.*count);
}

// The number of thinned calls that had been made. Strides are counted when they are drawn: their
// calls that were still to come count from the mark.
std::uint64_t thinned_calls_made(const Node& node) {
    if (node.timing <= 0)
        return node.thinned_calls;
    const std::int32_t end = node.timing <= timed_call_due ? timed_call_due : muted_calls_end;
    const auto to_come = static_cast<std::uint64_t>(std::max(end - node.timing, 0));
    return node.thinned_calls - std::min(node.thinned_calls, to_come);
}

// How long a call has been open; 0 if its time is not counted separately.
std::uint64_t time_so_far(const Frame& frame, const OpenCalls& open) {
    std::int64_t ticks = 0;
    if (frame.start == frame_paused)
        ticks = open.pause_since(frame.slow_start);
    else if (frame.start == frame_timed || frame.start == frame_thinned ||
             frame.start == frame_fold)
        ticks = open.time_since(frame.slow_start);
    else if (frame.start > frame_last_kind)
        ticks = open.time_since(frame.start);
    return static_cast<std::uint64_t>(std::max<std::int64_t>(ticks, 0));
}

bool has_same_calls(const Node& a, const Node& b) {
    return a.calls == b.calls && a.nested_calls == b.nested_calls &&
           a.thinned_calls == b.thinned_calls && a.timing == b.timing;
}

std::uint64_t& start_of(Frame& frame) {
    return frame.start > frame_last_kind ? frame.start : frame.slow_start;
}

bool have_same_columns(const SideTable& a, const SideTable& b) {
    const auto is_same = [](const SideColumn& x, const SideColumn& y) {
        return x.metric == y.metric && x.index == y.index && x.value == y.value;
    };
    return a.columns == b.columns &&
           std::equal(a.described(), a.described() + a.columns, b.described(), is_same);
}

bool are_of_same(MetricScope scope, const SideRow& a, const SideRow& b) {
    switch (scope) {
    case MetricScope::path:
        return a.node->number == b.node->number;
    case MetricScope::device:
    case MetricScope::region:
        return std::strcmp(a.device, b.device) == 0;
    default:
        return true;
    }
}

void take_away_value(std::uint64_t& now, std::uint64_t then, SideValue kind) {
    if (kind == SideValue::real)
        now =
            std::bit_cast<std::uint64_t>(std::bit_cast<double>(now) - std::bit_cast<double>(then));
    else if (kind == SideValue::number)
        take_away(now, then);
    else
        now -= then;  // signed: see SideValue
}

void take_away_row(const SideTable& table, SideRow& now, const SideRow& then) {
    for (std::uint32_t i = 0; i < table.columns; i++) {
        const SideColumn& column = table.described()[i];
        if (row_of(column.metric).reduction == Reduction::sum)
            take_away_value(now.values()[i], then.values()[i], column.value);
    }
}

// The rows of a table are in the order of their creation, so each search continues where the last
// one ended.
void count_rows_from(SideTable& table, const SideTable& mark) {
    const MetricScope scope = scope_of(table);
    SideRow* row = table.first;
    for (const SideRow* then = mark.first; then && row; then = then->next_created) {
        SideRow* same = row;
        while (same && !are_of_same(scope, *same, *then))
            same = same->next_created;
        if (!same)
            continue;
        take_away_row(table, *same, *then);
        row = same->next_created;
    }
}

void count_tables_from(SideTable* tables, const SideTable* marked) {
    for (; marked; marked = marked->next)
        for (SideTable* table = tables; table; table = table->next) {
            const bool of_devices = scope_of(*table) == MetricScope::device;
            if (!have_same_columns(*table, *marked))
                continue;
            // Each device has a separate table.
            if (of_devices && table->first && marked->first &&
                !are_of_same(MetricScope::device, *table->first, *marked->first))
                continue;
            count_rows_from(*table, *marked);
            break;
        }
}

// Removes elements that have not counted anything since the mark from their list.
template <class Element, class HasAny>
void keep_those_with_any(Element*& list, HasAny has_any) {
    for (Element** link = &list; *link;)
        if (has_any(**link))
            link = &(*link)->next_created;
        else
            *link = (*link)->next_created;
}

template <class Element, class IsSame, class Subtract>
void for_each_pair(Element* now, const Element* then, IsSame is_same, Subtract subtract) {
    for (; now && then; now = now->next_created, then = then->next_created)
        if (is_same(*now, *then))
            subtract(*now, *then);
}

}  // namespace

void RecoveredProcess::count_nodes_from(Thread& thread, const RecoveredProcess& mark,
                                        const Thread& marked) {
    const std::size_t count =
        std::min<std::size_t>(thread.record.node_count, marked.record.node_count);
    for (std::size_t i = 0; i < count; i++) {
        Node& node = nodes_[thread.first_node + i];
        const Node& then = mark.nodes_[marked.first_node + i];
        const bool has_same_caller =
            node.parent && then.parent && node.parent->number == then.parent->number;
        if (node.kind != then.kind || !(has_same_caller || i == 0)) {
            left_out_++;
            break;  // a damaged file: what follows has other numbers
        }
        take_away(node.thinned_calls, thinned_calls_made(then));
        take_away(node, then,
                  {&Node::calls, &Node::inclusive_ticks, &Node::nested_calls, &Node::table_entries,
                   &Node::weighted_ticks, &Node::weight_squares, &Node::ticks_squares});
        take_away(node.timed_calls, then.timed_calls);
    }
}

// A call that was open at the mark begins there if it is still open. Otherwise its time is part of
// that of its node, from which the part before the mark is subtracted.
void RecoveredProcess::move_open_calls(Thread& thread, const RecoveredProcess& mark,
                                       const Thread& marked) {
    std::unordered_multimap<std::uintptr_t, Frame*> open_now;  // by place on the stack
    for (std::vector<Frame>& frames : thread.frames)
        for (Frame& frame : frames)
            if (frame.node && frame.stack != 0)
                open_now.emplace(frame.stack, &frame);
    // A call that began after the mark has a later start. The start of a call that is still open
    // may be later, too, because pauses and the library's own work move it; but then its path has
    // not counted any calls.
    const auto still_open = [&](std::uintptr_t stack, const Node& then) -> Frame* {
        for (auto [next, end] = open_now.equal_range(stack); next != end; ++next) {
            Frame& frame = *next->second;
            if (frame.node->number == then.number &&
                (start_of(frame) < mark.record_.end_ticks || has_same_calls(*frame.node, then)))
                return &frame;
        }
        return nullptr;
    };
    const auto node_of = [&](const Node& then) -> Node* {
        return then.number < thread.record.node_count ? &nodes_[thread.first_node + then.number]
                                                      : nullptr;
    };
    // Applied after the search, which compares starts.
    std::vector<std::pair<Frame*, std::uint64_t>> moves;
    visit_open_calls_of(
        marked.record, open_calls(marked.record, mark.record_, mark.record_.end_ticks),
        [&](const Frame& frame, const Node& then, const Node* below, const OpenCalls& open) {
            const std::uint64_t ticks = time_so_far(frame, open);
            Node* const node = node_of(then);
            if (ticks == 0 || !node)
                return;
            if (Frame* same = still_open(frame.stack, then)) {
                moves.emplace_back(same, ticks);
            } else if (frame.start == frame_thinned) {
                take_away(node->weighted_ticks, ticks * then.stride);
            } else if (frame.start == frame_fold) {
                for (const Node* each = thread.record.root; each; each = each->next_created)
                    if (each->kind == NodeKind::alias && each->last_callee == node && below &&
                        each->parent->number == below->number)
                        take_away(nodes_[thread.first_node + each->number].inclusive_ticks, ticks);
            } else {
                take_away(node->inclusive_ticks, ticks);
            }
        });
    for (const auto& [frame, ticks] : moves)
        start_of(*frame) += ticks;
}

void RecoveredProcess::count_messages_from(Thread& thread, const Thread& marked) {
    const auto take_away_direction = [](DirectionFigures& now, const DirectionFigures& then) {
        take_away(
            now, then,
            {&DirectionFigures::messages, &DirectionFigures::bytes, &DirectionFigures::ticks});
        take_away(now.bytes_per_tick, then.bytes_per_tick);
    };
    for_each_pair(
        thread.messages.first, static_cast<const MessageEntry*>(marked.messages.first),
        [](const MessageEntry& a, const MessageEntry& b) {
            return a.peer == b.peer && a.node->number == b.node->number;
        },
        [&](MessageEntry& now, const MessageEntry& then) {
            take_away_direction(now.sent, then.sent);
            take_away_direction(now.received, then.received);
        });
    keep_those_with_any(thread.messages.first, [](const MessageEntry& entry) {
        return entry.sent.messages > 0 || entry.received.messages > 0;
    });
    for (std::size_t i = 0; i < size_bins; i++)
        take_away(thread.messages.sizes[i], marked.messages.sizes[i],
                  {&SizeBin::sent, &SizeBin::received});
}

void RecoveredProcess::count_addresses_from(Thread& thread, const Thread& marked) {
    ThreadAddresses& addresses = thread.record.addresses;
    for_each_pair(
        addresses.first, static_cast<const AddressRow*>(marked.record.addresses.first),
        [](const AddressRow& a, const AddressRow& b) { return a.node->number == b.node->number; },
        [](AddressRow& now, const AddressRow& then) {
            take_away(now, then, {&AddressRow::samples, &AddressRow::ticks});
        });
    keep_those_with_any(addresses.first, [](const AddressRow& row) { return row.samples > 0; });
    take_away(addresses.left_out, marked.record.addresses.left_out);
}

void RecoveredProcess::count_lock_waits_from(Thread& thread, const Thread& marked) {
    LockWaitRow*& rows = thread.record.lock_waits.first;
    for_each_pair(
        rows, static_cast<const LockWaitRow*>(marked.record.lock_waits.first),
        [](const LockWaitRow& a, const LockWaitRow& b) {
            return a.waiter->number == b.waiter->number;
        },
        [](LockWaitRow& now, const LockWaitRow& then) {
            take_away(now, then, {&LockWaitRow::waits, &LockWaitRow::ns});
        });
    keep_those_with_any(rows, [](const LockWaitRow& row) { return row.waits > 0; });
}

void RecoveredProcess::count_latencies_from(Thread& thread, const Thread& marked) {
    LatencyRow*& rows = thread.record.latencies.first;
    for_each_pair(
        rows, static_cast<const LatencyRow*>(marked.record.latencies.first),
        [](const LatencyRow& a, const LatencyRow& b) {
            return a.node->number == b.node->number && a.power == b.power;
        },
        [](LatencyRow& now, const LatencyRow& then) {
            for (std::size_t i = 0; i < now.calls.size(); i++)
                take_away(now.calls[i], then.calls[i]);
            // Another call may have been the longest since the mark: all that is known of it is
            // that it is in the same rows.
            if (now.longest_end == then.longest_end)
                now.longest = 0;
        });
    keep_those_with_any(rows, [](const LatencyRow& row) {
        return std::any_of(row.calls.begin(), row.calls.end(),
                           [](std::uint64_t calls) { return calls > 0; });
    });
}

// What is live counts from the mark too: by how much it grew, at least 0. What was live at the peak
// stays.
void RecoveredProcess::count_heap_from(Thread& thread, const Thread& marked) {
    HeapSite*& sites = thread.record.heap.first;
    for_each_pair(
        sites, static_cast<const HeapSite*>(marked.record.heap.first),
        [](const HeapSite& a, const HeapSite& b) { return a.node->number == b.node->number; },
        [](HeapSite& now, const HeapSite& then) {
            take_away(now.figures, then.figures,
                      {&HeapFigures::allocated, &HeapFigures::samples, &HeapFigures::live,
                       &HeapFigures::live_variance});
            take_away(now.figures, then.figures,
                      {&HeapFigures::allocated_variance, &HeapFigures::calls,
                       &HeapFigures::calls_variance, &HeapFigures::temporary});
        });
    keep_those_with_any(sites, [](const HeapSite& site) {
        return site.figures.samples > 0 || site.figures.live > 0 || site.figures.at_peak > 0;
    });
}

void RecoveredProcess::count_placement_from(Thread& thread, const Thread& marked) {
    PlacementRow*& rows = thread.record.placement.first;
    for_each_pair(
        rows, static_cast<const PlacementRow*>(marked.record.placement.first),
        [](const PlacementRow& a, const PlacementRow& b) {
            return a.pc == b.pc && a.memory_node == b.memory_node;
        },
        [](PlacementRow& now, const PlacementRow& then) {
            take_away(now, then,
                      {&PlacementRow::touches, &PlacementRow::touches_seen, &PlacementRow::touched,
                       &PlacementRow::near_uses, &PlacementRow::far_uses,
                       &PlacementRow::other_uses});
        });
    keep_those_with_any(rows, [](const PlacementRow& row) {
        return row.touches + row.near_uses + row.far_uses + row.other_uses > 0;
    });
}

void RecoveredProcess::count_files_from(Thread& thread, const Thread& marked) {
    FileRow*& rows = thread.record.files.first;
    for_each_pair(
        rows, static_cast<const FileRow*>(marked.record.files.first),
        [](const FileRow& a, const FileRow& b) {
            return a.node->number == b.node->number && a.file && b.file &&
                   a.file->hash == b.file->hash;
        },
        [](FileRow& now, const FileRow& then) {
            take_away(now, then,
                      {&FileRow::calls, &FileRow::buffered, &FileRow::failed, &FileRow::bytes_read,
                       &FileRow::bytes_written, &FileRow::ticks, &FileRow::placed,
                       &FileRow::sequential, &FileRow::consecutive, &FileRow::unaligned});
            for (std::size_t i = 0; i < size_ranges; i++)
                take_away(now.sizes[i], then.sizes[i]);
        });
    keep_those_with_any(rows, [](const FileRow& row) { return row.calls + row.buffered > 0; });
}

void RecoveredProcess::count_gpu_from(const RecoveredProcess& mark) {
    const GpuRecord& then = mark.gpu_;
    for_each_pair(
        gpu_.work, static_cast<const GpuPathWork*>(then.work),
        [](const GpuPathWork& a, const GpuPathWork& b) {
            return a.device == b.device && a.work == b.work &&
                   (a.node ? b.node && a.node->number == b.node->number : !b.node);
        },
        [](GpuPathWork& a, const GpuPathWork& b) {
            take_away(a, b,
                      {&GpuPathWork::count, &GpuPathWork::ns, &GpuPathWork::bytes,
                       &GpuPathWork::timely, &GpuPathWork::waited_ns});
        });
    keep_those_with_any(gpu_.work, [](const GpuPathWork& work) { return work.count > 0; });
    for_each_pair(
        gpu_.streams, static_cast<const GpuStream*>(then.streams),
        [](const GpuStream& a, const GpuStream& b) {
            return a.device == b.device && a.context == b.context && a.stream == b.stream;
        },
        [](GpuStream& a, const GpuStream& b) {
            take_away(a, b,
                      {&GpuStream::kernels, &GpuStream::kernel_ns, &GpuStream::copies,
                       &GpuStream::copy_ns, &GpuStream::bytes});
        });
    for_each_pair(
        gpu_.devices, static_cast<const GpuDevice*>(then.devices),
        [](const GpuDevice& a, const GpuDevice& b) { return a.number == b.number; },
        [](GpuDevice& a, const GpuDevice& b) {
            take_away(a, b, {&GpuDevice::kernel_ns, &GpuDevice::copy_ns, &GpuDevice::overlap_ns});
        });
    for_each_pair(
        gpu_.transfers, static_cast<const ConstructTransfers*>(then.transfers),
        [](const ConstructTransfers& a, const ConstructTransfers& b) {
            return a.device == b.device &&
                   (a.node ? b.node && a.node->number == b.node->number : !b.node);
        },
        [](ConstructTransfers& a, const ConstructTransfers& b) {
            for (std::size_t i = 0; i < construct_bytes; i++) {
                take_away(a.count[i], b.count[i]);
                take_away(a.bytes[i], b.bytes[i]);
            }
        });
    take_away(gpu_, then,
              {&GpuRecord::records, &GpuRecord::dropped, &GpuRecord::unmatched,
               &GpuRecord::callback_ticks, &GpuRecord::openacc_ticks});
}

void RecoveredProcess::count_thread_from(Thread& thread, const RecoveredProcess& mark,
                                         const Thread& marked) {
    move_open_calls(thread, mark, marked);
    count_nodes_from(thread, mark, marked);
    count_messages_from(thread, marked);
    count_addresses_from(thread, marked);
    count_lock_waits_from(thread, marked);
    count_latencies_from(thread, marked);
    count_heap_from(thread, marked);
    count_placement_from(thread, marked);
    count_files_from(thread, marked);
    count_tables_from(thread.record.side_tables, marked.record.side_tables);
    ThreadRecord& now = thread.record;
    const ThreadRecord& then = marked.record;
    take_away(now, then,
              {&ThreadRecord::dropped_calls, &ThreadRecord::samples, &ThreadRecord::other_samples,
               &ThreadRecord::lost_samples, &ThreadRecord::review_ticks, &ThreadRecord::kernel_ns,
               &ThreadRecord::interrupted_ticks, &ThreadRecord::interruptions,
               &ThreadRecord::processor_ns, &ThreadRecord::task_processor_ns,
               &ThreadRecord::task_ticks});
    const std::uint64_t end = mark.record_.end_ticks;
    std::uint64_t lived = then.lived_ticks;
    if (then.in_use && now.in_use && then.started == now.started)
        now.started = std::max(now.started, end);
    else if (then.in_use)  // that thread has ended in the meantime
        lived += end - std::min(end, then.started);
    take_away(now.lived_ticks, lived);
}

void RecoveredProcess::count_from(const RecoveredProcess& mark) {
    const ProcessRecord& then = mark.record_;
    counts_from_mark_ = true;
    if (then.start.ticks == 0)
        return;  // recording had not begun
    for (Thread& thread : threads_)
        for (const Thread& marked : mark.threads_)
            if (marked.record.number == thread.record.number)
                count_thread_from(thread, mark, marked);
    count_gpu_from(mark);
    count_tables_from(record_.side_tables, then.side_tables);
    for (OneSeries& series : series_) {
        std::erase_if(series.points,
                      [&](const SeriesPoint& point) { return point.ticks < then.end_ticks; });
        series.record.points = series.points.data();
        series.record.capacity = series.record.count[0] =
            static_cast<std::uint32_t>(series.points.size());
    }
    take_away(record_.review_ticks, then.review_ticks);
    take_away(record_.section_memory_ticks, then.section_memory_ticks);
    take_away(record_.section_memory_left_out, then.section_memory_left_out);
    take_away(record_.library_start_ticks, then.library_start_ticks);
    paused_before_mark_ = then.paused_ticks;
    if (then.pause_started != 0 && then.pause_started < then.end_ticks)
        paused_before_mark_ += then.end_ticks - then.pause_started;
    record_.processor_ns_before = then.processor_ns;
    record_.start = then.latest;
    if (!record_.processor_ticks)
        record_.start.ticks = then.end_ticks;
    record_.start_unix_ns = then.end_unix_ns;
}

}  // namespace vftrace
