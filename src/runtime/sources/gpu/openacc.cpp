// OpenACC's profiling interface: how run-time libraries find vftrace.
//
// NVIDIA's calls the acc_register_library() that it finds in the process. GCC's has its own
// function of that name, and calls that of the library that ACC_PROFLIB names (`vftrace run` sets
// it); in programs that are linked to us, we call its acc_prof_register() instead.
#include "gpu/openacc.hpp"

#include <link.h>
#include <string_view>

#include "base/text.hpp"
#include "config/options.hpp"
#include "gpu/openacc_callbacks.hpp"
#include "record/openacc_events.hpp"
#include "tree/call_tree.hpp"
#include "tree/source.hpp"

// GCC's library, to which all programs with OpenMP are linked, has it; else it is nullptr.
extern "C" [[gnu::weak]] void acc_prof_register(std::int32_t event, vftrace::acc::Callback callback,
                                                std::int32_t how);

namespace vftrace {

OpenaccSettings openacc_settings;

namespace {

// Once per process, because libraries call a callback once for each of its registrations.
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

// The run-time library itself also has the names.
bool is_no_part_of_program(std::string_view path) {
    return base_name(path).starts_with("libgomp.") || path.starts_with("/lib") ||
           path.starts_with("/usr/lib") || path.starts_with("linux-") || path.starts_with("[");
}

// Whether a program or library calls the functions that GCC's compilers generate for constructs.
// The names are in memory, so no file is read.
int calls_openacc(dl_phdr_info* object, std::size_t, void*) {
    if (is_no_part_of_program(object->dlpi_name))
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
    if (!names)
        return 0;
    // Some systems leave the address as it is in the file.
    if (reinterpret_cast<std::uintptr_t>(names) < object->dlpi_addr)
        names += object->dlpi_addr;
    constexpr std::string_view prefix("\0GOACC_", 7);
    return std::string_view(names, bytes).find(prefix) != std::string_view::npos;
}

// main() is about to be called: checks whether the program has OpenACC, of which the run-time
// library has not called acc_register_library() by itself.
void begin() {
    if (openacc_settings.active && acc_prof_register && dl_iterate_phdr(calls_openacc, nullptr))
        register_callbacks(acc_prof_register);
}

}  // namespace

constexpr Source openacc_source = {
    .prepare = [](const Options& options) { openacc_settings.active = options.openacc_active; },
    .begin = begin};

}  // namespace vftrace

extern "C" [[gnu::visibility("default")]] void
acc_register_library(vftrace::acc::Register add, vftrace::acc::Register, void* (*)(const char*)) {
    vftrace::lifecycle_calls.first_event();
    if (vftrace::openacc_settings.active && add)
        vftrace::register_callbacks(add);
}
