// Libraries that are unloaded: their addresses may be used for something else afterwards.
#include <dlfcn.h>
#include <link.h>

#include "guest/modules.hpp"
#include "guest/next_function.hpp"
#include "tree/registry.hpp"
#include "tree/upcalls.hpp"

using namespace vftrace;

namespace {

// Index of the library behind a handle of dlopen(), no_module if no call of it was recorded.
std::uint16_t module_of(void* handle) {
    link_map* closing = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &closing) != 0 || !closing || closing->l_addr == 0)
        return no_module;
    for (std::uint16_t i = 0; i < module_count(); i++)
        if (module(i).loaded && module(i).bias == closing->l_addr)
            return i;
    return no_module;
}

// Libraries that were loaded together with it may have been unloaded too.
void retire_missing_libraries() {
    while (true) {
        std::uint16_t gone = forget_unloaded_module();
        if (gone == no_module)
            return;
        retire_module(gone);
        if (overhead_calls)
            overhead_calls->forget(module(gone).start, module(gone).end);
    }
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int dlclose(void* handle) noexcept {
    static int (*known)(void*);
    const auto real = next_function(known, "dlclose");
    // Before the first path, in a forked child (where our locks may be held forever) and after the
    // end of the run there is nothing to protect.
    if (no_thread_state.ignore_events || is_new_child() || module_count() == 0)
        return real(handle);
    // Before the library is unloaded, its functions are removed from all trees: whatever is loaded
    // in its place starts new paths. If the library stays (because it is open elsewhere too), the
    // functions are put back.
    std::uint16_t closing = module_of(handle);
    if (closing != no_module)
        retire_module(closing);
    int result = real(handle);
    if (sampled_threads)
        sampled_threads->forget_code();
    retire_missing_libraries();
    if (closing != no_module && module(closing).loaded)
        restore_module(closing);
    return result;
}
