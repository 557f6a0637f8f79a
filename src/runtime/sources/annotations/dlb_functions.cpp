// The monitoring regions of DLB (TALP), by its user guide (https://pm.bsc.es/ftp/dlb/doc).
#include "annotations/tool_functions.hpp"

#include <cstdlib>

using namespace vftrace::annotations;

namespace {

constexpr Interface dlb = Interface::dlb;
constexpr int succeeds = 0;

// What DLB's functions return: a structure that begins with the name. Later members of DLB's are
// zeros here.
struct Monitor {
    const char* name;
    char others[504];
};

}  // namespace

VFTRACE_TOOL_FUNCTION(void*, DLB_MonitoringRegionRegister, (const char* name)) {
    const auto real = VFTRACE_REAL(DLB_MonitoringRegionRegister);
    void* region = call_real(real, static_cast<void*>(nullptr), name);
    Handle* const handle = new_handle(dlb, Role::region, name);
    if (!real && handle) {
        auto* const made = static_cast<Monitor*>(std::calloc(1, sizeof(Monitor)));
        if (made)
            made->name = handle->text;
        region = made;
    }
    if (region && handle)
        set_handle(dlb, number_of(region), handle);
    return region;
}
VFTRACE_TOOL_FUNCTION(int, DLB_MonitoringRegionStart, (void* region)) {
    const int result = call_real(VFTRACE_REAL(DLB_MonitoringRegionStart), succeeds, region);
    begin(handle_of(dlb, number_of(region)), VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, DLB_MonitoringRegionStop, (void* region)) {
    end(handle_of(dlb, number_of(region)), dlb);
    return call_real(VFTRACE_REAL(DLB_MonitoringRegionStop), succeeds, region);
}
VFTRACE_TOOL_FUNCTION(int, DLB_MonitoringRegionReset, (void* region)) {
    return call_real(VFTRACE_REAL(DLB_MonitoringRegionReset), succeeds, region);
}
VFTRACE_TOOL_FUNCTION(int, DLB_MonitoringRegionReport, (const void* region)) {
    return call_real(VFTRACE_REAL(DLB_MonitoringRegionReport), succeeds, region);
}
