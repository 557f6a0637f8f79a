// Operations that start, complete, free and cancel requests, for the generated wrappers.
//
// The real function is called with the program's own arguments and its results are the program's;
// only where the program ignores statuses MPI writes them into our memory.
#pragma once

#include "mpi/point_to_point.hpp"
#include "mpi/requests.hpp"

namespace vftrace {

// The requests of an array as they were before the call, which replaces those that complete, and
// room for their statuses. Long arrays take memory from the heap.
class CompletedRequests {
  public:
    CompletedRequests() = default;
    ~CompletedRequests();
    CompletedRequests(const CompletedRequests&) = delete;
    CompletedRequests& operator=(const CompletedRequests&) = delete;

    // Before the call. `statuses` (if any) is replaced if the program ignores them.
    void save(Word count, Word requests, OptionalWord statuses);
    bool saved() const { return handles_ != nullptr; }
    // After it: request `index` of the array is over. `status`: the address of its status;
    // `result`: what the call returned, or is_in_status.
    void complete(const Call& call, std::size_t index, Word status, int result);
    std::size_t count() const { return count_; }

  private:
    static constexpr std::size_t few = 16;
    Word requests_ = 0;
    std::size_t count_ = 0;
    Word* handles_ = nullptr;
    void* own_statuses_on_heap_ = nullptr;
    Storage<few * sizeof(Word)> few_handles_;
    Storage<few * largest_status> few_statuses_;
};

// The address of element `index` of an array of statuses; 0 if there is no array.
Word status_at(Word statuses, std::size_t index);

struct Start {
    Word& request;
    Word handle = 0;

    void before(Call&) {
        if (may_be_pending())
            handle = handle_at(request);
    }
    void after(const Call& call, int result) {
        if (handle && result == 0)
            start_pending(handle, call.recorded() ? call.node() : nullptr, call.start_ticks());
    }
};

struct StartAll {
    Word &count, &requests;

    void before(Call&) {}
    void after(const Call& call, int result) {
        if (result == 0 && may_be_pending())
            for (int i = 0; i < to_int(count); i++)
                start_pending(handle_at(requests, static_cast<std::size_t>(i)),
                              call.recorded() ? call.node() : nullptr, call.start_ticks());
    }
};

// One request, in a variable of the program's.
class CompletedRequest {
  public:
    void save(Word request) {
        if (may_be_pending())
            handle_ = handle_at(request);
    }
    void complete(const Call& call, Word request, Word status, int result);

  private:
    Word handle_ = 0;
};

struct Wait {
    Word &request, &status;
    CompletedRequest completed = {};
    Storage<largest_status> own_status = {};

    void before(Call&) {
        completed.save(request);
        want_status(status, own_status);
    }
    void after(const Call& call, int result) { completed.complete(call, request, status, result); }
};

struct Test {
    Word &request, &flag, &status;
    CompletedRequest completed = {};
    Storage<largest_status> own_status = {};

    void before(Call&) {
        completed.save(request);
        want_status(status, own_status);
    }
    void after(const Call& call, int result) {
        if (result != 0 || int_at(flag))
            completed.complete(call, request, status, result);
    }
};

struct WaitAny {
    Word &count, &requests, &index, &status;
    Storage<largest_status> own_status = {};
    CompletedRequests completed = {};

    void before(Call&) {
        completed.save(count, requests, {});
        want_status(status, own_status);
    }
    void after(const Call& call, int result) {
        if (completed.saved() && int_at(index) >= 0)
            completed.complete(call, static_cast<std::size_t>(int_at(index)), status, result);
    }
};

struct TestAny {
    Word &count, &requests, &index, &flag, &status;
    Storage<largest_status> own_status = {};
    CompletedRequests completed = {};

    void before(Call&) {
        completed.save(count, requests, {});
        want_status(status, own_status);
    }
    void after(const Call& call, int result) {
        if (completed.saved() && int_at(flag) && int_at(index) >= 0)
            completed.complete(call, static_cast<std::size_t>(int_at(index)), status, result);
    }
};

struct WaitSome {
    Word &incount, &requests, &outcount, &indices, &statuses;
    CompletedRequests completed = {};

    void before(Call&) { completed.save(incount, requests, statuses); }
    void after(const Call& call, int result) {
        if (!completed.saved())
            return;
        for (int i = 0; i < int_at(outcount); i++)  // MPI_UNDEFINED is negative
            completed.complete(
                call, static_cast<std::size_t>(int_at(indices, static_cast<std::size_t>(i))),
                status_at(statuses, static_cast<std::size_t>(i)), result);
    }
};
using TestSome = WaitSome;

struct WaitAll {
    Word &count, &requests, &statuses;
    CompletedRequests completed = {};

    void before(Call&) { completed.save(count, requests, statuses); }
    void after(const Call& call, int result) {
        for (std::size_t i = 0; i < completed.count(); i++)
            completed.complete(call, i, status_at(statuses, i), result);
    }
};

struct TestAll {
    Word &count, &requests, &flag, &statuses;
    CompletedRequests completed = {};

    void before(Call&) { completed.save(count, requests, statuses); }
    void after(const Call& call, int result) {
        if (completed.saved() && (result != 0 || int_at(flag)))
            for (std::size_t i = 0; i < completed.count(); i++)
                completed.complete(call, i, status_at(statuses, i), result);
    }
};

struct FreeRequest {
    Word& request;
    Word handle = 0;

    void before(Call&) {
        if (may_be_pending())
            handle = handle_at(request);
    }
    void after(const Call& call, int result) {
        if (handle && result == 0)
            free_pending(handle, call.end_ticks());
    }
};

struct CancelRequest {
    Word& request;

    void before(Call&) {
        if (may_be_pending())
            cancel_pending(handle_at(request));
    }
    void after(const Call&, int) {}
};

}  // namespace vftrace
