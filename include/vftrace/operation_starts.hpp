/* What vftrace/coroutines.hpp and vftrace/asio_callbacks.hpp share. Not to be included by programs
 * directly. For C++17 and later. */
#ifndef VFTRACE_OPERATION_STARTS_HPP
#define VFTRACE_OPERATION_STARTS_HPP

#include "tasks.h"

namespace vftrace {
namespace detail {

/* Whether the calling thread starts an operation that a coroutine awaits. */
inline thread_local bool starts_for_coroutine = false;

class start_for_coroutine {
  public:
    VFTRACE_DETAIL_UNSEEN start_for_coroutine() noexcept : outer_(starts_for_coroutine) {
        starts_for_coroutine = true;
    }
    VFTRACE_DETAIL_UNSEEN ~start_for_coroutine() { starts_for_coroutine = outer_; }
    start_for_coroutine(const start_for_coroutine&) = delete;
    start_for_coroutine& operator=(const start_for_coroutine&) = delete;

  private:
    bool outer_;
};

}  // namespace detail
}  // namespace vftrace

#endif
