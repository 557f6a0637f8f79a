// Functions with the names of GEOPM's (vftrace/geopm_prof.h), for programs that call those. If the
// program is linked with GEOPM's library, that is called too.
#include <bit>
#include <cerrno>
#include <cstdint>

#include <vftrace/geopm_prof.h>

#include "base/crc32.hpp"
#include "base/shared_table.hpp"
#include "guest/frame_address.hpp"
#include "guest/next_function.hpp"
#include "regions/region_markup.hpp"
#include "regions/region_progress.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/region_names.hpp"
#include "tree/slow_path.hpp"

using namespace vftrace;

namespace {

// What stands for a region in these functions: the real library's number, or else a similar one.
struct KnownRegion {
    std::uint64_t hash;  // the number itself
    KnownRegion* next;
    std::uintptr_t key;
    const ProcessRecord* process;  // of the key
};
SharedTable<KnownRegion, 1024> known_regions;
constexpr auto any = [](const KnownRegion&) { return true; };

// GEOPM 1 has a bit for each hint, in the order of their numbers from 1 on.
RegionHint hint_of(std::uint64_t geopm) {
    constexpr unsigned first_bit = 32;
    if (geopm >> first_bit != 0)
        geopm = static_cast<std::uint64_t>(std::countr_zero(geopm >> first_bit)) + 1;
    if (geopm == VFTRACE_GEOPM_HINT_SPIN)
        return RegionHint::spin;
    return geopm == VFTRACE_GEOPM_HINT_INACTIVE
               ? RegionHint::unset
               : hint_of_number(geopm).value_or(RegionHint::unknown);
}

void note_region(std::uint64_t id, const char* name) {
    ThreadState* state = recording_state_slowly();
    if (!state)
        return;
    SlowPath guard(*state, frame_address());
    const std::uintptr_t key = region_key(name, state->arena);
    if (!key)
        return;
    known_regions.find_or_add(id, any, [&] {
        auto* made = static_cast<KnownRegion*>(state->arena.allocate_small(sizeof(KnownRegion)));
        if (made) {
            made->key = key;
            made->process = process_record;
        }
        return made;
    });
}

// 0: its time is not recorded. In a child of fork the region gets a separate key.
std::uintptr_t key_of(ThreadState& state, const KnownRegion& known) {
    if (known.process == process_record)
        return known.key;
    SlowPath guard(state, frame_address());
    return region_key(region_name(known.key), state.arena);
}

int (*next_region)(const char*, std::uint64_t, std::uint64_t*);
int (*next_enter)(std::uint64_t);
int (*next_exit)(std::uint64_t);
int (*next_epoch)();
int (*next_overhead)(double);
int (*next_shutdown)();
int (*next_init)(std::uint32_t);
int (*next_init_loop)(int, int, std::size_t, std::size_t);
int (*next_post)();
int (*next_progress)(std::uint64_t, double);

}  // namespace

#define VFTRACE_API extern "C" [[gnu::visibility("default")]]

VFTRACE_API int geopm_prof_region(const char* region_name, std::uint64_t hint,
                                  std::uint64_t* region_id) {
    const auto real = next_function(next_region, "geopm_prof_region");
    if (!region_name || !region_id)
        return real ? real(region_name, hint, region_id) : EINVAL;
    const int result = real ? real(region_name, hint, region_id) : 0;
    if (!real)
        *region_id = crc32(region_name);
    if (result == 0) {
        note_region(*region_id, region_name);
        say_region_hint(region_name, hint_of(hint), frame_address());
    }
    return result;
}

VFTRACE_API int geopm_prof_enter(std::uint64_t region_id) {
    const KnownRegion* known = known_regions.find(region_id, any);
    if (ThreadState* state = known ? recording_state_slowly() : nullptr)
        if (const std::uintptr_t key = key_of(*state, *known))
            enter_slowly(state, {key, NodeKind::region, 0, 0, frame_address()});
    const auto real = next_function(next_enter, "geopm_prof_enter");
    return real ? real(region_id) : 0;
}

VFTRACE_API int geopm_prof_exit(std::uint64_t region_id) {
    const auto real = next_function(next_exit, "geopm_prof_exit");
    const int result = real ? real(region_id) : 0;
    note_progress();
    const KnownRegion* known = known_regions.find(region_id, any);
    if (ThreadState* state = known ? recording_state_slowly() : nullptr)
        if (const std::uintptr_t key = key_of(*state, *known))
            end_region(state, key);
    return result;
}

VFTRACE_API int geopm_prof_epoch(void) {
    begin_epoch_here();
    const auto real = next_function(next_epoch, "geopm_prof_epoch");
    return real ? real() : 0;
}

VFTRACE_API int geopm_prof_overhead(double overhead_sec) {
    const auto real = next_function(next_overhead, "geopm_prof_overhead");
    return real ? real(overhead_sec) : 0;
}

VFTRACE_API int geopm_prof_shutdown(void) {
    const auto real = next_function(next_shutdown, "geopm_prof_shutdown");
    return real ? real() : 0;
}

VFTRACE_API int geopm_prof_progress(std::uint64_t region_id, double fraction) {
    set_progress(fraction);
    const auto real = next_function(next_progress, "geopm_prof_progress");
    return real ? real(region_id, fraction) : 0;
}

VFTRACE_API int geopm_tprof_init(std::uint32_t num_work_unit) {
    set_work_units(num_work_unit, true);
    const auto real = next_function(next_init, "geopm_tprof_init");
    return real ? real(num_work_unit) : 0;
}

// Each thread calls it for its part of the same iterations.
VFTRACE_API int geopm_tprof_init_loop(int num_thread, int thread_idx, std::size_t num_iter,
                                      std::size_t chunk_size) {
    set_work_units(num_iter, thread_idx == 0);
    const auto real = next_function(next_init_loop, "geopm_tprof_init_loop");
    return real ? real(num_thread, thread_idx, num_iter, chunk_size) : 0;
}

VFTRACE_API int geopm_tprof_post(void) {
    add_done_unit();
    const auto real = next_function(next_post, "geopm_tprof_post");
    return real ? real() : 0;
}
