// Messages of matched probes: remembered from the probe to the receive.
#include "mpi/point_to_point.hpp"

#include "mpi/requests.hpp"

namespace vftrace {

// Messages are stored with the requests, under keys that cannot be handles of requests.
static Word message_key(Word handle) { return ~handle; }

void MatchedProbe::after(const Call& call, int result) {
    if (!records_messages(call, result))
        return;
    Word handle = handle_at(message);
    if (handle == handle_constant(family.constants.message_no_proc))
        return;
    PendingOperation operation{};
    operation.handle = message_key(handle);
    operation.info = communicator_info(comm);
    if (operation.info)
        add_pending(operation);
}

void MatchedMessage::find(Word message) {
    if (!may_be_pending() || !message)
        return;
    key_ = message_key(handle_at(message));
    PendingOperation operation;
    if (find_pending(key_, operation))
        info_ = operation.info;
}

void MatchedMessage::received(const Call& call, int result, std::int64_t count, Word datatype,
                              Word status) {
    if (!info_)
        return;
    if (records_messages(call, result))
        receive_done(call, count, datatype, info_, status);
    remove_pending(key_);
}

void MatchedMessage::receive_started(const Call& call, int result, std::int64_t count,
                                     Word datatype, Word request) {
    if (!info_)
        return;
    if (records_messages(call, result)) {
        PendingOperation operation{};
        operation.handle = handle_at(request);
        operation.node = call.node();
        operation.start = call.start_ticks();
        operation.peer = no_peer;
        operation.info = info_;
        operation.receives_by_status = operation.active = true;
        if (is_traced(call.thread())) [[unlikely]]
            operation.received.type = traced_type(elements_of(count, datatype));
        add_pending(operation);
    }
    remove_pending(key_);
}

}  // namespace vftrace
