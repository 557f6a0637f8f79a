// Samples of the page faults of a thread: when, at which address, on which processor.
//
// The kernel writes them into a ring, about a thousand a second or fewer, and the thread reads it
// when its time is sampled, so that they cost no signals.
#pragma once

#include "sampling/own_rings.hpp"
#include "tree/upcalls.hpp"
#include "unwind/event_ring.hpp"

namespace vftrace {

// Used by its thread only; zeroed memory is a valid object. To be zeroed in a child of fork.
class FaultSamples {
  public:
    // Does nothing if rings are not allowed here (own_rings.hpp), or if the system refuses.
    void start();
    void stop();

    // Calls visit(const PageTouch&). Async-signal-safe; takes about 10 ns if there are none.
    template <class Visitor>
    void take(Visitor visit) {
        if (!ring_ || !rings_are_here() || ring_.is_empty())
            return;
        ring_.read([&](const EventRecord& record) {
            PageTouch touch;
            if (parse(record, touch))
                visit(touch);
        });
    }

  private:
    static bool parse(const EventRecord& record, PageTouch& touch);

    EventRing ring_;
};

}  // namespace vftrace
