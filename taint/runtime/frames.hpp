// A thread's stack of frames: a frame is a call of a function that has not ended yet.
#ifndef VFTRACE_TAINT_RUNTIME_FRAMES_HPP
#define VFTRACE_TAINT_RUNTIME_FRAMES_HPP

#include "taint/runtime/program.hpp"

namespace vftrace::taint {

// Something that a frame holds in addition to the labels: another set of a site, or a profile that
// was found in a call.
struct Note {
    Note* next;
    std::uint32_t place;  // site or slot
    Parameters set;
    Entry* entry;
};

struct Frame {
    FunctionRecord* record;
    Context* context;
    Frame* outer;
    std::uint32_t slot;  // of the current call; written by compiled code
    std::uint32_t has_labels;
    Note* sets;
    Note* calls;
    SiteLabel labels[1];  // the last label of each site; read by compiled code
};
static_assert(offsetof(Frame, slot) == offset_of_slot &&
              offsetof(Frame, labels) == offset_of_labels);

struct Thread {
    Frame* top;
    char* next;  // where the next frame will be
    char* limit;
    char* stack;
    Note* free_notes;
    Frame* base;
    std::uint32_t number;
    Thread* next_thread;
    bool ended;
    void* history;
};

struct FunctionCall {
    const Function* caller;
    const Function* callee;
};
// Which function has called which, as far as they have frames; calls on different paths are
// repeated. To be called with the lock held.
Array<FunctionCall> seen_calls();

// Ends all frames of the calling thread, because the thread or the program ends.
void close_all_frames();
std::uint64_t lost_frames();
Thread* this_thread();

}  // namespace vftrace::taint

extern "C" {
void* vftrace_taint_enter(vftrace::taint::FunctionRecord* record);
void vftrace_taint_leave(void* frame);
void vftrace_taint_changed(void* frame, std::uint32_t site, std::uint32_t label);
}

#endif
