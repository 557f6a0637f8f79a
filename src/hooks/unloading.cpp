// Libraries that are unloaded: their addresses may mean something else afterwards.
#include <dlfcn.h>
#include <link.h>

#include "symbol/modules.hpp"
#include "tree/registry.hpp"

using namespace vftrace;

// Before the library goes, its functions are taken out of all trees: whatever is loaded at its
// place starts paths of its own. If it stays (somebody else has it open too), its next calls find
// their old nodes again.
extern "C" [[gnu::visibility("default")]] int dlclose(void* handle) noexcept {
    static int (*real)(void*) = nullptr;
    if (!real)
        real = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_NEXT, "dlclose"));
    link_map* closing = nullptr;
    if (module_count() && dlinfo(handle, RTLD_DI_LINKMAP, &closing) == 0 && closing)
        for (std::uint16_t i = 0; i < module_count(); i++)
            if (module(i).loaded && module(i).bias == closing->l_addr && module(i).bias != 0)
                retire_module(i);
    int result = real(handle);
    // What it brought along may have gone with it.
    std::uint16_t count = module_count();
    for (std::uint16_t i = 0; i < count; i++) {
        bool was_loaded = module(i).loaded;
        refresh_module_map();
        if (was_loaded && !module(i).loaded)
            retire_module(i);
    }
    return result;
}
