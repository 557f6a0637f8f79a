// Compares src/runtime/sources/gpu/acc_prof_abi.hpp and openacc_events.hpp with the header of a
// compiler. To be compiled, not run.
#include <acc_prof.h>

#include <string_view>

#include "gpu/acc_prof_abi.hpp"
#include "record/openacc_events.hpp"

namespace abi = vftrace::acc;

#define SAME(type, field, ours)                                                                    \
    static_assert(offsetof(type, field) == offsetof(abi::ours, field) &&                           \
                      sizeof(type::field) == sizeof(abi::ours::field),                             \
                  #type "::" #field)
SAME(acc_prof_info, event_type, ProfInfo);
SAME(acc_prof_info, valid_bytes, ProfInfo);
SAME(acc_prof_info, version, ProfInfo);
SAME(acc_prof_info, device_type, ProfInfo);
SAME(acc_prof_info, device_number, ProfInfo);
SAME(acc_prof_info, thread_id, ProfInfo);
SAME(acc_prof_info, async, ProfInfo);
SAME(acc_prof_info, async_queue, ProfInfo);
SAME(acc_prof_info, src_file, ProfInfo);
SAME(acc_prof_info, func_name, ProfInfo);
SAME(acc_prof_info, line_no, ProfInfo);
SAME(acc_prof_info, end_line_no, ProfInfo);
SAME(acc_prof_info, func_line_no, ProfInfo);
SAME(acc_prof_info, func_end_line_no, ProfInfo);
static_assert(sizeof(acc_prof_info) == sizeof(abi::ProfInfo));

#define OF_ALL(type)                                                                               \
    SAME(type, event_type, EventInfo);                                                             \
    SAME(type, valid_bytes, EventInfo);                                                            \
    SAME(type, parent_construct, EventInfo);                                                       \
    SAME(type, implicit, EventInfo);                                                               \
    SAME(type, tool_info, EventInfo)
OF_ALL(acc_data_event_info);
OF_ALL(acc_launch_event_info);
OF_ALL(acc_other_event_info);
SAME(acc_data_event_info, var_name, EventInfo);
SAME(acc_data_event_info, bytes, EventInfo);

// Numbers: those of the table must have the names that the header gives them.
constexpr bool is_named(std::uint32_t number, const char* name) {
    const vftrace::OpenaccEvent* event = vftrace::openacc_event(number);
    return event && event->number == number && std::string_view(event->name) == name;
}
#define MOMENT(name)                                                                               \
    static_assert(is_named(acc_ev_##name, #name) && !vftrace::openacc_event(acc_ev_##name)->lasts)
#define PAIR(name)                                                                                 \
    static_assert(is_named(acc_ev_##name##_start, #name) &&                                        \
                  vftrace::openacc_event(acc_ev_##name##_start)->lasts &&                          \
                  acc_ev_##name##_end == acc_ev_##name##_start + 1)
MOMENT(create);
MOMENT(delete);
MOMENT(alloc);
MOMENT(free);
PAIR(device_init);
PAIR(device_shutdown);
PAIR(enter_data);
PAIR(exit_data);
PAIR(update);
PAIR(compute_construct);
PAIR(enqueue_launch);
PAIR(enqueue_upload);
PAIR(enqueue_download);
PAIR(wait);
static_assert(!vftrace::openacc_event(acc_ev_runtime_shutdown));

static_assert(abi::device_init_start == acc_ev_device_init_start + 0);
static_assert(abi::alloc == acc_ev_alloc + 0);
static_assert(abi::enqueue_upload_start == acc_ev_enqueue_upload_start + 0);
static_assert(abi::enqueue_download_start == acc_ev_enqueue_download_start + 0);
static_assert(abi::no_device == acc_device_none + 0);
static_assert(abi::default_device == acc_device_default + 0);
static_assert(abi::host_device == acc_device_host + 0);
static_assert(abi::acc_reg == acc_reg + 0);
