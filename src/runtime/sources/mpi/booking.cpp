#include "mpi/booking.hpp"

#include "mpi/functions.hpp"
#include "mpi/mpi_state.hpp"
#include "mpi/requests.hpp"

namespace vftrace {

bool records_messages(const Call& call, int result, Completion completion) {
    if (result != 0)
        return false;
    if (!mpi_process.initialised) [[unlikely]]
        mpi_has_begun_before();
    if (completion == Completion::persistent)
        return mpi_process.initialised;
    return call.recorded() && mpi_process.logging && mpi_process.listed;
}

const Node* recording_node(const Call& call) {
    return call.recorded() && mpi_process.logging && mpi_process.listed ? call.node() : nullptr;
}

ThreadState* traced_thread(const Call& call) {
    ThreadState* thread = call.recorded() ? &call.thread() : own_thread_state;
    return thread && is_traced(*thread) ? thread : nullptr;
}

void record_sent(ThreadState& thread, const MessageOrigin& origin, std::int32_t peer,
                 std::uint64_t bytes, const MessageContent& content) {
    if (!is_recorded_peer(peer))
        return;
    book_sent(thread, origin.node, peer, bytes, origin.end - origin.start);
    if (content.type.known() && is_traced(thread)) [[unlikely]]
        trace_message(thread, origin, 0, peer, bytes, content);
}

void record_received(ThreadState& thread, const MessageOrigin& origin, std::int32_t peer,
                     std::uint64_t bytes, const MessageContent& content) {
    if (!is_recorded_peer(peer))
        return;
    book_received(thread, origin.node, peer, bytes, origin.end - origin.start);
    if (content.type.known() && is_traced(thread)) [[unlikely]]
        trace_message(thread, origin, message_received, peer, bytes, content);
}

void send_done(const Call& call, const Elements& elements, int tag, int peer,
               const CommunicatorInfo* info) {
    if (peer == family.constants.proc_null || !info)
        return;
    MessageContent content;
    if (is_traced(call.thread())) [[unlikely]]
        content = {{traced_type(elements), tag}, info};
    record_sent(call.thread(), origin_of(call), world_rank(*info, peer), elements.bytes, content);
}

void receive_done(const Call& call, std::int64_t count, Word datatype, const CommunicatorInfo* info,
                  Word status) {
    int source = status_source(status);
    if (source == family.constants.proc_null || !info)
        return;
    MessageContent content;
    if (is_traced(call.thread())) [[unlikely]]
        content = {{traced_type(elements_of(count, datatype)), status_tag(status)}, info};
    record_received(call.thread(), origin_of(call), world_rank(*info, source),
                    received_bytes(status), content);
}

static void add_pending(const Call& call, PendingOperation& operation, Word request,
                        Completion completion) {
    operation.handle = handle_at(request);
    operation.persistent = completion == Completion::persistent;
    operation.node = operation.persistent ? nullptr : call.node();
    operation.start = call.start_ticks();
    operation.active = !operation.persistent;
    add_pending(operation);
}

void messages_started(const Call& call, const StartedSend* send, const StartedReceive* receive,
                      Word communicator, Word request, Completion completion) {
    bool sends = send && send->peer != family.constants.proc_null;
    bool receives = receive && receive->posted.peer != family.constants.proc_null;
    if (!sends && !receives)
        return;
    const CommunicatorInfo* info = communicator_info(communicator);
    if (!info)
        return;
    PendingOperation operation{};
    operation.peer = sends ? world_rank(*info, send->peer) : no_peer;
    if (is_recorded_peer(operation.peer))
        operation.traffic = {.sends = 1, .send_bytes = send->elements.bytes};
    else if (!receives)
        return;
    operation.receives_by_status = receives;
    if (receives) {
        operation.posted_receive = receive->posted;
        operation.info = info;
    }
    if (traced_thread(call)) [[unlikely]] {
        operation.info = info;
        if (sends)
            operation.sent = {traced_type(send->elements), send->tag};
        if (receives)
            operation.received = {traced_type(elements_of(receive->count, receive->datatype)),
                                  receive->tag};
    }
    add_pending(call, operation, request, completion);
}

void collective_done(const Call& call, const Traffic& traffic, const CollectiveTrace* trace) {
    book_collective(call.thread(), call.node(), traffic, call.end_ticks() - call.start_ticks());
    if (trace) [[unlikely]]
        trace->write(call.thread(), origin_of(call));
}

void collective_started(const Call& call, const Traffic& traffic, CollectiveTrace* trace,
                        const CommunicatorInfo& info, Word request, Completion completion) {
    PendingOperation operation{};
    operation.peer = all_peers;
    operation.traffic = traffic;
    if (trace) [[unlikely]] {
        operation.trace = trace->keep();
        operation.info = &info;
    }
    add_pending(call, operation, request, completion);
}

void one_sided_done(const Call& call, const Elements* sent, const Elements* received,
                    std::int32_t target) {
    ThreadState& thread = call.thread();
    bool traced = is_traced(thread);
    MessageContent content;
    if (sent) {
        if (traced) [[unlikely]]
            content = {{traced_type(*sent), no_tag}, nullptr};
        record_sent(thread, origin_of(call), target, sent->bytes, content);
    }
    if (received) {
        if (traced) [[unlikely]]
            content = {{traced_type(*received), no_tag}, nullptr};
        record_received(thread, origin_of(call), target, received->bytes, content);
    }
}

void one_sided_started(const Call& call, const Elements* sent, const Elements* received,
                       std::int32_t target, Word request) {
    if (!is_recorded_peer(target))
        return;
    PendingOperation operation{};
    operation.peer = target;
    bool traced = is_traced(call.thread());
    if (sent) {
        operation.traffic.sends = 1;
        operation.traffic.send_bytes = sent->bytes;
        if (traced) [[unlikely]]
            operation.sent = {traced_type(*sent), no_tag};
    }
    if (received) {
        operation.traffic.receives = 1;
        operation.traffic.receive_bytes = received->bytes;
        if (traced) [[unlikely]]
            operation.received = {traced_type(*received), no_tag};
    }
    add_pending(call, operation, request, Completion::request);
}

}  // namespace vftrace
