#include "annotations/annotated_regions.hpp"

#include <cstring>

#include "annotations/thread_annotations.hpp"
#include "base/relaxed.hpp"
#include "guest/frame_address.hpp"
#include "tree/activation.hpp"
#include "tree/call_tree.hpp"
#include "tree/slow_path.hpp"

namespace vftrace {

namespace {

ThreadAnnotations* annotations_of(ThreadState& state, std::uintptr_t stack) {
    if (!state.annotations) {
        SlowPath guard(state, stack);
        state.annotations =
            static_cast<ThreadAnnotations*>(state.arena.allocate(sizeof(ThreadAnnotations)));
    }
    return state.annotations;
}

// Whether `name` is for the region in which the thread is already, which another interface has
// begun.
bool continues(const ThreadState& state, const ThreadAnnotations& here,
               const AnnotationName& name) {
    if (here.count == 0)
        return false;
    const OpenAnnotation& around = here.open[here.count - 1];
    return around.name->key == name.key && around.name->interface != name.interface &&
           (around.is_merged || around.node) && state.top->node->key == name.key &&
           state.top->node->kind == NodeKind::region;
}

void erase(ThreadAnnotations& here, std::uint32_t index) {
    for (std::uint32_t i = index; i + 1 < here.count; i++)
        here.open[i] = here.open[i + 1];
    here.count--;
}

// Ends the region of an entry, which has been removed from position `index`.
void close(ThreadState& state, ThreadAnnotations& here, const OpenAnnotation& open,
           std::uint32_t index) {
    if (open.is_merged || !open.node)
        return;
    // Another interface still has the same region open.
    if (index < here.count && here.open[index].is_merged) {
        here.open[index].is_merged = false;
        here.open[index].node = open.node;
        return;
    }
    if (!leave_if_innermost(state, open.node))
        end_region(&state, open.name->key, RegionChoice::this_one);
}

bool is_wanted(const AnnotationName& name, AnnotationInterface interface, AnnotationRole role,
               const char* text, const char* detail) {
    return name.interface == interface && name.role == role && (!text || is_meant(name, text)) &&
           (!detail || std::strcmp(name.detail, detail) == 0);
}

}  // namespace

void begin_annotation(const AnnotationName& name, std::uintptr_t stack) {
    ThreadState* const state = recording_state();
    ThreadAnnotations* const here = state ? annotations_of(*state, stack) : nullptr;
    if (!here)
        return;
    if (here->count == ThreadAnnotations::most) {
        here->too_deep++;
        return;
    }
    OpenAnnotation open{&name, nullptr, continues(*state, *here, name)};
    if (open.is_merged)
        count(name.row->merged);
    else
        open.node = enter_activation(name.key, NodeKind::region, place_in_caller(*state, stack));
    // A signal handler with regions of its own uses this place until `count` has moved, and then
    // finds it filled.
    OpenAnnotation& place = here->open[here->count];
    place = open;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    here->count++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    place = open;
}

void end_annotation(AnnotationInterface interface, AnnotationRole role, const char* text,
                    const char* detail) {
    ThreadState* const state = own_thread_state;
    if (!state || !state->segment || !state->annotations) {
        if (recording_state())
            count_unmatched(interface, role, text);
        return;
    }
    ThreadAnnotations& here = *state->annotations;
    if (here.too_deep > 0) {
        here.too_deep--;
        return;
    }
    const bool is_recording = thread_state == state && !plain_read(state->ignore_events);
    std::uint32_t index = here.count;
    while (index > 0 && !is_wanted(*here.open[index - 1].name, interface, role, text, detail))
        index--;
    if (index == 0) {
        if (is_recording)
            count_unmatched(interface, role, text);
        return;
    }
    index--;
    const OpenAnnotation open = here.open[index];
    const bool nests =
        annotation_interfaces[static_cast<std::size_t>(interface)].nesting == Nesting::nested;
    bool crossed = false;
    for (std::uint32_t i = here.count; i-- > index + 1;) {
        if (here.open[i].name->interface != interface)
            continue;
        crossed = true;
        if (!nests)
            continue;
        const OpenAnnotation inside = here.open[i];
        erase(here, i);
        if (is_recording)
            close(*state, here, inside, i);
    }
    if (crossed)
        count(open.name->row->crossed);
    erase(here, index);
    if (is_recording)
        close(*state, here, open, index);
}

void count_unmatched(AnnotationInterface interface, AnnotationRole role, const char* text) {
    ThreadState* const state = recording_state();
    if (!state)
        return;
    if (const AnnotationName* const name =
            annotation_name(*state, interface, role, text, "", frame_address()))
        count(name->row->unmatched);
}

void thread_has_no_annotations(ThreadState& state) {
    if (!state.annotations)
        return;
    state.annotations->count = 0;
    state.annotations->too_deep = 0;
}

}  // namespace vftrace
