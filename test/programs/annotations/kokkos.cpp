// Drives a tool for Kokkos as Kokkos 4 does: opens the first library of KOKKOS_TOOLS_LIBS and calls
// each of its functions. Counts the fences for which a tool asks.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

struct SpaceHandle {
    char name[64];
};
struct Settings {
    bool requires_global_fencing;
    bool padding[255];
};
struct Programming {
    void (*functions[32])();
};

static volatile double sum;
__attribute__((noinline)) void work() {
    for (int i = 1; i < 200000; i++)
        sum += 1.0 / i;
}

static int fences;
static void fence(std::uint32_t) { fences++; }
static void* tool;
template <class... Parameters, class... Arguments>
static void call(void (*)(Parameters...), const char* name, Arguments... arguments) {
    if (void* found = tool ? dlsym(tool, (std::string("kokkosp_") + name).c_str()) : nullptr)
        reinterpret_cast<void (*)(Parameters...)>(found)(arguments...);
}
using Begin = void(const char*, std::uint32_t, std::uint64_t*);
using End = void(std::uint64_t);

static void kernel(const char* what, const char* label, std::uint32_t device) {
    std::uint64_t id = 0;
    call(static_cast<Begin*>(nullptr), (std::string("begin_") + what).c_str(), label, device, &id);
    work();
    call(static_cast<End*>(nullptr), (std::string("end_") + what).c_str(), id);
}

int main() {
    const char* list = std::getenv("KOKKOS_TOOLS_LIBS");
    std::string first = list ? list : "";
    first = first.substr(0, first.find(';'));
    if (!first.empty() && !(tool = dlopen(first.c_str(), RTLD_NOW | RTLD_GLOBAL)))
        std::printf("%s\n", dlerror());
    constexpr std::uint32_t openmp = 1u << 24, cuda = 2u << 24;
    Settings settings;
    std::memset(&settings, 1, sizeof settings);
    call(static_cast<void (*)(int, std::uint64_t, std::uint32_t, void*)>(nullptr), "init_library",
         0, std::uint64_t{20240906}, std::uint32_t{0}, static_cast<void*>(nullptr));
    call(static_cast<void (*)(std::uint32_t, Settings*)>(nullptr), "request_tool_settings", 1u,
         &settings);
    Programming programming{};
    programming.functions[0] = reinterpret_cast<void (*)()>(&fence);
    call(static_cast<void (*)(std::uint32_t, Programming)>(nullptr),
         "provide_tool_programming_interface", 1u, programming);
    if (tool && settings.requires_global_fencing)
        fences++;
    call(static_cast<void (*)(const char*, const char*)>(nullptr), "declare_metadata", "version",
         "40700");
    call(static_cast<void (*)(const char*)>(nullptr), "push_profile_region", "outer");
    for (int i = 0; i < 3; i++)
        kernel("parallel_for", "axpy", openmp);
    kernel("parallel_reduce", "dot", cuda);
    kernel("parallel_scan", "Z4mainEUliE_", 0);
    std::uint64_t id = 0;
    call(static_cast<Begin*>(nullptr), "begin_fence", "Kokkos::fence", openmp, &id);
    call(static_cast<End*>(nullptr), "end_fence", id);
    SpaceHandle host{"Host"}, device{"Cuda"};
    const char block[8] = {};
    using Allocate = void(SpaceHandle, const char*, const void*, std::uint64_t);
    call(static_cast<Allocate*>(nullptr), "allocate_data", device, "u", block,
         std::uint64_t{3 << 20});
    call(static_cast<Allocate*>(nullptr), "allocate_data", device, "u", block,
         std::uint64_t{1 << 20});
    call(static_cast<void (*)(SpaceHandle, const char*, const void*, SpaceHandle, const char*,
                              const void*, std::uint64_t)>(nullptr),
         "begin_deep_copy", device, "u", block, host, "v", block, std::uint64_t{1 << 20});
    work();
    call(static_cast<void (*)()>(nullptr), "end_deep_copy");
    call(static_cast<Allocate*>(nullptr), "deallocate_data", device, "u", block,
         std::uint64_t{3 << 20});
    std::uint32_t sections[2];
    call(static_cast<void (*)(const char*, std::uint32_t*)>(nullptr), "create_profile_section",
         "assembly", &sections[0]);
    call(static_cast<void (*)(const char*, std::uint32_t*)>(nullptr), "create_profile_section",
         "halo", &sections[1]);
    call(static_cast<void (*)(std::uint32_t)>(nullptr), "start_profile_section", sections[0]);
    call(static_cast<void (*)(std::uint32_t)>(nullptr), "start_profile_section", sections[1]);
    work();
    call(static_cast<void (*)(std::uint32_t)>(nullptr), "stop_profile_section", sections[0]);
    call(static_cast<void (*)(std::uint32_t)>(nullptr), "stop_profile_section", sections[1]);
    call(static_cast<void (*)(const char*)>(nullptr), "profile_event", "half");
    call(static_cast<void (*)()>(nullptr), "pop_profile_region");
    call(static_cast<void (*)()>(nullptr), "finalize_library");
    std::printf("fences %d\n", fences);
    return 3;
}
