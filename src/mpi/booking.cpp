// From the arguments of MPI calls to booked messages.
#include "mpi/booking.hpp"

#include "mpi/functions.hpp"
#include "mpi/requests.hpp"
#include "mpi/session.hpp"

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

std::uint64_t size_of(std::int64_t count, Word datatype) {
    if (count <= 0)
        return 0;
    if (void* real = real_function(FunctionId::MPI_Type_size_x)) [[likely]] {
        std::int64_t size = 0;  // MPI_Count
        reinterpret_cast<int (*)(Word, Word)>(real)(datatype, word_of(&size));
        return size > 0 ? static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size) : 0;
    }
    int size = 0;
    call_real(FunctionId::MPI_Type_size, datatype, word_of(&size));
    return size > 0 ? static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size) : 0;
}

std::uint64_t received_bytes(Word status) {
    std::int64_t count = 0;  // MPI_Count
    FunctionId function = real_function(FunctionId::MPI_Get_elements_x)
                              ? FunctionId::MPI_Get_elements_x
                              : FunctionId::MPI_Get_count_c;
    if (real_function(function))
        call_real(function, status, static_cast<Word>(family.constants.byte), word_of(&count));
    return count > 0 ? static_cast<std::uint64_t>(count) : 0;
}

void book_received_from(ThreadState& thread, const Node* node, const CommunicatorInfo& info,
                        int source, std::uint64_t bytes, std::uint64_t ticks) {
    std::int32_t peer = world_rank(info, source);
    if (is_recorded_peer(peer))
        book_received(thread, node, peer, bytes, ticks);
}

void message_sent(const Call& call, std::uint64_t bytes, int peer, const CommunicatorInfo* info) {
    if (peer == family.constants.proc_null || !info)
        return;
    std::int32_t rank = world_rank(*info, peer);
    if (is_recorded_peer(rank))
        book_sent(call.thread(), call.node(), rank, bytes, call.end_ticks() - call.start_ticks());
}

void message_received(const Call& call, const CommunicatorInfo* info, Word status) {
    int source = status_source(status);
    if (source != family.constants.proc_null && info)
        book_received_from(call.thread(), call.node(), *info, source, received_bytes(status),
                           call.end_ticks() - call.start_ticks());
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

void messages_started(const Call& call, const StartedMessages& messages, Word communicator,
                      Word request, Completion completion) {
    bool sends = messages.sends && messages.send_peer != family.constants.proc_null;
    bool receives = messages.receives && messages.receive.peer != family.constants.proc_null;
    if (!sends && !receives)
        return;
    const CommunicatorInfo* info = communicator_info(communicator);
    if (!info)
        return;
    PendingOperation operation{};
    operation.peer = sends ? world_rank(*info, messages.send_peer) : no_peer;
    if (is_recorded_peer(operation.peer))
        operation.traffic = {.sends = 1, .send_bytes = messages.send_bytes};
    else if (!receives)
        return;
    operation.receives_by_status = receives;
    operation.posted_receive = messages.receive;
    operation.info = receives ? info : nullptr;
    add_pending(call, operation, request, completion);
}

void traffic_done(const Call& call, const Traffic& traffic, std::int32_t peer) {
    std::uint64_t ticks = call.end_ticks() - call.start_ticks();
    if (peer == all_peers)
        return book_collective(call.thread(), call.node(), traffic, ticks);
    if (!is_recorded_peer(peer))
        return;
    if (traffic.sends)
        book_sent(call.thread(), call.node(), peer, traffic.send_bytes, ticks);
    if (traffic.receives)
        book_received(call.thread(), call.node(), peer, traffic.receive_bytes, ticks);
}

void traffic_started(const Call& call, const Traffic& traffic, std::int32_t peer, Word request,
                     Completion completion) {
    if (peer != all_peers && !is_recorded_peer(peer))
        return;
    PendingOperation operation{};
    operation.peer = peer;
    operation.traffic = traffic;
    add_pending(call, operation, request, completion);
}

}  // namespace vftrace
