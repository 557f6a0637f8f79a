#include "gpu/cupti.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "symbol/elf_file.hpp"
#include "symbol/visit_loaded.hpp"

namespace vftrace::cupti {
namespace {

struct Row {
    const char* name;
    std::size_t place;  // in Functions
    bool needed;
};
#define ROW(name, needed)                                                                          \
    { "cupti" #name, offsetof(Functions, name), needed }
constexpr Row rows[] = {ROW(Subscribe, true),
                        ROW(Unsubscribe, true),
                        ROW(EnableCallback, true),
                        ROW(EnableDomain, true),
                        ROW(GetCallbackName, true),
                        ROW(GetResultString, true),
                        ROW(GetTimestamp, true),
                        ROW(ActivityEnable, true),
                        ROW(ActivityRegisterCallbacks, true),
                        ROW(ActivityGetNextRecord, true),
                        ROW(ActivityGetNumDroppedRecords, true),
                        ROW(ActivityFlushAll, true),
                        ROW(ActivityFlushPeriod, false),
                        ROW(ActivityConfigureUnifiedMemoryCounter, false)};
#undef ROW

Functions functions;

// The CUDA libraries that the program has loaded.
struct Loaded {
    std::string runtime;  // path of libcudart.so.13
    bool driver = false;  // libcuda.so.1
    bool code = false;    // for GPUs, in a program or library
};

bool is_of_system(std::string_view path) {
    return path.starts_with("/lib") || path.starts_with("/usr/lib") || path.starts_with("[");
}

// CUDA's C compiler puts code for GPUs there, even if its library is linked statically.
bool has_gpu_code(const std::string& path) { return ElfFile(path).find_section(".nv_fatbin"); }

// Returns whether further libraries make no difference.
bool note_library(Loaded& loaded, const std::string& path) {
    const std::string_view name = base_name(path);
    if (name.starts_with("libcudart.so"))
        loaded.runtime = path;
    else if (name.starts_with("libcuda.so"))
        loaded.driver = true;
    else if (path.empty())
        loaded.code |= has_gpu_code("/proc/self/exe");
    else if (!is_of_system(path) && !name.starts_with("libvftrace"))
        loaded.code |= has_gpu_code(path);
    return loaded.driver && !loaded.runtime.empty();
}

Loaded loaded_libraries() {
    Loaded loaded;
    visit_loaded([&](const dl_phdr_info& information) {
        return note_library(loaded, information.dlpi_name);
    });
    return loaded;
}

// The folder that a file is in, with a slash at the end.
std::string folder_of(const std::string& path) {
    return path.substr(0, path.size() - base_name(path).size());
}

// Tries a file name in all places. The plain name comes first: it finds a library that the program
// has loaded itself, and what the user has put into the search path.
void* open_in_folders(const std::string& name, const std::string& runtime) {
    if (void* library = dlopen(name.c_str(), RTLD_LOCAL | RTLD_NOW))
        return library;
    std::string folders[12];
    std::size_t count = 0;
    if (const std::string own = folder_of(runtime); !own.empty())
        for (const char* way : {"", "../extras/CUPTI/lib64/", "../../cuda_cupti/lib/"})
            folders[count++] = own + way;
    for (const char* root : {const_cast<const char*>(std::getenv("CUDA_HOME")),
                             const_cast<const char*>(std::getenv("CUDA_PATH")), "/usr/local/cuda"})
        if (root && *root)
            for (const char* way : {"/extras/CUPTI/lib64/", "/lib64/"})
                folders[count++] = std::string(root) + way;
    for (std::size_t i = 0; i < count; i++)
        if (void* library = dlopen((folders[i] + name).c_str(), RTLD_LOCAL | RTLD_NOW))
            return library;
    return nullptr;
}

void* open_version(const Loaded& loaded) {
    // The CUPTI of CUDA 11 has a name for each minor version; the runtime library does not.
    static constexpr const char* versions[] = {"13",   "12",   "11.8", "11.7", "11.6", "11.5",
                                               "11.4", "11.3", "11.2", "11.1", "11.0"};
    const std::string_view runtime = base_name(loaded.runtime);
    const std::size_t at = runtime.find(".so.");
    const std::string_view wanted = at == runtime.npos ? "" : runtime.substr(at + 4, 2);
    // A newer one also works for programs that have an older runtime library.
    for (const bool of_wanted : {true, false})
        for (const char* version : versions)
            if (of_wanted == std::string_view(version).starts_with(wanted))
                if (void* library =
                        open_in_folders(std::string("libcupti.so.") + version, loaded.runtime))
                    return library;
    return nullptr;
}

}  // namespace

bool program_has_cuda() {
    const Loaded loaded = loaded_libraries();
    return loaded.driver || loaded.code || !loaded.runtime.empty();
}

const Functions* open_library(const char* named, const char*& why) {
    void* library =
        *named ? dlopen(named, RTLD_LOCAL | RTLD_NOW) : open_version(loaded_libraries());
    if (!library) {
        why = *named ? dlerror() : "libcupti.so was not found (see the option cuda.library)";
        return nullptr;
    }
    for (const Row& row : rows) {
        void* function = dlsym(library, row.name);
        if (!function && row.needed) {
            why = "this version of CUPTI is too old";
            dlclose(library);
            return nullptr;
        }
        std::memcpy(reinterpret_cast<char*>(&functions) + row.place, &function, sizeof function);
    }
    return &functions;
}

const char* text_of(const Functions& functions, Result result) {
    const char* text = nullptr;
    if (functions.GetResultString(result, &text) != success || !text)
        text = "unknown error";
    // CUPTI has tried to load the driver.
    void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver)
        dlclose(driver);
    static char line[128];
    std::snprintf(line, sizeof line, "CUPTI reports %s%s", text,
                  driver ? "" : "; the driver (libcuda.so.1) is not loaded");
    return line;
}

}  // namespace vftrace::cupti
