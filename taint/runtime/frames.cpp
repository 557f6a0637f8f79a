// A thread's stack of frames, and what compiled code reports about loops, branches and calls.
#include "taint/runtime/frames.hpp"

#include <cstring>
#include <pthread.h>

#include "taint/runtime/history.hpp"
#include "taint/runtime/parameters.hpp"

namespace vftrace::taint {
namespace {

constexpr std::size_t stack_size = std::size_t{256} << 20;
constexpr std::size_t size_of_lost_frame = std::size_t{1} << 20;

thread_local Thread* current [[gnu::tls_model("initial-exec")]];
Thread* threads;
pthread_key_t end_key;
Frame* lost_frame;  // entered when a stack is full
std::uint64_t lost;

std::size_t size_of_frame(const FunctionRecord& record) {
    return (offsetof(Frame, labels) +
            sizeof(SiteLabel) * static_cast<std::size_t>(record.site_count) + 15) /
           16 * 16;
}

// The next thread reuses the memory and the call paths.
void end_thread(void* thread) {
    close_all_frames();
    static_cast<Thread*>(thread)->ended = true;
    current = nullptr;
}

[[gnu::cold, gnu::noinline]] Thread* start_thread() {
    const Locked locked;
    if (!lost_frame) {
        pthread_key_create(&end_key, end_thread);
        lost_frame = static_cast<Frame*>(reserve_pages(size_of_lost_frame));
    }
    Thread* thread = nullptr;
    std::uint32_t number = 0;
    for (Thread* each = threads; each; each = each->next_thread) {
        ++number;
        if (each->ended && !history_is_kept())
            thread = each;
    }
    if (!thread) {
        thread = make<Thread>();
        thread->number = number;
        thread->next_thread = threads;
        threads = thread;
        thread->stack = static_cast<char*>(reserve_pages(stack_size));
        if (!thread->stack) {
            message("not enough memory for the analysis of another thread");
            thread->stack = reinterpret_cast<char*>(make<Frame>());
            thread->limit = thread->stack + sizeof(Frame);
        } else {
            thread->limit = thread->stack + stack_size;
        }
        thread->base = reinterpret_cast<Frame*>(thread->stack);
        thread->base->context = make<Context>();
        thread->top = thread->base;
        thread->next = thread->stack + sizeof(Frame);
    }
    thread->ended = false;
    pthread_setspecific(end_key, thread);
    current = thread;
    return thread;
}

[[gnu::noinline]] Context* find_child(Context* parent, Function* function) {
    Context::Child* child = parent->children;
    while (child && child->function != function)
        child = child->next;
    if (!child) {
        const Locked locked;
        Context* context = parent;
        while (context && context->function != function)
            context = context->parent;
        if (!context) {
            context = make<Context>();
            context->function = function;
            context->parent = parent;
        }
        child = make<Context::Child>();
        *child = {function, context, parent->children};
        parent->children = child;
    }
    parent->last_child = child->context;
    parent->last_function = function;
    return child->context;
}

Note* new_note(Thread& thread) {
    if (Note* note = thread.free_notes) {
        thread.free_notes = note->next;
        return note;
    }
    const Locked locked;
    return make<Note>();
}

void free_notes(Thread& thread, Note*& notes) {
    while (Note* note = notes) {
        notes = note->next;
        note->next = thread.free_notes;
        thread.free_notes = note;
    }
}

// Adds a set to those of a site; only sets that no other set contains are kept.
void add_set(Thread& thread, Frame& frame, std::uint32_t site, Parameters set) {
    for (Note** place = &frame.sets; *place;) {
        Note* note = *place;
        if (note->place == site && (set & ~note->set) == 0)
            return;
        if (note->place == site && (note->set & ~set) == 0) {
            *place = note->next;
            note->next = thread.free_notes;
            thread.free_notes = note;
        } else {
            place = &note->next;
        }
    }
    Note* note = new_note(thread);
    *note = {frame.sets, site, set, nullptr};
    frame.sets = note;
    frame.has_labels = 1;
}

void add_call(Thread& thread, Frame& frame, std::uint32_t slot, Entry* entry) {
    for (const Note* note = frame.calls; note; note = note->next)
        if (note->place == slot && note->entry == entry)
            return;
    Note* note = new_note(thread);
    *note = {frame.calls, slot, 0, entry};
    frame.calls = note;
}

bool comes_before(const SiteSet& a, const SiteSet& b) {
    return a.site != b.site ? a.site < b.site : a.set < b.set;
}

// Files what the frame has seen under its function and its call path.
[[gnu::noinline]] Entry* file_labels(Thread& thread, Frame& frame) {
    const auto site_count = static_cast<std::uint32_t>(frame.record->site_count);
    Context& context = *frame.context;
    const bool plain = !frame.sets;
    if (!history_is_kept())
        for (std::uint32_t site = 0; site < site_count; ++site)
            if (frame.labels[site] != 0)
                add_set(thread, frame, site, parameters_of(frame.labels[site]));
    const Locked locked;
    if (!locked)
        return nullptr;
    std::size_t count = 0;
    for (const Note* note = frame.sets; note; note = note->next)
        ++count;
    static constinit Array<SiteSet> sets;
    sets.size = 0;
    for (const Note* note = frame.sets; note; note = note->next)
        sets.add({note->place, note->set});
    for (std::size_t i = 1; i < count; ++i)
        for (std::size_t j = i; j > 0 && comes_before(sets[j], sets[j - 1]); --j) {
            const SiteSet other = sets[j];
            sets[j] = sets[j - 1];
            sets[j - 1] = other;
        }
    Entry* entry = find_entry(*frame.record, sets.items, count);
    if (!entry->contexts.contains(&context))
        entry->contexts.add(&context);
    context.last_entry = nullptr;
    if (plain) {
        if (!context.last_labels || context.last_site_count != site_count)
            context.last_labels = static_cast<SiteLabel*>(allocate(sizeof(SiteLabel) * site_count));
        std::memcpy(context.last_labels, frame.labels, sizeof(SiteLabel) * site_count);
        context.last_site_count = site_count;
        context.last_entry = entry;
    }
    return entry;
}

void close(Thread& thread, Frame& frame) {
    thread.top = frame.outer;
    thread.next = reinterpret_cast<char*>(&frame);
    Entry* entry = nullptr;
    if (frame.has_labels) {
        const Context& context = *frame.context;
        const bool same =
            context.last_entry && !frame.sets &&
            context.last_site_count == static_cast<std::uint32_t>(frame.record->site_count) &&
            std::memcmp(frame.labels, context.last_labels,
                        sizeof(SiteLabel) * static_cast<std::size_t>(frame.record->site_count)) ==
                0;
        entry = same ? context.last_entry : file_labels(thread, frame);
        free_notes(thread, frame.sets);
    }
    if (entry) {
        for (const Note* note = frame.calls; note; note = note->next) {
            const SlotEntry call{note->place, note->entry};
            if (!entry->calls.contains(call)) {
                const Locked locked;
                entry->calls.add(call);
            }
        }
        add_call(thread, *frame.outer, frame.outer->slot, entry);
    } else {
        for (const Note* note = frame.calls; note; note = note->next)
            add_call(thread, *frame.outer, frame.outer->slot, note->entry);
    }
    free_notes(thread, frame.calls);
}

// Frames of functions that exceptions or longjmp have left also end.
void close_above(Thread& thread, const Frame* frame) {
    while (thread.top != thread.base && thread.top > frame)
        close(thread, *thread.top);
}

}  // namespace

Thread* this_thread() { return current ? current : start_thread(); }

std::uint64_t lost_frames() { return lost; }

// The paths of recursive calls end at a path above.
static void add_calls_below(const Context& context, Array<FunctionCall>& calls) {
    for (const Context::Child* child = context.children; child; child = child->next) {
        if (context.function)
            calls.add({context.function, child->function});
        if (child->context->parent == &context)
            add_calls_below(*child->context, calls);
    }
}

Array<FunctionCall> seen_calls() {
    Array<FunctionCall> calls;
    for (const Thread* thread = threads; thread; thread = thread->next_thread)
        add_calls_below(*thread->base->context, calls);
    return calls;
}

void close_all_frames() {
    if (current)
        close_above(*current, current->base);
}

}  // namespace vftrace::taint

using namespace vftrace::taint;

extern "C" {

void* vftrace_taint_enter(FunctionRecord* record) {
    Thread* thread = current;
    if (!thread) [[unlikely]]
        thread = start_thread();
    auto* function = static_cast<Function*>(record->function);
    if (!function) [[unlikely]]
        function = function_of(*record);
    Frame* outer = thread->top;
    Context* parent = outer->context;
    Context* context =
        parent->last_function == function ? parent->last_child : find_child(parent, function);
    const std::size_t size = size_of_frame(*record);
    auto* frame = reinterpret_cast<Frame*>(thread->next);
    if (size > static_cast<std::size_t>(thread->limit - thread->next)) [[unlikely]] {
        if (lost++ == 0)
            message("calls are nested too deeply; the innermost ones are not analysed");
        return lost_frame;
    }
    thread->next += size;
    thread->top = frame;
    frame->record = record;
    frame->context = context;
    frame->outer = outer;
    frame->slot = 0;
    frame->has_labels = 0;
    frame->sets = nullptr;
    frame->calls = nullptr;
    std::memset(frame->labels, history_is_kept() ? 0xff : 0, size - offsetof(Frame, labels));
    return frame;
}

void vftrace_taint_leave(void* left) {
    auto* frame = static_cast<Frame*>(left);
    Thread* thread = current;
    if (!thread || frame == lost_frame)
        return;
    if (thread->top != frame) [[unlikely]] {
        if (frame > thread->top || frame <= thread->base)
            return;
        close_above(*thread, frame);
    }
    close(*thread, *frame);
}

void vftrace_taint_resume(void* resumed) {
    auto* frame = static_cast<Frame*>(resumed);
    if (current && frame != lost_frame && frame > current->base && frame < current->top)
        close_above(*current, frame);
}

void vftrace_taint_changed(void* checked, std::uint32_t site, std::uint32_t label) {
    auto* frame = static_cast<Frame*>(checked);
    if (frame == lost_frame)
        return;
    if (history_is_kept()) [[unlikely]] {
        Thread& thread = *this_thread();
        if (const Parameters set =
                history_of_check(thread, *frame->record, site, parameters_of(label));
            set != 0)
            add_set(thread, *frame, site, set);
        return;
    }
    if (label == 0)
        return;
    const std::uint32_t last = frame->labels[site];
    if ((label & ~last) == 0)
        return;
    if ((last & ~label) != 0)  // neither contains the other
        add_set(*this_thread(), *frame, site, parameters_of(last));
    frame->labels[site] = static_cast<SiteLabel>(label);
    frame->has_labels = 1;
}

void __dfsw_vftrace_taint_check(void* frame, std::uint32_t site, std::uint64_t, std::uint8_t,
                                std::uint8_t, std::uint8_t label) {
    vftrace_taint_changed(frame, site, label);
}

// A container's size, `bytes` bytes at `size`, has changed in these loops: in `loop` and those
// around it, inside the one in which the container is created (-1: outside all).
void vftrace_taint_grow(void* grown, std::int32_t loop, std::int32_t creation, std::int32_t bytes,
                        void* size) {
    const auto* frame = static_cast<const Frame*>(grown);
    if (frame == lost_frame || !frame->has_labels || history_is_kept())
        return;
    const FunctionRecord& record = *frame->record;
    Label label = 0;
    for (; loop >= 0 && loop != creation; loop = record.loops[loop].parent)
        for (std::int32_t site = 0; site < record.site_count; ++site)
            if (record.sites[site].loop == loop && record.sites[site].branch < 0)
                label = static_cast<Label>(label | frame->labels[site]);
    if (label != 0 && can_have_labels(size))
        dfsan_add_label(label, size, static_cast<std::size_t>(bytes));
}

// The end of a container depends on its size.
void* __dfsw_vftrace_taint_join(void* end, std::uint64_t, Label end_label, Label size_label,
                                Label* result) {
    *result = static_cast<Label>(end_label | size_label);
    return end;
}

std::uint64_t __dfsw_vftrace_taint_depend(std::uint64_t number, std::uint64_t, Label label,
                                          Label other_label, Label* result) {
    *result = static_cast<Label>(label | other_label);
    return number;
}

void vftrace_taint_slot(void* frame, std::uint32_t slot) {
    static_cast<Frame*>(frame)->slot = slot;
}

void __dfsw_vftrace_taint_communicate(FunctionRecord* record, std::uint64_t, std::uint8_t,
                                      std::uint8_t count_label) {
    void* frame = vftrace_taint_enter(record);
    vftrace_taint_changed(frame, 0, count_label | label_of_ranks());
    vftrace_taint_leave(frame);
}

}  // extern "C"
