// A tool for Kokkos (https://github.com/kokkos/kokkos-tools/wiki): Kokkos opens the first library
// of KOKKOS_TOOLS_LIBS, or of KOKKOS_PROFILE_LIBRARY in older versions, which `vftrace run` sets,
// and calls these functions of it. Further libraries that are named there get every call from us.
//
// The numbers that identify kernels are those of the next library, if there is one. We do not need
// them: kernels end in the reverse order of their beginnings, on the thread that has begun them.
#include "annotations/tool_functions.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <iterator>
#include <link.h>

using namespace vftrace::annotations;

namespace {

constexpr Interface kokkos = Interface::kokkos;

struct SpaceHandle {
    char name[64];
};
struct ToolSettings {
    bool requires_global_fencing;
    bool padding[255];
};
struct ProgrammingInterface {
    void (*functions[32])();
};
// Of a kernel library; passed on as it is.
struct DeviceInfo;

// The next library; nullptr: there is none.
void* next_tool() {
    static void* opened;
    static bool is_known;
    if (__atomic_load_n(&is_known, __ATOMIC_ACQUIRE))
        return opened;
    const char* const list = std::getenv("KOKKOS_PROFILE_LIBRARY");
    const char* others = list ? std::strchr(list, ';') : nullptr;
    if (!others) {
        const char* const newer = std::getenv("KOKKOS_TOOLS_LIBS");
        others = newer ? std::strchr(newer, ';') : nullptr;
    }
    if (others && others[1]) {
        const char* const first = others + 1;
        const char* const last = std::strchr(first, ';');
        char* const name =
            last ? strndup(first, static_cast<std::size_t>(last - first)) : strdup(first);
        if (name)
            opened = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (name && !opened)
            fprintf(stderr, "vftrace: KOKKOS_TOOLS_LIBS: %s\n", dlerror());
        std::free(name);
    }
    __atomic_store_n(&is_known, true, __ATOMIC_RELEASE);
    return opened;
}

void* find_in_next_tool(const char* name) {
    void* const tool = next_tool();
    return tool ? dlsym(tool, name) : nullptr;
}
// The next library's function.
template <class Function>
Function next_function(Function& known, const char* name) {
    return found_once(known, name, find_in_next_tool);
}

// Whether a text is in the read-only data of the file that contains the address.
bool file_contains(const void* address, const char* text) {
    struct Search {
        const void* base;
        const char* text;
        bool found;
    } search = {nullptr, text, false};
    Dl_info place;
    if (!dladdr(address, &place))
        return false;
    search.base = place.dli_fbase;
    dl_iterate_phdr(
        [](dl_phdr_info* file, std::size_t, void* argument) {
            auto& wanted = *static_cast<Search*>(argument);
            bool is_file = false;
            for (int i = 0; i < file->dlpi_phnum; i++)
                if (const ElfW(Phdr)& segment = file->dlpi_phdr[i]; segment.p_type == PT_LOAD) {
                    const auto* const start =
                        reinterpret_cast<const char*>(file->dlpi_addr + segment.p_vaddr);
                    is_file |= segment.p_offset == 0 && start == wanted.base;
                    if (is_file && (segment.p_flags & (PF_R | PF_W)) == PF_R)
                        wanted.found |= memmem(start, segment.p_filesz, wanted.text,
                                               std::strlen(wanted.text)) != nullptr;
                }
            return static_cast<int>(is_file);
        },
        &search);
    return search.found;
}

// Kokkos before 3.7 only knows the older variable, which later versions warn about.
[[gnu::constructor(102)]] void name_tool_for_older_kokkos() {
    constexpr const char* variable = "KOKKOS_TOOLS_LIBS";
    constexpr const char* older_variable = "KOKKOS_PROFILE_LIBRARY";
    const char* const tools = std::getenv(variable);
    // A function that all versions have.
    const void* const kokkos_core = dlsym(RTLD_DEFAULT, "_ZN6Kokkos5Tools20profileLibraryLoadedEv");
    if (!tools || !kokkos_core || file_contains(kokkos_core, variable))
        return;
    const char* const others = std::getenv(older_variable);
    if (!others || !*others) {
        setenv(older_variable, tools, 1);
        return;
    }
    // Another tool is kept, behind ours.
    const std::size_t own = std::strcspn(tools, ";");
    if (std::strncmp(others, tools, own) == 0)
        return;
    char* list = nullptr;
    if (asprintf(&list, "%.*s;%s", static_cast<int>(own), tools, others) > 0)
        setenv(older_variable, list, 1);
    std::free(list);
}

// Names of DeviceType, in the order of its numbers (Kokkos_Profiling_Interface.hpp), which are the
// highest byte of a device's number.
const char* space_of(std::uint32_t device) {
    constexpr const char* names[] = {"Serial", "OpenMP",  "Cuda", "HIP",    "OpenMPTarget",
                                     "HPX",    "Threads", "SYCL", "OpenACC"};
    constexpr unsigned type_shift = 24;
    const std::uint32_t type = device >> type_shift;
    return type < std::size(names) ? names[type] : "";
}

std::uint64_t kernels_begun;

// Sections, which may overlap: names by their numbers.
constexpr std::uint32_t most_sections = 4096;
char* sections[most_sections];
std::uint32_t sections_made;

const char* name_of_section(std::uint32_t id) {
    return id < most_sections ? __atomic_load_n(&sections[id], __ATOMIC_ACQUIRE) : nullptr;
}

void kernel_begins(Role role, const char* name, std::uint32_t device, std::uint64_t* id,
                   bool has_id, std::uintptr_t stack) {
    if (id && !has_id)
        *id = __atomic_fetch_add(&kernels_begun, std::uint64_t{1}, __ATOMIC_RELAXED);
    begin(kokkos, role, name, stack, space_of(device));
}

}  // namespace

// Defines a function that Kokkos looks for. In its body VFTRACE_NEXT() calls that of the next tool.
#define VFTRACE_KOKKOS(name, parameters)                                                           \
    static void(*next_##name) parameters;                                                          \
    extern "C" [[gnu::visibility("default")]] void name parameters;                                \
    void name parameters
#define VFTRACE_NEXT(name, ...)                                                                    \
    if (const auto next = next_function(next_##name, #name))                                       \
    next(__VA_ARGS__)

VFTRACE_KOKKOS(kokkosp_init_library, (int sequence, std::uint64_t version, std::uint32_t devices,
                                      DeviceInfo* information)) {
    VFTRACE_NEXT(kokkosp_init_library, sequence, version, devices, information);
}
VFTRACE_KOKKOS(kokkosp_finalize_library, ()) { VFTRACE_NEXT(kokkosp_finalize_library); }
VFTRACE_KOKKOS(kokkosp_parse_args, (int count, char** arguments)) {
    VFTRACE_NEXT(kokkosp_parse_args, count, arguments);
}
VFTRACE_KOKKOS(kokkosp_print_help, (char* program)) { VFTRACE_NEXT(kokkosp_print_help, program); }
// We never ask for fences; the next tool may.
VFTRACE_KOKKOS(kokkosp_request_tool_settings, (std::uint32_t count, ToolSettings* settings)) {
    if (settings && count > 0)
        settings->requires_global_fencing = false;
    VFTRACE_NEXT(kokkosp_request_tool_settings, count, settings);
}
VFTRACE_KOKKOS(kokkosp_provide_tool_programming_interface,
               (std::uint32_t count, ProgrammingInterface functions)) {
    VFTRACE_NEXT(kokkosp_provide_tool_programming_interface, count, functions);
}

#define VFTRACE_KERNEL(begin_name, end_name, role)                                                 \
    VFTRACE_KOKKOS(begin_name, (const char* name, std::uint32_t device, std::uint64_t* id)) {      \
        const auto next = next_function(next_##begin_name, #begin_name);                           \
        if (next)                                                                                  \
            next(name, device, id);                                                                \
        kernel_begins(role, name, device, id, next, VFTRACE_STACK);                                \
    }                                                                                              \
    VFTRACE_KOKKOS(end_name, (std::uint64_t id)) {                                                 \
        end(kokkos, role, nullptr);                                                                \
        VFTRACE_NEXT(end_name, id);                                                                \
    }
VFTRACE_KERNEL(kokkosp_begin_parallel_for, kokkosp_end_parallel_for, Role::parallel_for)
VFTRACE_KERNEL(kokkosp_begin_parallel_reduce, kokkosp_end_parallel_reduce, Role::parallel_reduce)
VFTRACE_KERNEL(kokkosp_begin_parallel_scan, kokkosp_end_parallel_scan, Role::parallel_scan)
VFTRACE_KERNEL(kokkosp_begin_fence, kokkosp_end_fence, Role::fence)

VFTRACE_KOKKOS(kokkosp_push_profile_region, (const char* name)) {
    VFTRACE_NEXT(kokkosp_push_profile_region, name);
    begin(kokkos, Role::region, name, VFTRACE_STACK);
}
VFTRACE_KOKKOS(kokkosp_pop_profile_region, ()) {
    end(kokkos, Role::region, nullptr);
    VFTRACE_NEXT(kokkosp_pop_profile_region);
}

VFTRACE_KOKKOS(kokkosp_begin_deep_copy,
               (SpaceHandle to, const char* to_name, const void* to_pointer, SpaceHandle from,
                const char* from_name, const void* from_pointer, std::uint64_t bytes)) {
    VFTRACE_NEXT(kokkosp_begin_deep_copy, to, to_name, to_pointer, from, from_name, from_pointer,
                 bytes);
    if (!is_told())
        return;
    char spaces[2 * sizeof to.name + 8];
    snprintf(spaces, sizeof spaces, "%.63s to %.63s", from.name, to.name);
    char name[256];
    snprintf(name, sizeof name, "deep_copy %.100s from %.100s",
             to_name && *to_name ? to_name : "(unnamed)",
             from_name && *from_name ? from_name : "(unnamed)");
    const auto* const row = calls->name_of(kokkos, Role::deep_copy, name, spaces);
    calls->begin(row, VFTRACE_STACK);
    calls->happened(row, static_cast<std::int64_t>(bytes));
}
VFTRACE_KOKKOS(kokkosp_end_deep_copy, ()) {
    end(kokkos, Role::deep_copy, nullptr);
    VFTRACE_NEXT(kokkosp_end_deep_copy);
}

// Bytes by label and space.
VFTRACE_KOKKOS(kokkosp_allocate_data,
               (SpaceHandle space, const char* name, const void* pointer, std::uint64_t bytes)) {
    VFTRACE_NEXT(kokkosp_allocate_data, space, name, pointer, bytes);
    happened(kokkos, Role::allocation, name, static_cast<std::int64_t>(bytes), space.name);
}
VFTRACE_KOKKOS(kokkosp_deallocate_data,
               (SpaceHandle space, const char* name, const void* pointer, std::uint64_t bytes)) {
    VFTRACE_NEXT(kokkosp_deallocate_data, space, name, pointer, bytes);
    happened(kokkos, Role::allocation, name, -static_cast<std::int64_t>(bytes), space.name);
}

VFTRACE_KOKKOS(kokkosp_create_profile_section, (const char* name, std::uint32_t* id)) {
    const auto next =
        next_function(next_kokkosp_create_profile_section, "kokkosp_create_profile_section");
    if (next)
        next(name, id);
    else if (id)
        *id = __atomic_fetch_add(&sections_made, 1, __ATOMIC_RELAXED);
    if (id && *id < most_sections)
        __atomic_store_n(&sections[*id], strndup(name ? name : "", 255), __ATOMIC_RELEASE);
}
VFTRACE_KOKKOS(kokkosp_start_profile_section, (std::uint32_t id)) {
    VFTRACE_NEXT(kokkosp_start_profile_section, id);
    begin_task({kokkos, {id}}, name_of_section(id));
}
VFTRACE_KOKKOS(kokkosp_stop_profile_section, (std::uint32_t id)) {
    end_task({kokkos, {id}});
    VFTRACE_NEXT(kokkosp_stop_profile_section, id);
}
VFTRACE_KOKKOS(kokkosp_destroy_profile_section, (std::uint32_t id)) {
    VFTRACE_NEXT(kokkosp_destroy_profile_section, id);
}
VFTRACE_KOKKOS(kokkosp_profile_event, (const char* name)) {
    VFTRACE_NEXT(kokkosp_profile_event, name);
    happened(kokkos, Role::marker, name);
}
VFTRACE_KOKKOS(kokkosp_declare_metadata, (const char* key, const char* text)) {
    VFTRACE_NEXT(kokkosp_declare_metadata, key, text);
    metadata(kokkos, key, text);
}
VFTRACE_KOKKOS(kokkosp_dual_view_sync, (const char* name, const void* pointer, bool to_device)) {
    VFTRACE_NEXT(kokkosp_dual_view_sync, name, pointer, to_device);
}
VFTRACE_KOKKOS(kokkosp_dual_view_modify, (const char* name, const void* pointer, bool on_device)) {
    VFTRACE_NEXT(kokkosp_dual_view_modify, name, pointer, on_device);
}
