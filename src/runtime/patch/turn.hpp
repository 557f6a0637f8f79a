// The turn to change code, which one thread of the process has at a time.
#pragma once

#include "guest/all_signals.hpp"

namespace vftrace {

// For work that must not be skipped.
inline constexpr int many_attempts = 10000;

struct TurnOwner;

// True while this thread may work on the code. Signals are blocked: a handler that never returned
// would keep it forever. A child of vfork never gets it. Preserves errno.
class Turn {
  public:
    // Tries this number of times, and lets other threads run in between: the thread with the turn
    // is one of them, because no signal handler interrupts it.
    explicit Turn(int attempts = 1);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    explicit operator bool() const { return mine_; }

  private:
    AllSignalsBlocked blocked_;
    int saved_errno_;
    TurnOwner* owner_;
    bool mine_ = false;
};

}  // namespace vftrace
