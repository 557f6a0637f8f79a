// OpenACC's profiling interface: how vftrace is found by run-time libraries.
//
// NVIDIA's calls the acc_register_library() that it finds in the process. GCC's has a function of
// that name itself and calls the one of the library that ACC_PROFLIB names, as `vftrace run` has
// it do; in programs that are linked to us its acc_prof_register() is called instead.
#include "gpu/openacc.hpp"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <string_view>

#include "gpu/openacc_callbacks.hpp"
#include "gpu/openacc_events.hpp"
#include "tree/call_tree.hpp"

namespace vftrace {

OpenaccSettings openacc_settings;

namespace {

// Once a process: some libraries would call as often as was registered.
void register_callbacks(acc::Register add) {
    static bool done;
    if (__atomic_exchange_n(&done, true, __ATOMIC_ACQ_REL))
        return;
    for (const OpenaccEvent& event : openacc_events) {
        add(static_cast<std::int32_t>(event.number), on_openacc_event, acc::acc_reg);
        if (event.lasts)
            add(static_cast<std::int32_t>(event.number + 1), on_openacc_event, acc::acc_reg);
    }
}

bool is_system_library(std::string_view path) {
    return path.starts_with("/lib") || path.starts_with("/usr/lib") || path.starts_with("linux-") ||
           path.starts_with("[");
}

// Whether a program or library calls what GCC's compilers make of constructs. The names lie in
// memory, so that no file is read.
int calls_openacc(dl_phdr_info* object, std::size_t, void*) {
    if (is_system_library(object->dlpi_name))
        return 0;
    const char* names = nullptr;
    std::size_t bytes = 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const auto* entry =
            reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_STRTAB)
                names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
            else if (entry->d_tag == DT_STRSZ)
                bytes = entry->d_un.d_val;
        }
    }
    constexpr std::string_view prefix("\0GOACC_", 7);
    return reinterpret_cast<std::uintptr_t>(names) > object->dlpi_addr &&
           std::string_view(names, bytes).find(prefix) != std::string_view::npos;
}

}  // namespace

void start_openacc() {
    if (!openacc_settings.active)
        return;
    void* add = dlsym(RTLD_DEFAULT, "acc_prof_register");
    if (add && dl_iterate_phdr(calls_openacc, nullptr))
        register_callbacks(reinterpret_cast<acc::Register>(add));
}

}  // namespace vftrace

extern "C" [[gnu::visibility("default")]] void
acc_register_library(vftrace::acc::Register add, vftrace::acc::Register, void* (*)(const char*)) {
    vftrace::lifecycle_calls.first_event();
    if (vftrace::openacc_settings.active && add)
        vftrace::register_callbacks(add);
}
