// The functions that the macros of Score-P's SCOREP_User.h call.
#include "annotations/tool_functions.hpp"

using namespace vftrace::annotations;

namespace {

constexpr Interface scorep = Interface::scorep;

// What Score-P stores in variables of the program: the address of a region, the number of a metric.
using RegionHandle = void*;
using MetricHandle = std::uint32_t;
std::uint32_t metrics_made;  // without the library

// Of the words of SCOREP_User_Types.h; combinations are possible.
enum RegionType : std::uint32_t { common = 0, function = 1, loop = 2, dynamic = 4, phase = 8 };

Role role_of(std::uint32_t type) {
    return type & function ? Role::function
           : type & phase  ? Role::phase
           : type & loop   ? Role::loop
                           : Role::region;
}

}  // namespace

VFTRACE_TOOL_FUNCTION(void, SCOREP_User_RegionBegin,
                      (RegionHandle * handle, const char** last_file_name, std::uint32_t* last_file,
                       const char* name, std::uint32_t type, const char* file_name,
                       std::uint32_t line)) {
    call_real(VFTRACE_REAL(SCOREP_User_RegionBegin), handle, last_file_name, last_file, name, type,
              file_name, line);
    if (is_told())
        begin(handle_in(handle, scorep, role_of(type), name), VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, SCOREP_User_RegionEnd, (RegionHandle handle)) {
    end(handle_of(scorep, number_of(handle)), scorep);
    call_real(VFTRACE_REAL(SCOREP_User_RegionEnd), handle);
}
VFTRACE_TOOL_FUNCTION(void, SCOREP_User_RegionInit,
                      (RegionHandle * handle, const char** last_file_name, std::uint32_t* last_file,
                       const char* name, std::uint32_t type, const char* file_name,
                       std::uint32_t line)) {
    call_real(VFTRACE_REAL(SCOREP_User_RegionInit), handle, last_file_name, last_file, name, type,
              file_name, line);
    if (is_told())
        handle_in(handle, scorep, role_of(type), name);
}
VFTRACE_TOOL_FUNCTION(void, SCOREP_User_RegionEnter, (RegionHandle handle)) {
    call_real(VFTRACE_REAL(SCOREP_User_RegionEnter), handle);
    begin(handle_of(scorep, number_of(handle)), VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, SCOREP_User_RegionByNameBegin,
                      (const char* name, std::uint32_t type, const char* file_name,
                       std::uint32_t line)) {
    call_real(VFTRACE_REAL(SCOREP_User_RegionByNameBegin), name, type, file_name, line);
    begin(scorep, Role::region, name, VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, SCOREP_User_RegionByNameEnd, (const char* name)) {
    end(scorep, Role::region, name);
    call_real(VFTRACE_REAL(SCOREP_User_RegionByNameEnd), name);
}
VFTRACE_TOOL_FUNCTION(void, SCOREP_User_EnableRecording, ()) {
    call_real(VFTRACE_REAL(SCOREP_User_EnableRecording));
    resume(scorep, __builtin_return_address(0), VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, SCOREP_User_DisableRecording, ()) {
    pause(scorep, VFTRACE_STACK);
    call_real(VFTRACE_REAL(SCOREP_User_DisableRecording));
}
VFTRACE_TOOL_FUNCTION(bool, SCOREP_User_RecordingEnabled, ()) {
    return call_real(VFTRACE_REAL(SCOREP_User_RecordingEnabled), true);
}

// Parameters of a region, by which Score-P distinguishes its calls: values here.
#define VFTRACE_PARAMETER(name, type)                                                              \
    VFTRACE_TOOL_FUNCTION(void, name,                                                              \
                          (std::uint64_t * handle, const char* parameter, type number)) {          \
        call_real(VFTRACE_REAL(name), handle, parameter, number);                                  \
        value(scorep, parameter, static_cast<double>(number));                                     \
    }
VFTRACE_PARAMETER(SCOREP_User_ParameterInt64, std::int64_t)
VFTRACE_PARAMETER(SCOREP_User_ParameterUint64, std::uint64_t)
#undef VFTRACE_PARAMETER
VFTRACE_TOOL_FUNCTION(void, SCOREP_User_ParameterString,
                      (std::uint64_t * handle, const char* parameter, const char* text)) {
    call_real(VFTRACE_REAL(SCOREP_User_ParameterString), handle, parameter, text);
    metadata(scorep, parameter, text);
}

VFTRACE_TOOL_FUNCTION(void, SCOREP_User_InitMetric,
                      (MetricHandle * handle, const char* name, const char* unit,
                       std::uint32_t type, std::int8_t context, MetricHandle group)) {
    call_real(VFTRACE_REAL(SCOREP_User_InitMetric), handle, name, unit, type, context, group);
    if (!handle)
        return;
    if (*handle == 0)
        *handle = __atomic_add_fetch(&metrics_made, 1, __ATOMIC_RELAXED);
    set_handle(scorep, *handle, new_handle(scorep, Role::counter, name));
}
#define VFTRACE_METRIC_VALUE(name, type)                                                           \
    VFTRACE_TOOL_FUNCTION(void, name, (MetricHandle handle, type number)) {                        \
        call_real(VFTRACE_REAL(name), handle, number);                                             \
        value(handle_of(scorep, handle), static_cast<double>(number));                             \
    }
VFTRACE_METRIC_VALUE(SCOREP_User_TriggerMetricInt64, std::int64_t)
VFTRACE_METRIC_VALUE(SCOREP_User_TriggerMetricUint64, std::uint64_t)
VFTRACE_METRIC_VALUE(SCOREP_User_TriggerMetricDouble, double)
#undef VFTRACE_METRIC_VALUE
