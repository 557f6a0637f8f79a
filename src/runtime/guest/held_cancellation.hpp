// Keeps a thread from being cancelled in the library: the program does not expect that in a
// function without cancellation points, and locks would stay locked forever.
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
