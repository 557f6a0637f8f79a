// Guards a thread's tree while the slow path changes it.
#pragma once

#include "base/assertion.hpp"
#include "guest/own_errno.hpp"
#include "tree/call_tree.hpp"
#include "tree/event_buffer.hpp"
#include "tree/push_frame.hpp"
#include "tree/thread_state.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {

// Sets the stack address down to which events take the hot path (ThreadState::inverted_low), or the
// hot path of traced threads.
inline void set_hot_limit(ThreadState& state, std::uintptr_t inverted_low) {
    if (state.trace) {
        set_shared(state.trace->inverted_low, inverted_low);
        inverted_low = 0;
    }
    set_shared(state.inverted_low, inverted_low);
}

// While an object exists, the thread's hooks find `busy_thread_state`: events of an instrumented
// allocator or signal handler that arrive in the meantime are dropped and counted, even on the hot
// path. This is not a lock; after a longjmp across it, unwind_to() restores the thread's state.
// Keeps errno.
class SlowPath {
  public:
    SlowPath(ThreadState& state, std::uintptr_t stack) : state_(state) {
        VFTRACE_ASSERT(own_thread_state == &state || is_scratch(state));
        VFTRACE_ASSERT(state.top >= state.segment->frames && state.top <= state.frames_end + 1);
        state_.slow_path_stack = stack;
        thread_state = &busy_thread_state;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        errno_ = own_errno();  // a sample taken while this finds errno is in our code
        if (sampling_calls) [[unlikely]]
            sampling_calls->slow_path_begins(state_);
        if (has_switched(state_)) [[unlikely]]
            switch_calls->book(state_);
    }
    ~SlowPath() {
        if (sampling_calls) [[unlikely]]
            sampling_calls->slow_path_ends();
        leave_callers(state_);
        bool fast =
            !plain_read(state_.ignore_events) && tree_settings.processor_ticks && !sampling_calls;
        set_hot_limit(state_, fast ? ~state_.segment->low : 0);
        own_errno() = errno_;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        thread_state = &state_;
    }
    SlowPath(const SlowPath&) = delete;
    SlowPath& operator=(const SlowPath&) = delete;

  private:
    ThreadState& state_;
    int errno_;
};

}  // namespace vftrace
