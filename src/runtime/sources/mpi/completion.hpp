// Operations that start, complete, free and cancel requests, for the generated wrappers.
//
// The real function is called with the program's own arguments, and the program gets its results;
// only if the program ignores statuses does MPI write them into our memory. Nested calls are
// tracked too, because they complete or free requests of the program in its callbacks.
#pragma once

#include "mpi/point_to_point.hpp"
#include "mpi/requests.hpp"

namespace vftrace {

// The handle in a variable of the program, before the call that may replace it; 0 if nothing can be
// known about it.
inline Word pending_handle(Word request) {
    return may_be_pending() && request ? handle_at(request) : 0;
}

// The call, as one that completes pending operations. Its node belongs to the thread that does so.
inline CompletingCall completing(const Call& call) {
    return {call.recorded() ? call.node() : nullptr, call.start_ticks()};
}

// One request that a call may complete.
class CompletedRequest {
  public:
    void save(Word request) { handle_ = pending_handle(request); }
    // The call has succeeded, and the request has ended; `request` is its address.
    void completed(const Call& call, Word request, Word status);
    // The call has failed: the request has ended if it is null now.
    void failed(const Call& call, Word request);
    // The operation has ended, but its request is still to be completed or freed.
    void seen_complete(const Call& call, Word status);

  private:
    Word handle_ = 0;
};

// The requests of an array as they were before the call, which replaces those that complete, and
// room for their statuses. Long arrays are allocated on the heap.
class CompletedRequests {
  public:
    CompletedRequests() = default;
    ~CompletedRequests();
    CompletedRequests(const CompletedRequests&) = delete;
    CompletedRequests& operator=(const CompletedRequests&) = delete;

    // Before the call. `statuses` (if any) is replaced if the program ignores them.
    void save(Word count, Word requests, OptionalWord statuses);
    std::size_t count() const { return count_; }

    // After the call: request `index` of the array has ended. `status` is the address of its
    // status, 0 if there is none; `error` is its error code.
    void completed(const Call& call, int index, Word status, int error = 0);
    // All of them, according to the call's result and their statuses.
    void all_completed(const Call& call, Word statuses, int result);
    // The call has failed: those that are null now have ended.
    void failed(const Call& call);

  private:
    static constexpr std::size_t few = 16;
    Word requests_ = 0;
    std::size_t count_ = 0;
    Word* handles_ = nullptr;
    void* own_statuses_on_heap_ = nullptr;
    Storage<few * sizeof(Word)> few_handles_;
    Storage<few * largest_status> few_statuses_;
};

// The address of element `index` of an array of statuses; 0 if there is none.
Word status_at(Word statuses, std::size_t index);

// Whether a call for several requests failed in a way that the statuses show.
bool is_in_status(int result);

struct Start {
    static constexpr bool keeps_books = true;
    Word& request;
    Word handle = 0;

    void before(Call&) { handle = pending_handle(request); }
    void after(const Call& call, int result) {
        if (handle && result == 0)
            start_pending(handle, recording_node(call), call.start_ticks());
    }
};

struct StartAll {
    static constexpr bool keeps_books = true;
    Word &count, &requests;

    void before(Call&) {}
    void after(const Call& call, int result) {
        if (result == 0 && may_be_pending())
            for (int i = 0; i < to_int(count); i++)
                start_pending(handle_at(requests, static_cast<std::size_t>(i)),
                              recording_node(call), call.start_ticks());
    }
};

struct Wait {
    static constexpr bool keeps_books = true;
    Word &request, &status;
    CompletedRequest saved = {};
    Storage<largest_status> own_status = {};

    void before(Call&) {
        saved.save(request);
        want_status(status, own_status);
    }
    void after(const Call& call, int result) {
        if (result == 0)
            saved.completed(call, request, status);
        else
            saved.failed(call, request);
    }
};

struct Test {
    static constexpr bool keeps_books = true;
    Word &request, &flag, &status;
    CompletedRequest saved = {};
    Storage<largest_status> own_status = {};

    void before(Call&) {
        saved.save(request);
        want_status(status, own_status);
    }
    void after(const Call& call, int result) {
        if (result != 0)
            saved.failed(call, request);
        else if (int_at(flag))
            saved.completed(call, request, status);
    }
};

// MPI_Request_get_status reports the completion, but the request remains.
struct RequestStatus {
    static constexpr bool keeps_books = true;
    Word &request, &flag, &status;
    CompletedRequest saved = {};
    Storage<largest_status> own_status = {};

    void before(Call&) {
        saved.save(word_of(&request));  // the handle itself is the argument
        want_status(status, own_status);
    }
    void after(const Call& call, int result) {
        if (result == 0 && int_at(flag))
            saved.seen_complete(call, status);
    }
};

struct WaitAny {
    static constexpr bool keeps_books = true;
    Word &count, &requests, &index, &status;
    Storage<largest_status> own_status = {};
    CompletedRequests saved = {};

    void before(Call&) {
        saved.save(count, requests, {});
        want_status(status, own_status);
    }
    void after(const Call& call, int result) {
        if (result != 0)
            saved.failed(call);
        else if (saved.count())
            saved.completed(call, int_at(index), status);
    }
};

struct TestAny {
    static constexpr bool keeps_books = true;
    Word &count, &requests, &index, &flag, &status;
    Storage<largest_status> own_status = {};
    CompletedRequests saved = {};

    void before(Call&) {
        saved.save(count, requests, {});
        want_status(status, own_status);
    }
    void after(const Call& call, int result) {
        if (result != 0)
            saved.failed(call);
        else if (saved.count() && int_at(flag))
            saved.completed(call, int_at(index), status);
    }
};

struct WaitSome {
    static constexpr bool keeps_books = true;
    Word &incount, &requests, &outcount, &indices, &statuses;
    CompletedRequests saved = {};

    void before(Call&) { saved.save(incount, requests, statuses); }
    void after(const Call& call, int result) {
        if (!saved.count())
            return;
        if (result != 0 && !is_in_status(result))
            return saved.failed(call);
        for (int i = 0; i < int_at(outcount); i++) {  // MPI_UNDEFINED is negative
            Word status = status_at(statuses, static_cast<std::size_t>(i));
            saved.completed(call, int_at(indices, static_cast<std::size_t>(i)), status,
                            result != 0 && status ? status_error(status) : result);
        }
    }
};
using TestSome = WaitSome;

struct WaitAll {
    static constexpr bool keeps_books = true;
    Word &count, &requests, &statuses;
    CompletedRequests saved = {};

    void before(Call&) { saved.save(count, requests, statuses); }
    void after(const Call& call, int result) { saved.all_completed(call, statuses, result); }
};

struct TestAll {
    static constexpr bool keeps_books = true;
    Word &count, &requests, &flag, &statuses;
    CompletedRequests saved = {};

    void before(Call&) { saved.save(count, requests, statuses); }
    void after(const Call& call, int result) {
        if (saved.count() && (result != 0 || int_at(flag)))
            saved.all_completed(call, statuses, result);
    }
};

struct FreeRequest {
    static constexpr bool keeps_books = true;
    Word& request;
    Word handle = 0;

    void before(Call&) { handle = pending_handle(request); }
    void after(const Call& call, int result) {
        if (handle && result == 0)
            free_pending(handle, completing(call), call.end_ticks());
    }
};

struct CancelRequest {
    static constexpr bool keeps_books = true;
    Word& request;

    void before(Call&) {
        if (Word handle = pending_handle(request))
            cancel_pending(handle);
    }
    void after(const Call&, int) {}
};

}  // namespace vftrace
