// The public functions of vftrace.h for the report of regions: hints and epochs.
#include "base/message.hpp"
#include "guest/frame_address.hpp"
#include "regions/region_markup.hpp"
#include "vftrace.h"

using namespace vftrace;

#define VFTRACE_API extern "C" [[gnu::visibility("default")]]

VFTRACE_API void vftrace_region_hint(const char* name, enum vftrace_hint hint) {
    const std::optional<RegionHint> said = hint_of_number(static_cast<std::uint64_t>(hint));
    if (!name || !said) {
        VFTRACE_MESSAGE_ONCE("vftrace_region_hint(\"%.200s\", %d): %s; ignored (reported once)",
                             name ? name : "", static_cast<int>(hint),
                             name ? "unknown hint" : "the name is a null pointer");
        return;
    }
    say_region_hint(name, *said, frame_address());
}

VFTRACE_API void vftrace_epoch(void) { begin_epoch_here(); }
