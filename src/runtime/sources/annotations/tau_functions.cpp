// The functions that the macros of TAU's Profile/TauAPI.h call, for C and C++ and for Fortran.
#include "annotations/tool_functions.hpp"

using namespace vftrace::annotations;

namespace {

constexpr Interface tau = Interface::tau;

void begins(const char* name, std::uintptr_t stack) { begin(tau, Role::region, name, stack); }
void ends(const char* name) { end(tau, Role::region, name); }

void timer_begins(const void* timer, std::uintptr_t stack) {
    begin(handle_of(tau, number_of(timer)), stack);
}
void timer_ends(const void* timer) { end(handle_of(tau, number_of(timer)), tau); }

}  // namespace

VFTRACE_TOOL_FUNCTION(void, Tau_start, (const char* name)) {
    call_real(VFTRACE_REAL(Tau_start), name);
    begins(name, VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, Tau_stop, (const char* name)) {
    ends(name);
    call_real(VFTRACE_REAL(Tau_stop), name);
}
// Of the calling thread, unless the thread's number is another one's.
VFTRACE_TOOL_FUNCTION(void, Tau_pure_start_task, (const char* name, int thread)) {
    call_real(VFTRACE_REAL(Tau_pure_start_task), name, thread);
    begins(name, VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, Tau_pure_stop_task, (const char* name, int thread)) {
    ends(name);
    call_real(VFTRACE_REAL(Tau_pure_stop_task), name, thread);
}
VFTRACE_TOOL_FUNCTION(void, Tau_static_phase_start, (const char* name)) {
    call_real(VFTRACE_REAL(Tau_static_phase_start), name);
    begin(tau, Role::phase, name, VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, Tau_static_phase_stop, (const char* name)) {
    end(tau, Role::phase, name);
    call_real(VFTRACE_REAL(Tau_static_phase_stop), name);
}
VFTRACE_TOOL_FUNCTION(void, Tau_profile_c_timer,
                      (void** timer, const char* name, const char* type, std::uint64_t group,
                       const char* group_name)) {
    call_real(VFTRACE_REAL(Tau_profile_c_timer), timer, name, type, group, group_name);
    handle_in(timer, tau, Role::region, name);
}
VFTRACE_TOOL_FUNCTION(void, Tau_lite_start_timer, (void* timer, int phase)) {
    call_real(VFTRACE_REAL(Tau_lite_start_timer), timer, phase);
    timer_begins(timer, VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, Tau_lite_stop_timer, (void* timer)) {
    timer_ends(timer);
    call_real(VFTRACE_REAL(Tau_lite_stop_timer), timer);
}
VFTRACE_TOOL_FUNCTION(void, Tau_start_timer, (void* timer, int phase, int thread)) {
    call_real(VFTRACE_REAL(Tau_start_timer), timer, phase, thread);
    timer_begins(timer, VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(int, Tau_stop_timer, (void* timer, int thread)) {
    timer_ends(timer);
    return call_real(VFTRACE_REAL(Tau_stop_timer), 0, timer, thread);
}

// Events of the user, with values.
VFTRACE_TOOL_FUNCTION(void*, Tau_get_userevent, (const char* name)) {
    const auto real = VFTRACE_REAL(Tau_get_userevent);
    return known_as(new_handle(tau, Role::counter, name), real,
                    call_real(real, static_cast<void*>(nullptr), name));
}
VFTRACE_TOOL_FUNCTION(void, Tau_userevent, (void* event, double number)) {
    call_real(VFTRACE_REAL(Tau_userevent), event, number);
    value(handle_of(tau, number_of(event)), number);
}
VFTRACE_TOOL_FUNCTION(void, Tau_trigger_context_event, (const char* name, double number)) {
    call_real(VFTRACE_REAL(Tau_trigger_context_event), name, number);
    value(tau, name, number);
}
VFTRACE_TOOL_FUNCTION(void, Tau_metadata, (const char* name, const char* text)) {
    call_real(VFTRACE_REAL(Tau_metadata), name, text);
    metadata(tau, name, text);
}
VFTRACE_TOOL_FUNCTION(void, Tau_enable_instrumentation, ()) {
    call_real(VFTRACE_REAL(Tau_enable_instrumentation));
    resume(tau, __builtin_return_address(0), VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, Tau_disable_instrumentation, ()) {
    pause(tau, VFTRACE_STACK);
    call_real(VFTRACE_REAL(Tau_disable_instrumentation));
}

// For Fortran: compilers add no, one or two underscores.
#define VFTRACE_FORTRAN(suffix)                                                                    \
    VFTRACE_TOOL_FUNCTION(void, tau_start##suffix, (const char* name, int length)) {               \
        call_real(VFTRACE_REAL(tau_start##suffix), name, length);                                  \
        begins(FortranText(name, length), VFTRACE_STACK);                                          \
    }                                                                                              \
    VFTRACE_TOOL_FUNCTION(void, tau_stop##suffix, (const char* name, int length)) {                \
        ends(FortranText(name, length));                                                           \
        call_real(VFTRACE_REAL(tau_stop##suffix), name, length);                                   \
    }                                                                                              \
    VFTRACE_TOOL_FUNCTION(void, tau_profile_timer##suffix,                                         \
                          (void** timer, const char* name, int length)) {                          \
        call_real(VFTRACE_REAL(tau_profile_timer##suffix), timer, name, length);                   \
        handle_in(timer, tau, Role::region, FortranText(name, length));                            \
    }                                                                                              \
    VFTRACE_TOOL_FUNCTION(void, tau_phase_create_static##suffix,                                   \
                          (void** timer, const char* name, int length)) {                          \
        call_real(VFTRACE_REAL(tau_phase_create_static##suffix), timer, name, length);             \
        handle_in(timer, tau, Role::phase, FortranText(name, length));                             \
    }                                                                                              \
    VFTRACE_TIMER(tau_profile_start##suffix, tau_profile_stop##suffix)                             \
    VFTRACE_TIMER(tau_phase_start##suffix, tau_phase_stop##suffix)
#define VFTRACE_TIMER(start, stop)                                                                 \
    VFTRACE_TOOL_FUNCTION(void, start, (void** timer)) {                                           \
        call_real(VFTRACE_REAL(start), timer);                                                     \
        timer_begins(timer ? *timer : nullptr, VFTRACE_STACK);                                     \
    }                                                                                              \
    VFTRACE_TOOL_FUNCTION(void, stop, (void** timer)) {                                            \
        timer_ends(timer ? *timer : nullptr);                                                      \
        call_real(VFTRACE_REAL(stop), timer);                                                      \
    }
VFTRACE_FORTRAN()
VFTRACE_FORTRAN(_)
VFTRACE_FORTRAN(__)
#undef VFTRACE_FORTRAN
#undef VFTRACE_TIMER
