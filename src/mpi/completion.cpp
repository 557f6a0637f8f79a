// Completion of requests, as the program sees it.
#include "mpi/completion.hpp"

#include <cstdlib>

namespace vftrace {
namespace {

// What became of the request that was `handle` before the call: complete_pending() is told.
void finish(const Call& call, Word handle, Word now, Word status, int result, bool in_status) {
    bool released = now == handle_constant(family.constants.request_null);
    // A call for several requests that fails says in the statuses which of them did.
    int error = result != 0 && in_status && status ? status_error(status) : result;
    if (result != 0 && !released && (!in_status || error != 0))
        return;  // not completed
    complete_pending(handle, {.recorded = error == 0,
                              .released = released,
                              .status = status,
                              .ticks = call.end_ticks()});
}

}  // namespace

Word status_at(Word statuses, std::size_t index) {
    return statuses ? statuses + index * static_cast<Word>(family.constants.status_bytes) : 0;
}

void CompletedRequest::complete(const Call& call, Word request, Word status, int result) {
    if (handle_)
        finish(call, handle_, handle_at(request), status, result, false);
}

CompletedRequests::~CompletedRequests() {
    if (handles_ && handles_ != reinterpret_cast<Word*>(few_handles_.memory))
        std::free(handles_);
    std::free(own_statuses_on_heap_);
}

void CompletedRequests::save(Word count, Word requests, OptionalWord statuses) {
    if (!may_be_pending() || to_int(count) <= 0)
        return;
    auto requested = static_cast<std::size_t>(to_int(count));
    bool ignored = statuses && mpi_process.logging &&
                   *statuses == static_cast<Word>(family.constants.statuses_ignore);
    if (requested <= few) {
        handles_ = reinterpret_cast<Word*>(few_handles_.memory);
        if (ignored)
            *statuses = few_statuses_.address();
    } else {
        handles_ = static_cast<Word*>(std::malloc(requested * sizeof(Word)));
        if (!handles_)
            return;
        if (ignored && (own_statuses_on_heap_ = std::malloc(requested * largest_status)))
            *statuses = reinterpret_cast<Word>(own_statuses_on_heap_);
    }
    requests_ = requests;
    count_ = requested;
    for (std::size_t i = 0; i < count_; i++)
        handles_[i] = handle_at(requests, i);
}

void CompletedRequests::complete(const Call& call, std::size_t index, Word status, int result) {
    if (index >= count_ || handles_[index] == handle_constant(family.constants.request_null))
        return;
    finish(call, handles_[index], handle_at(requests_, index), status, result, true);
}

}  // namespace vftrace
