// Threads that the program creates: where they start, and their names.
//
// The new thread gets our own start function, which records the creator's place in the tree before
// it calls the program's start function. Nothing else changes: the frame that calls the program's
// function has unwind tables, so that pthread_exit and cancellation pass through it.
#include <cstdint>
#include <dlfcn.h>
#include <pthread.h>
#include <threads.h>

#include "guest/bounded_lock.hpp"
#include "guest/frame_address.hpp"
#include "guest/next_function.hpp"
#include "guest/openmp_library.hpp"
#include "tree/activation.hpp"
#include "tree/call_tree.hpp"
#include "tree/pause.hpp"
#include "tree/registry.hpp"
#include "tree/source.hpp"
#include "tree/thread_names.hpp"
#include "tree/upcalls.hpp"

using namespace vftrace;

namespace {

// The data passed to the new thread. Unused objects are kept in a list, because malloc may be the
// program's own.
struct Start {
    void* (*pthread_function)(void*);
    int (*c11_function)(void*);
    void* argument;
    std::size_t stack_size;
    ThreadStart thread;
    Start* next;
};
BoundedLock lock;
Start* free_starts;
Arena starts;

Start* new_start() {
    if (!lock.lock())
        return nullptr;
    Start* start = free_starts;
    if (start)
        free_starts = start->next;
    else
        start = static_cast<Start*>(starts.allocate(sizeof(Start)));
    lock.unlock();
    return start;
}

void release_start(Start* start) {
    if (!lock.lock())
        return;
    start->next = free_starts;
    free_starts = start;
    lock.unlock();
}

std::size_t stack_size(const pthread_attr_t* attributes) {
    std::size_t size = 0;
    pthread_attr_t usual;
    if (attributes) {
        pthread_attr_getstacksize(attributes, &size);
    } else if (pthread_getattr_default_np(&usual) == 0) {
        pthread_attr_getstacksize(&usual, &size);
        pthread_attr_destroy(&usual);
    }
    return size;
}

// Returns nullptr if nothing is to be recorded.
Start* start_for(const void* caller, std::uintptr_t stack, const pthread_attr_t* attributes) {
    // Threads that are created while recording is switched off may still exist when it is switched
    // on.
    if (plain_read(no_thread_state.ignore_events) && !process_is_switched_off())
        return nullptr;
    Start* start = new_start();
    if (!start)
        return nullptr;
    *start = {};
    start->stack_size = stack_size(attributes);
    // OpenMP run-time libraries create threads for future teams: the work of these threads is shown
    // below the parallel regions.
    dl_find_object library;
    start->thread.is_worker = find_openmp_library(caller, library);
    if (start->thread.is_worker)
        return start;
    // A thread that has not recorded anything is not forced to: threads that it creates get the
    // same start. So do threads beyond max_recursion, or the path would grow without end if each
    // thread creates its successor.
    bool child = own_thread_state && thread_start.generation < tree_settings.max_recursion;
    start->thread.place =
        child ? make_place(thread_key, NodeKind::thread, stack) : thread_start.place;
    start->thread.generation = thread_start.generation + child;
    return start;
}

// Copies the data of the start and releases its memory. `frame` is that of our start function, with
// little above it. The stack's range is derived from it, because libc uses malloc to determine the
// range, and the thread's first event may occur in a signal handler.
Start begin(void* argument, void* frame) {
    constexpr std::uintptr_t above = 16 * 1024;
    Start start = *static_cast<Start*>(argument);
    release_start(static_cast<Start*>(argument));
    thread_start = start.thread;
    thread_start.started = tree_ticks();
    auto top = reinterpret_cast<std::uintptr_t>(frame);
    if (start.stack_size)
        thread_start.stack = {top - start.stack_size, top + above};
    thread_start.first_function = top;
    if (sampled_threads)
        sampled_threads->thread_begins();
    return start;
}

// pthread_exit and cancellation pass through our frame: whatever was opened by the program's
// function is left.
void leave(void* stack) {
    unwind_to(reinterpret_cast<std::uintptr_t>(stack));
    if (sampled_threads)
        sampled_threads->thread_ends();
}

void* run_pthread(void* argument) {
    Start start = begin(argument, __builtin_frame_address(0));
    void* result;
    pthread_cleanup_push(leave, __builtin_frame_address(0));
    result = start.pthread_function(start.argument);
    pthread_cleanup_pop(0);
    if (sampled_threads)
        sampled_threads->thread_ends();
    return result;
}

int run_c11(void* argument) {
    Start start = begin(argument, __builtin_frame_address(0));
    int result;
    pthread_cleanup_push(leave, __builtin_frame_address(0));
    result = start.c11_function(start.argument);
    pthread_cleanup_pop(0);
    if (sampled_threads)
        sampled_threads->thread_ends();
    return result;
}

// The lock may be held by a thread that does not exist in the child.
void forget_parent() {
    lock = {};
    free_starts = nullptr;
}

}  // namespace

constexpr Source vftrace::threads_source = {.forget_parent = forget_parent};

#define VFTRACE_WRAPPER extern "C" [[gnu::visibility("default")]]

VFTRACE_WRAPPER int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                                   void* (*function)(void*), void* argument) noexcept {
    static int (*known)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    const auto real = next_function(known, "pthread_create");
    Start* start = start_for(__builtin_return_address(0), frame_address(), attributes);
    if (!start)
        return real(thread, attributes, function, argument);
    start->pthread_function = function;
    start->argument = argument;
    int result = real(thread, attributes, run_pthread, start);
    if (result != 0)
        release_start(start);
    return result;
}

VFTRACE_WRAPPER int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
    static int (*known)(thrd_t*, thrd_start_t, void*);
    const auto real = next_function(known, "thrd_create");
    Start* start = start_for(__builtin_return_address(0), frame_address(), nullptr);
    if (!start)
        return real(thread, function, argument);
    start->c11_function = function;
    start->argument = argument;
    int result = real(thread, run_c11, start);
    if (result != thrd_success)
        release_start(start);
    return result;
}

VFTRACE_WRAPPER int pthread_setname_np(pthread_t thread, const char* name) noexcept {
    static int (*known)(pthread_t, const char*);
    int result = next_function(known, "pthread_setname_np")(thread, name);
    if (result == 0)
        set_thread_name(thread, name);
    return result;
}
