// The profiling interface of OpenACC run-time libraries, declared after chapter 5 of OpenACC 2.6,
// so that none of their headers is needed. A test compares this with <acc_prof.h> if it exists.
//
// Structures may be shorter than they are declared here, or longer: `valid_bytes` says how much of
// one is valid.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace::acc {

// The numbers of acc_event_t that are needed individually; record/openacc_events.hpp has all.
enum Event : std::int32_t {
    device_init_start = 1,
    alloc = 8,
    enqueue_upload_start = 20,
    enqueue_download_start = 22
};

// The values of acc_device_t that all libraries agree on; larger ones are GPUs and similar.
enum Device : std::int32_t { no_device = 0, default_device = 1, host_device = 2 };

struct ProfInfo {
    std::int32_t event_type;
    std::int32_t valid_bytes;
    std::int32_t version;
    std::int32_t device_type;
    std::int32_t device_number;
    std::int32_t thread_id;
    std::intptr_t async;
    std::intptr_t async_queue;
    const char* src_file;
    const char* func_name;
    std::int32_t line_no, end_line_no;
    std::int32_t func_line_no, func_end_line_no;
};

// For all kinds of events up to tool_info; the rest is for those about data.
struct EventInfo {
    std::int32_t event_type;
    std::int32_t valid_bytes;
    std::int32_t parent_construct;
    std::int32_t implicit;
    void* tool_info;  // the end of an event finds what its start has put there
    const char* var_name;
    std::size_t bytes;
};

// Whether a member of such a structure is valid.
template <class Info, class Member>
bool is_valid(const Info& info, Member Info::*member) {
    const auto end =
        reinterpret_cast<const char*>(&(info.*member) + 1) - reinterpret_cast<const char*>(&info);
    return info.valid_bytes >= end;
}
template <class Info, class Member>
Member valid_or(const Info& info, Member Info::*member, Member otherwise) {
    return is_valid(info, member) ? info.*member : otherwise;
}

using Callback = void (*)(ProfInfo* prof, EventInfo* event, const void* api);
// `how` is acc_reg, acc_toggle or acc_toggle_per_thread.
using Register = void (*)(std::int32_t event, Callback callback, std::int32_t how);
inline constexpr std::int32_t acc_reg = 0;

}  // namespace vftrace::acc
