// Records of messages in the trace.
#include "mpi/message_trace.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "mpi/communicator_identity.hpp"
#include "mpi/mpi_state.hpp"

namespace vftrace {
namespace {

// A record must fit into an event buffer.
constexpr std::uint32_t longest_list = 4000;

// Small sends that are complete may share one request: another thread's may be found complete
// before it has begun.
std::uint64_t end_of(const MessageOrigin& origin) { return std::max(origin.start, origin.end); }

// A record, and the call that completed it.
template <class Record>
struct Completed {
    Record record;
    CompletionRecord completion;
};

template <class Record>
void write_completed(ThreadState& thread, RecordKind kind, const MessageOrigin& origin,
                     const Record& record) {
    const CompletingCall call = origin.completed_by ? *origin.completed_by : CompletingCall{};
    const bool by_another = call.node && call.enter > 0 && call.enter <= record.end;
    Completed<Record> completed{record, {call.enter, by_another ? call.node->number : 0, 0}};
    trace_record(thread, kind, thread_of(origin.node), origin.start, &completed,
                 by_another ? sizeof completed : sizeof record);
}

// A communicator has two ids: the second one is for the local group of an intercommunicator.
std::uint32_t trace_id(const CommunicatorInfo& info, PeerSet set) {
    static std::uint32_t last_id;
    std::uint32_t id = __atomic_load_n(&info.trace_id, __ATOMIC_RELAXED);
    if (id == 0) {
        std::uint32_t fresh = __atomic_add_fetch(&last_id, 2, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(&info.trace_id, &id, fresh, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            id = fresh;
    }
    return set == PeerSet::local_members ? id + 1 : id;
}

struct PeerRanks {
    PeerList list;
    int size;
    const int* world;  // nullptr: rank i is i
    std::int32_t own;
};

PeerRanks peer_ranks(const CommunicatorInfo& info, PeerSet set) {
    switch (set) {
    case PeerSet::local_members:
        return {PeerList::members, info.local_size, info.inter ? info.local_world : info.world,
                info.rank};
    case PeerSet::sources:
        return {PeerList::sources, info.source_count, info.sources, -1};
    case PeerSet::destinations:
        return {PeerList::destinations, info.destination_count, info.destinations, -1};
    case PeerSet::members:
        break;
    }
    return {PeerList::members, info.size, info.world, info.inter ? -1 : info.rank};
}

// Whether this thread must describe it, because it has not done so, or another thread has done so
// since.
bool is_to_be_recorded(const ThreadState& thread, std::uint32_t& recorded) {
    std::uint32_t self = thread.record->number + 1;
    return __atomic_exchange_n(&recorded, self, __ATOMIC_RELAXED) != self;
}

void record_group(ThreadState& thread, const CommunicatorInfo& info, std::uint32_t id) {
    GroupRecord record{.identity = identity_of(info),
                       .id = id,
                       .size = info.inter ? 0 : static_cast<std::uint32_t>(info.size),
                       .first = 0,
                       .count = 0};
    if (info.inter || !info.world) {
        trace_record(thread, RecordKind::group, 0, 0, &record, sizeof record);
        return;
    }
    for (; record.first < record.size; record.first += longest_list) {
        record.count = std::min(record.size - record.first, longest_list);
        trace_record(thread, RecordKind::group, 0, 0, &record, sizeof record,
                     info.world + record.first, record.count * sizeof *info.world);
    }
}

// Describes the peers of a set, and does so again when another thread uses the set: what one thread
// wrote may be lost when what the other one wrote is not.
void record_peers(ThreadState& thread, const CommunicatorInfo& info, PeerSet set) {
    if (!is_to_be_recorded(thread, info.recorded[static_cast<std::size_t>(set)]))
        return;
    PeerRanks peers = peer_ranks(info, set);
    auto size = static_cast<std::uint32_t>(peers.size);
    auto* ranks = static_cast<std::int32_t*>(
        std::malloc((std::min(size, longest_list) + 1) * sizeof(std::int32_t)));
    if (!ranks)
        return;
    for (std::uint32_t first = 0; first < size; first += longest_list) {
        CommunicatorRecord record{.id = trace_id(info, set),
                                  .list = peers.list,
                                  .size = size,
                                  .first = first,
                                  .own = peers.own,
                                  .count = std::min(size - first, longest_list)};
        for (std::uint32_t i = 0; i < record.count; i++) {
            std::int32_t rank =
                peers.world ? peers.world[first + i] : static_cast<std::int32_t>(first + i);
            ranks[i] = is_recorded_peer(rank) ? rank : no_peer;
        }
        trace_record(thread, RecordKind::communicator, 0, 0, &record, sizeof record, ranks,
                     record.count * sizeof *ranks);
    }
    std::free(ranks);
}

}  // namespace

std::uint32_t traced_communicator(ThreadState& thread, const CommunicatorInfo& info) {
    const std::uint32_t id = trace_id(info, PeerSet::members);
    if (is_to_be_recorded(thread, info.recorded_group))
        record_group(thread, info, id);
    return id;
}

void trace_message(ThreadState& thread, const MessageOrigin& origin, unsigned flags,
                   std::int32_t peer, std::uint64_t bytes, const MessageContent& content) {
    TracedElements elements = traced_elements(bytes, content.type);
    MessageRecord record{.start = origin.start,
                         .end = end_of(origin),
                         .node = origin.node->number,
                         .peer = peer,
                         .count = elements.count,
                         .type_bytes = elements.type.bytes,
                         .datatype = elements.type.index,
                         .flags = static_cast<std::uint16_t>(flags),
                         .tag = content.tag,
                         .communicator = 0};
    if (content.communicator) {
        record.communicator = traced_communicator(thread, *content.communicator);
        record.flags |= message_point_to_point;
    }
    write_completed(thread, RecordKind::message, origin, record);
}

void set_peer_count(PeerCount& peer, const Elements& elements) {
    TracedElements traced = traced_elements(elements.bytes, traced_type(elements));
    peer = {traced.count, traced.type.bytes, traced.type.index, 0};
}

void set_datatype(PeerCount* list, int peers, const Elements& all) {
    TracedType type = traced_type(all);
    std::int64_t size = type.bytes;  // of one of the program's elements
    if (all.count > 0)
        size = static_cast<std::int64_t>(all.bytes) / all.count;
    for (int i = 0; i < peers; i++)
        list[i] = {size == type.bytes ? list[i].count : list[i].count * size, type.bytes,
                   type.index, 0};
}

CollectiveTrace::~CollectiveTrace() {
    for (std::size_t i = 0; i < count_; i++)
        std::free(parts_[i].list);
}

void CollectiveTrace::begin(const CommunicatorInfo& info, std::int32_t tag) {
    info_ = &info;
    tag_ = tag;
    has_place_ = false;
}

void CollectiveTrace::begin(const CommunicatorInfo& info, std::int32_t tag, const Place& place) {
    begin(info, tag);
    has_place_ = true;
    place_ = place;
}

CollectiveTrace::Part& CollectiveTrace::add_part(unsigned flags) {
    Part& part = parts_[count_++];
    part = {};
    part.flags = static_cast<std::uint16_t>(flags);
    return part;
}

void CollectiveTrace::message(unsigned flags, std::int32_t peer, const Elements& elements) {
    Part& part = add_part(flags);
    part.kind = Part::message;
    part.peer = peer;
    part.bytes = elements.bytes;
    part.type = traced_type(elements);
}

void CollectiveTrace::fan(unsigned flags, PeerSet set, const Elements& elements) {
    Part& part = add_part(flags);
    part.kind = Part::fan;
    part.set = set;
    part.bytes = elements.bytes;
    part.type = traced_type(elements);
}

PeerCount* CollectiveTrace::fan_counts(unsigned flags, PeerSet set, int peers) {
    auto size = static_cast<std::size_t>(peers);
    auto* list = static_cast<PeerCount*>(std::calloc(size + 1, sizeof(PeerCount)));
    if (!list)
        return nullptr;
    Part& part = add_part(flags);
    part.kind = Part::fan_counts;
    part.set = set;
    part.list = list;
    part.list_size = static_cast<std::uint32_t>(peers);
    return list;
}

void CollectiveTrace::write_place(ThreadState& thread, const MessageOrigin& origin) const {
    const std::uint32_t communicator = traced_communicator(thread, *info_);
    write_completed(thread, RecordKind::collective, origin,
                    CollectiveRecord{.start = origin.start,
                                     .end = end_of(origin),
                                     .number = place_.number,
                                     .node = origin.node->number,
                                     .communicator = communicator,
                                     .root = place_.root,
                                     .shape = place_.shape});
}

void CollectiveTrace::write_fan(ThreadState& thread, const MessageOrigin& origin,
                                const Part& part) const {
    record_peers(thread, *info_, part.set);
    unsigned flags = part.flags;
    if (part.set == PeerSet::sources)
        flags |= fan_sources;
    if (part.set == PeerSet::destinations)
        flags |= fan_destinations;
    TracedElements elements = traced_elements(part.bytes, part.type);
    FanRecord record{.start = origin.start,
                     .end = end_of(origin),
                     .node = origin.node->number,
                     .communicator = trace_id(*info_, part.set),
                     .count = elements.count,
                     .type_bytes = elements.type.bytes,
                     .datatype = elements.type.index,
                     .flags = static_cast<std::uint16_t>(flags),
                     .tag = tag_,
                     .first_peer = 0};
    std::uint32_t thread_number = thread_of(origin.node);
    if (part.kind == Part::fan) {
        trace_record(thread, RecordKind::fan, thread_number, origin.start, &record, sizeof record);
        return;
    }
    for (; record.first_peer < part.list_size; record.first_peer += longest_list)
        trace_record(thread, RecordKind::fan_counts, thread_number, origin.start, &record,
                     sizeof record, part.list + record.first_peer,
                     std::min(part.list_size - record.first_peer, longest_list) *
                         sizeof(PeerCount));
}

void CollectiveTrace::write(ThreadState& thread, const MessageOrigin& origin) const {
    if (has_place_)
        write_place(thread, origin);
    for (std::size_t i = 0; i < count_; i++) {
        const Part& part = parts_[i];
        if (part.kind == Part::message)
            trace_message(thread, origin, part.flags, part.peer, part.bytes,
                          {{part.type, tag_}, nullptr});
        else
            write_fan(thread, origin, part);
    }
}

CollectiveTrace* CollectiveTrace::keep() {
    if (count_ == 0 && !has_place_)
        return nullptr;
    void* memory = std::malloc(sizeof(CollectiveTrace));
    if (!memory)
        return nullptr;
    auto* kept = new (memory) CollectiveTrace;
    kept->begin(*info_, tag_);
    kept->has_place_ = has_place_;
    kept->place_ = place_;
    std::copy_n(parts_, count_, kept->parts_);
    kept->count_ = count_;
    count_ = 0;  // the lists now belong to the copy
    return kept;
}

void CollectiveTrace::drop_reference(CollectiveTrace* trace) {
    if (trace && __atomic_sub_fetch(&trace->references_, 1, __ATOMIC_ACQ_REL) == 0) {
        trace->~CollectiveTrace();
        std::free(trace);
    }
}

}  // namespace vftrace
