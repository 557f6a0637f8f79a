// The public functions of vftrace.h that produce events: regions, pause and resume.
#include "base/message.hpp"
#include "guest/frame_address.hpp"
#include "tree/call_tree.hpp"
#include "tree/pause.hpp"
#include "tree/region_names.hpp"
#include "tree/slow_path.hpp"
#include "vftrace.h"

using namespace vftrace;

namespace {

// The key of a region's name, 0 without memory.
std::uintptr_t key_of(ThreadState* state, const char* name, std::uintptr_t stack) {
    SlowPath guard(*state, stack);  // a signal handler may have regions too
    if (!name) {
        VFTRACE_MESSAGE_ONCE(
            "vftrace_region_begin or vftrace_region_end was called with a null pointer: the "
            "region is shown as \"(unnamed region)\"");
        name = "(unnamed region)";
    }
    return region_key(name, state->arena);
}

}  // namespace

#define VFTRACE_API extern "C" [[gnu::visibility("default")]]

VFTRACE_API void vftrace_region_begin(const char* name) {
    ThreadState* state = recording_state_slowly();
    if (!state)
        return;
    if (std::uintptr_t key = key_of(state, name, frame_address()))
        enter_slowly(state, {key, NodeKind::region, 0, 0, frame_address()});
}

VFTRACE_API void vftrace_region_end(const char* name) {
    ThreadState* state = recording_state_slowly();
    if (!state)
        return;
    std::uintptr_t key = key_of(state, name, frame_address());
    if (!key)
        return;
    // Vftrace 2.0 ignored the name, so old programs may pass a wrong one: then the innermost region
    // is meant.
    switch (end_region(state, key)) {
    case RegionEnd::ended:
        break;
    case RegionEnd::ended_other_than_innermost:
        VFTRACE_MESSAGE_ONCE(
            "vftrace_region_end(\"%.200s\"): a region that was started later is still open; it "
            "continues below the caller of the ended one (reported once)",
            region_name(key));
        break;
    case RegionEnd::ended_innermost_instead:
        VFTRACE_MESSAGE_ONCE("vftrace_region_end(\"%.200s\"): no such region is open; the "
                             "innermost one is ended instead (reported once)",
                             region_name(key));
        break;
    case RegionEnd::none_open:
        // The region may have begun before recording was switched on from outside (vftrace start).
        if (switched_on_at() == 0)
            VFTRACE_MESSAGE_ONCE("vftrace_region_end(\"%.200s\"): no region is open; ignored "
                                 "(reported once)",
                                 region_name(key));
    }
}

VFTRACE_API void vftrace_pause(void) {
    ThreadState* state = recording_state_slowly();
    if (!state)
        return;
    // A pause is shown as a call of this function, as in Vftrace 2.0.
    pause_process(state, reinterpret_cast<std::uintptr_t>(&vftrace_pause), frame_address());
}

VFTRACE_API void vftrace_resume(void) {
    // Not recording_state_slowly(): a paused thread ignores its events.
    resume_process(own_thread_state, reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)),
                   frame_address());
}
