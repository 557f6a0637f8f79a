// Keeps a thread from being cancelled in the library: the program does not expect it in a function
// that has no cancellation point, and locks would stay locked for ever.
#pragma once

#include <pthread.h>

namespace vftrace {

class HeldCancellation {
  public:
    HeldCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~HeldCancellation() { pthread_setcancelstate(before_, nullptr); }
    HeldCancellation(const HeldCancellation&) = delete;
    HeldCancellation& operator=(const HeldCancellation&) = delete;

  private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace vftrace
