/* What vftrace/coroutines.hpp and vftrace/asio_callbacks.hpp share. Not to be included by programs
 * directly. For C++17 and later. */
#ifndef VFTRACE_OPERATION_STARTS_HPP
#define VFTRACE_OPERATION_STARTS_HPP

#include "tasks.h"

namespace vftrace {
namespace detail {

/* The calling thread starts an operation that a coroutine awaits. */
struct awaited_start {
    bool is_one;
    vftrace_task_id task; /* of the coroutine; 0: none */
};
inline thread_local awaited_start starts_for_coroutine = {false, 0};

/* The task of the coroutine that awaits the operation of which the calling thread completes a part;
 * 0: none. What is started meanwhile is the next part, unless the coroutine runs. */
inline thread_local vftrace_task_id completes_part_for = 0;

class start_for_coroutine {
  public:
    VFTRACE_DETAIL_UNSEEN explicit start_for_coroutine(vftrace_task_id task) noexcept
        : outer_(starts_for_coroutine) {
        starts_for_coroutine = {true, task};
    }
    VFTRACE_DETAIL_UNSEEN ~start_for_coroutine() { starts_for_coroutine = outer_; }
    start_for_coroutine(const start_for_coroutine&) = delete;
    start_for_coroutine& operator=(const start_for_coroutine&) = delete;

  private:
    awaited_start outer_;
};

}  // namespace detail
}  // namespace vftrace

#endif
