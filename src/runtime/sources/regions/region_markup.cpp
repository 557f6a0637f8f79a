#include "regions/region_markup.hpp"

#include <iterator>

#include "regions/thread_regions.hpp"
#include "tree/call_tree.hpp"
#include "tree/region_names.hpp"
#include "tree/slow_path.hpp"

namespace vftrace {

// In the order of the numbers, which are GEOPM's for its hints.
std::optional<RegionHint> hint_of_number(std::uint64_t number) {
    constexpr RegionHint hints[] = {RegionHint::unset,  RegionHint::unknown,  RegionHint::compute,
                                    RegionHint::memory, RegionHint::network,  RegionHint::io,
                                    RegionHint::serial, RegionHint::parallel, RegionHint::ignore,
                                    RegionHint::spin};
    if (number >= std::size(hints))
        return std::nullopt;
    return hints[number];
}

void say_region_hint(const char* name, RegionHint hint, std::uintptr_t stack) {
    ThreadState* state = recording_state_slowly();
    if (!state)
        return;
    SlowPath guard(*state, stack);
    const std::uintptr_t key = region_key(name, state->arena);
    if (key && region_hint(key) != hint)
        set_region_hint(key, hint);
}

void begin_epoch_here() {
    if (!region_calls)
        return;
    if (ThreadState* state = recording_state())
        begin_epoch(*state);
}

}  // namespace vftrace
