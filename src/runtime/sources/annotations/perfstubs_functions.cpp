// The functions of a tool for PerfStubs (https://github.com/UO-OACISS/perfstubs), with which ADIOS2
// and PETSc are annotated. PerfStubs looks for ps_tool_initialize(), and prints that it has found
// it; without that function it does nothing.
#include "annotations/tool_functions.hpp"

using namespace vftrace::annotations;

namespace {

constexpr Interface perfstubs = Interface::perfstubs;

}  // namespace

// If there is another tool with these functions, which PerfStubs would find without us, it still
// gets the calls, and timers are its own.
#define VFTRACE_PASSED_ON(name, parameters, ...)                                                   \
    VFTRACE_TOOL_FUNCTION(void, name, parameters) { call_real(VFTRACE_REAL(name), ##__VA_ARGS__); }
VFTRACE_PASSED_ON(ps_tool_initialize, ())
VFTRACE_PASSED_ON(ps_tool_finalize, ())
VFTRACE_PASSED_ON(ps_tool_register_thread, ())
VFTRACE_PASSED_ON(ps_tool_dump_data, ())
#undef VFTRACE_PASSED_ON

VFTRACE_TOOL_FUNCTION(void, ps_tool_pause_measurement, ()) {
    pause(perfstubs, VFTRACE_STACK);
    call_real(VFTRACE_REAL(ps_tool_pause_measurement));
}
VFTRACE_TOOL_FUNCTION(void, ps_tool_resume_measurement, ()) {
    call_real(VFTRACE_REAL(ps_tool_resume_measurement));
    resume(perfstubs, __builtin_return_address(0), VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void*, ps_tool_timer_create, (const char* name)) {
    const auto real = VFTRACE_REAL(ps_tool_timer_create);
    return known_as(new_handle(perfstubs, Role::region, name), real,
                    call_real(real, static_cast<void*>(nullptr), name));
}
VFTRACE_TOOL_FUNCTION(void, ps_tool_timer_start, (void* timer)) {
    call_real(VFTRACE_REAL(ps_tool_timer_start), timer);
    begin(handle_of(perfstubs, number_of(timer)), VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, ps_tool_timer_stop, (void* timer)) {
    end(handle_of(perfstubs, number_of(timer)), perfstubs);
    call_real(VFTRACE_REAL(ps_tool_timer_stop), timer);
}
VFTRACE_TOOL_FUNCTION(void, ps_tool_start_string, (const char* name)) {
    call_real(VFTRACE_REAL(ps_tool_start_string), name);
    begin(perfstubs, Role::region, name, VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, ps_tool_stop_string, (const char* name)) {
    end(perfstubs, Role::region, name);
    call_real(VFTRACE_REAL(ps_tool_stop_string), name);
}
VFTRACE_TOOL_FUNCTION(void, ps_tool_stop_current, ()) {
    end(perfstubs, Role::region, nullptr);
    call_real(VFTRACE_REAL(ps_tool_stop_current));
}
VFTRACE_TOOL_FUNCTION(void, ps_tool_set_parameter, (const char* name, std::int64_t number)) {
    call_real(VFTRACE_REAL(ps_tool_set_parameter), name, number);
    value(perfstubs, name, static_cast<double>(number));
}
// A phase of which there are many, with its number.
VFTRACE_TOOL_FUNCTION(void, ps_tool_dynamic_phase_start, (const char* name, int index)) {
    call_real(VFTRACE_REAL(ps_tool_dynamic_phase_start), name, index);
    begin(perfstubs, Role::phase, name, VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, ps_tool_dynamic_phase_stop, (const char* name, int index)) {
    end(perfstubs, Role::phase, name);
    call_real(VFTRACE_REAL(ps_tool_dynamic_phase_stop), name, index);
}
VFTRACE_TOOL_FUNCTION(void*, ps_tool_create_counter, (const char* name)) {
    const auto real = VFTRACE_REAL(ps_tool_create_counter);
    return known_as(new_handle(perfstubs, Role::counter, name), real,
                    call_real(real, static_cast<void*>(nullptr), name));
}
VFTRACE_TOOL_FUNCTION(void, ps_tool_sample_counter, (void* counter, double number)) {
    call_real(VFTRACE_REAL(ps_tool_sample_counter), counter, number);
    value(handle_of(perfstubs, number_of(counter)), number);
}
VFTRACE_TOOL_FUNCTION(void, ps_tool_set_metadata, (const char* name, const char* text)) {
    call_real(VFTRACE_REAL(ps_tool_set_metadata), name, text);
    metadata(perfstubs, name, text);
}
