// Completion of requests, as the program sees it.
#include "mpi/completion.hpp"

#include <cstdlib>

namespace vftrace {
namespace {

bool is_null(Word handle) { return handle == handle_constant(family.constants.request_null); }

Word known_status(Word status) {
    return status == static_cast<Word>(family.constants.status_ignore) ? 0 : status;
}

}  // namespace

Word status_at(Word statuses, std::size_t index) {
    if (statuses == static_cast<Word>(family.constants.statuses_ignore))
        return 0;
    return statuses + index * static_cast<Word>(family.constants.status_bytes);
}

bool is_in_status(int result) {
    int error_class = 0;
    return call_real(FunctionId::MPI_Error_class, result, word_of(&error_class)) == 0 &&
           error_class == family.constants.err_in_status;
}

void CompletedRequest::completed(const Call& call, Word request, Word status) {
    if (handle_)
        complete_pending(handle_, {.released = is_null(handle_at(request)),
                                   .status = known_status(status),
                                   .ticks = call.end_ticks(),
                                   .call = completing(call)});
}

void CompletedRequest::failed(const Call& call, Word request) {
    if (handle_ && is_null(handle_at(request)))
        complete_pending(handle_,
                         {.recorded = false, .ticks = call.end_ticks(), .call = completing(call)});
}

void CompletedRequest::seen_complete(const Call& call, Word status) {
    if (handle_)
        complete_pending(handle_, {.released = false,
                                   .stays = true,
                                   .status = known_status(status),
                                   .ticks = call.end_ticks(),
                                   .call = completing(call)});
}

CompletedRequests::~CompletedRequests() {
    if (handles_ && handles_ != reinterpret_cast<Word*>(few_handles_.memory))
        std::free(handles_);
    if (own_statuses_on_heap_)
        std::free(own_statuses_on_heap_);
}

void CompletedRequests::save(Word count, Word requests, OptionalWord statuses) {
    if (!may_be_pending() || to_int(count) <= 0 || !requests)
        return;
    auto requested = static_cast<std::size_t>(to_int(count));
    bool ignored = statuses && *statuses == static_cast<Word>(family.constants.statuses_ignore);
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

void CompletedRequests::completed(const Call& call, int index, Word status, int error) {
    if (index < 0 || static_cast<std::size_t>(index) >= count_ || is_null(handles_[index]))
        return;
    bool released = is_null(handle_at(requests_, static_cast<std::size_t>(index)));
    if (error != 0 && !released)
        return;  // for example MPI_ERR_PENDING
    complete_pending(handles_[index], {.recorded = error == 0,
                                       .released = released,
                                       .status = known_status(status),
                                       .ticks = call.end_ticks(),
                                       .call = completing(call)});
}

void CompletedRequests::all_completed(const Call& call, Word statuses, int result) {
    if (count_ == 0)
        return;
    if (result != 0 && !is_in_status(result))
        return failed(call);
    for (std::size_t i = 0; i < count_; i++) {
        Word status = status_at(statuses, i);
        completed(call, static_cast<int>(i), status,
                  result != 0 && status ? status_error(status) : result);
    }
}

void CompletedRequests::failed(const Call& call) {
    for (std::size_t i = 0; i < count_; i++)
        if (!is_null(handles_[i]) && is_null(handle_at(requests_, i)))
            complete_pending(
                handles_[i],
                {.recorded = false, .ticks = call.end_ticks(), .call = completing(call)});
}

}  // namespace vftrace
