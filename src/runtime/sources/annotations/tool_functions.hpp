// For the functions of libvftrace_annotations, which have the names of other tools' functions: they
// call those of the real library, if the program has it, and tell libvftrace what the program has
// annotated. What the real library calls itself is not told.
#pragma once

#include <cstdint>
#include <cstring>

#include "guest/frame_address.hpp"
#include "record/annotation_calls.hpp"
#include "record/annotation_rows.hpp"

namespace vftrace::annotations {

using Interface = AnnotationInterface;
using Role = AnnotationRole;

// Of libvftrace; nullptr: it is not there.
extern const AnnotationCalls* calls;

// Above 0 while this thread is in a function of a real library.
extern __thread unsigned inside_real __attribute__((tls_model("initial-exec")));

// The next function of this name; nullptr if there is none.
void* find_real(const char* name);
// Stands for a function that does not exist.
void no_real_function();

// What find(name) returns, asked once. `known`: a static variable.
template <class Function>
Function found_once(Function& known, const char* name, void* (*find)(const char* name)) {
    Function found = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!found) [[unlikely]] {
        void* const looked_up = find(name);
        found = reinterpret_cast<Function>(looked_up ? looked_up
                                                     : reinterpret_cast<void*>(&no_real_function));
        __atomic_store_n(&known, found, __ATOMIC_RELAXED);
    }
    return reinterpret_cast<void*>(found) == reinterpret_cast<void*>(&no_real_function) ? nullptr
                                                                                        : found;
}

// The real function. libvftrace sets `known` if it is linked statically into the program.
template <class Function>
Function real_function(Function& known, const char* name) {
    return found_once(known, name, find_real);
}

// Calls the real function; returns `otherwise` if there is none.
template <class Result, class... Parameters, class... Arguments>
Result call_real(Result (*real)(Parameters...), Result otherwise, Arguments... arguments) {
    if (!real)
        return otherwise;
    inside_real++;
    Result result = real(arguments...);
    inside_real--;
    return result;
}
template <class... Parameters, class... Arguments>
void call_real(void (*real)(Parameters...), Arguments... arguments) {
    if (!real)
        return;
    inside_real++;
    real(arguments...);
    inside_real--;
}

// Whether the program has called this function, and somebody wants to know.
inline bool is_told() { return calls && inside_real == 0; }

// A name that is used again and again, by means of a handle. Lives as long as the process.
struct Handle {
    const char* text;
    Interface interface;
    Role role;
    const AnnotationName* name;  // nullptr: not looked up yet
    std::uint32_t generation;
};
// A copy of the text; nullptr without memory.
Handle* new_handle(Interface interface, Role role, const char* text);
const AnnotationName* name_of(Handle& handle);

// Handles by the numbers or addresses that the program knows. Of two for the same number, the later
// one counts.
void set_handle(Interface interface, std::uint64_t number, Handle* handle);
Handle* handle_of(Interface interface, std::uint64_t number);
inline std::uint64_t number_of(const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer);
}

// The handle of a variable in which the program keeps what a tool identifies a region by. With the
// tool's library, that has filled it already; else the handle becomes what is in it. nullptr
// without memory or variable.
Handle* handle_in(void** variable, Interface interface, Role role, const char* text);
// What the program is to know a new handle by: what the real function has returned, if there is
// one.
void* known_as(Handle* handle, bool is_real, void* of_real);

// Regions by name. `stack`: frame_address() of the function that the program has called.
inline void begin(Interface interface, Role role, const char* text, std::uintptr_t stack,
                  const char* detail = "") {
    if (is_told())
        calls->begin(calls->name_of(interface, role, text, detail), stack);
}
inline void begin(Handle* handle, std::uintptr_t stack) {
    if (is_told() && handle)
        calls->begin(name_of(*handle), stack);
}
inline void end(Interface interface, Role role, const char* text, const char* detail = nullptr) {
    if (is_told())
        calls->end(interface, role, text, detail);
}
inline void end(const Handle* handle) {
    if (is_told() && handle)
        calls->end(handle->interface, handle->role, handle->text, nullptr);
}
// A handle that was never created.
inline void end(const Handle* handle, Interface interface) {
    if (handle)
        end(handle);
    else if (is_told())
        calls->unmatched(interface, Role::region, "(unknown handle)");
}
inline void happened(Interface interface, Role role, const char* text, std::int64_t bytes = 0,
                     const char* detail = "") {
    if (is_told())
        calls->happened(calls->name_of(interface, role, text, detail), bytes);
}
inline void value(Interface interface, const char* text, double number) {
    if (is_told())
        calls->value(calls->name_of(interface, Role::counter, text, ""), number);
}
inline void value(Handle* counter, double number) {
    if (is_told() && counter)
        calls->value(name_of(*counter), number);
}
inline void metadata(Interface interface, const char* key, const char* text) {
    if (is_told())
        calls->metadata(interface, key, text);
}
inline void pause(Interface interface, std::uintptr_t stack) {
    if (is_told() && calls->takes(interface))
        calls->pause(stack);
}
inline void resume(Interface interface, const void* callsite, std::uintptr_t stack) {
    if (is_told() && calls->takes(interface))
        calls->resume(number_of(callsite), stack);
}

// For a few instructions. A signal handler that interrupts these does without what it protects, as
// does a child of fork, if another thread of the parent had it.
class ShortLock {
  public:
    bool lock();
    void unlock() { __atomic_clear(&taken_, __ATOMIC_RELEASE); }

  private:
    bool taken_ = false;
};

// Regions that are ended by their number, on any thread. Numbers of one interface are distinct.
struct TaskId {
    Interface interface;
    std::uint64_t words[3];
};
void begin_task(const TaskId& id, const char* text, const char* detail = "");
void end_task(const TaskId& id);

// A text of Fortran: not terminated, and filled up with blanks.
class FortranText {
  public:
    FortranText(const char* text, long length);
    operator const char*() const { return text_; }

  private:
    char text_[256];
};

}  // namespace vftrace::annotations

// A row of the array that the linker makes, aligned as its elements are.
#define VFTRACE_FUNCTION_ROW [[gnu::section("vftrace_functions"), gnu::used, gnu::aligned(8)]]
// Defines the function `name`, followed by its body, in which real_name is the real one.
#define VFTRACE_TOOL_FUNCTION(result, name, parameters)                                            \
    static result(*known_##name) parameters;                                                       \
    extern "C" [[gnu::visibility("default")]] result wrapped_##name parameters asm(#name);         \
    VFTRACE_FUNCTION_ROW static vftrace::AnnotationFunction row_##name = {                         \
        #name, reinterpret_cast<void*>(&wrapped_##name), reinterpret_cast<void**>(&known_##name)}; \
    result wrapped_##name parameters
// In the body: the real function.
#define VFTRACE_REAL(name) vftrace::annotations::real_function(known_##name, #name)
// In the body: where the program has called it.
#define VFTRACE_STACK vftrace::frame_address()
