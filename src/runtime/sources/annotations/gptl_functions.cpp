// The functions of GPTL (General Purpose Timing Library), by their interface as its documentation
// has it (https://jmrosinski.github.io/GPTL). All return 0 if they succeed.
#include "annotations/tool_functions.hpp"

using namespace vftrace::annotations;

namespace {

constexpr Interface gptl = Interface::gptl;
constexpr int fails = -1;

// Between GPTLdisable() and GPTLenable() GPTL ignores its timers.
bool is_disabled;

void begins(const char* name, std::uintptr_t stack) {
    if (!__atomic_load_n(&is_disabled, __ATOMIC_RELAXED))
        begin(gptl, Role::region, name, stack);
}
void ends(const char* name) {
    if (!__atomic_load_n(&is_disabled, __ATOMIC_RELAXED))
        end(gptl, Role::region, name);
}

// Without the library.
int figures_of(const char* name, int* count, double* seconds) {
    std::uint64_t calls_so_far = 0;
    double time = 0;
    if (!is_told() || !calls->figures(gptl, name, calls_so_far, time))
        return fails;
    if (count)
        *count = static_cast<int>(calls_so_far);
    if (seconds)
        *seconds = time;
    return 0;
}

}  // namespace

VFTRACE_TOOL_FUNCTION(int, GPTLinitialize, ()) {
    return call_real(VFTRACE_REAL(GPTLinitialize), 0);
}
VFTRACE_TOOL_FUNCTION(int, GPTLfinalize, ()) { return call_real(VFTRACE_REAL(GPTLfinalize), 0); }
VFTRACE_TOOL_FUNCTION(int, GPTLsetoption, (int option, int value)) {
    return call_real(VFTRACE_REAL(GPTLsetoption), 0, option, value);
}
VFTRACE_TOOL_FUNCTION(int, GPTLsetutr, (int option)) {
    return call_real(VFTRACE_REAL(GPTLsetutr), 0, option);
}
VFTRACE_TOOL_FUNCTION(int, GPTLstart, (const char* name)) {
    const int result = call_real(VFTRACE_REAL(GPTLstart), 0, name);
    begins(name, VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, GPTLstop, (const char* name)) {
    ends(name);
    return call_real(VFTRACE_REAL(GPTLstop), 0, name);
}
VFTRACE_TOOL_FUNCTION(int, GPTLinit_handle, (const char* name, int* handle)) {
    return call_real(VFTRACE_REAL(GPTLinit_handle), 0, name, handle);
}
VFTRACE_TOOL_FUNCTION(int, GPTLstart_handle, (const char* name, int* handle)) {
    const int result = call_real(VFTRACE_REAL(GPTLstart_handle), 0, name, handle);
    begins(name, VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, GPTLstop_handle, (const char* name, int* handle)) {
    ends(name);
    return call_real(VFTRACE_REAL(GPTLstop_handle), 0, name, handle);
}
VFTRACE_TOOL_FUNCTION(int, GPTLenable, ()) {
    __atomic_store_n(&is_disabled, false, __ATOMIC_RELAXED);
    return call_real(VFTRACE_REAL(GPTLenable), 0);
}
VFTRACE_TOOL_FUNCTION(int, GPTLdisable, ()) {
    __atomic_store_n(&is_disabled, true, __ATOMIC_RELAXED);
    return call_real(VFTRACE_REAL(GPTLdisable), 0);
}
VFTRACE_TOOL_FUNCTION(int, GPTLreset, ()) { return call_real(VFTRACE_REAL(GPTLreset), 0); }
VFTRACE_TOOL_FUNCTION(int, GPTLpr, (int number)) {
    return call_real(VFTRACE_REAL(GPTLpr), 0, number);
}
VFTRACE_TOOL_FUNCTION(int, GPTLpr_file, (const char* file)) {
    return call_real(VFTRACE_REAL(GPTLpr_file), 0, file);
}
// The communicator is a number or an address, depending on the MPI library.
VFTRACE_TOOL_FUNCTION(int, GPTLpr_summary, (std::uintptr_t communicator)) {
    return call_real(VFTRACE_REAL(GPTLpr_summary), 0, communicator);
}
VFTRACE_TOOL_FUNCTION(int, GPTLget_wallclock, (const char* name, int thread, double* seconds)) {
    const auto real = VFTRACE_REAL(GPTLget_wallclock);
    return real ? call_real(real, 0, name, thread, seconds) : figures_of(name, nullptr, seconds);
}
VFTRACE_TOOL_FUNCTION(int, GPTLget_count, (const char* name, int thread, int* count)) {
    const auto real = VFTRACE_REAL(GPTLget_count);
    return real ? call_real(real, 0, name, thread, count) : figures_of(name, count, nullptr);
}

// For Fortran.
VFTRACE_TOOL_FUNCTION(int, gptlinitialize_, ()) {
    return call_real(VFTRACE_REAL(gptlinitialize_), 0);
}
VFTRACE_TOOL_FUNCTION(int, gptlfinalize_, ()) { return call_real(VFTRACE_REAL(gptlfinalize_), 0); }
VFTRACE_TOOL_FUNCTION(int, gptlsetoption_, (int* option, int* value)) {
    return call_real(VFTRACE_REAL(gptlsetoption_), 0, option, value);
}
VFTRACE_TOOL_FUNCTION(int, gptlpr_, (int* number)) {
    return call_real(VFTRACE_REAL(gptlpr_), 0, number);
}
VFTRACE_TOOL_FUNCTION(int, gptlstart_, (const char* name, int length)) {
    const int result = call_real(VFTRACE_REAL(gptlstart_), 0, name, length);
    begins(FortranText(name, length), VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, gptlstop_, (const char* name, int length)) {
    ends(FortranText(name, length));
    return call_real(VFTRACE_REAL(gptlstop_), 0, name, length);
}
VFTRACE_TOOL_FUNCTION(int, gptlinit_handle_, (const char* name, int* handle, int length)) {
    return call_real(VFTRACE_REAL(gptlinit_handle_), 0, name, handle, length);
}
VFTRACE_TOOL_FUNCTION(int, gptlstart_handle_, (const char* name, int* handle, int length)) {
    const int result = call_real(VFTRACE_REAL(gptlstart_handle_), 0, name, handle, length);
    begins(FortranText(name, length), VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, gptlstop_handle_, (const char* name, int* handle, int length)) {
    ends(FortranText(name, length));
    return call_real(VFTRACE_REAL(gptlstop_handle_), 0, name, handle, length);
}
VFTRACE_TOOL_FUNCTION(int, gptlenable_, ()) {
    __atomic_store_n(&is_disabled, false, __ATOMIC_RELAXED);
    return call_real(VFTRACE_REAL(gptlenable_), 0);
}
VFTRACE_TOOL_FUNCTION(int, gptldisable_, ()) {
    __atomic_store_n(&is_disabled, true, __ATOMIC_RELAXED);
    return call_real(VFTRACE_REAL(gptldisable_), 0);
}
