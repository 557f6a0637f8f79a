#include "heap/placed_blocks.hpp"

#include <algorithm>

#include "base/arena.hpp"
#include "base/relaxed.hpp"

namespace vftrace {
namespace {

constexpr std::uint32_t most_blocks = 1024;
constexpr std::size_t parts = 32;  // of a block

// Memory that a child of fork finds wiped. What belongs to a place is valid while its `begin` is
// not 0, and changes only while it is `taken`. A search is fast, because it reads only the begins
// and ends.
struct Blocks {
    std::uint32_t used;  // places that have been used; all others are free
    std::uintptr_t begin[most_blocks];
    std::uintptr_t end[most_blocks];
    const HeapSite* site[most_blocks];
    std::uint64_t monotonic_ns[most_blocks];
    const ThreadState* thread[most_blocks];
    std::uint16_t touched_on[most_blocks][parts];
};
constexpr std::uintptr_t taken = 1;  // not the address of a block
Blocks* blocks;

bool take(std::uintptr_t& begin) {
    std::uintptr_t is_free = 0;
    return relaxed(begin) == 0 && __atomic_compare_exchange_n(&begin, &is_free, taken, false,
                                                              __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

// most_blocks: none is free.
std::uint32_t take_place() {
    const std::uint32_t used = std::min(relaxed(blocks->used), most_blocks);
    for (std::uint32_t i = 0; i < used; i++)
        if (take(blocks->begin[i]))
            return i;
    const std::uint32_t next =
        used < most_blocks ? __atomic_fetch_add(&blocks->used, 1, __ATOMIC_RELAXED) : most_blocks;
    return next < most_blocks && take(blocks->begin[next]) ? next : most_blocks;
}

}  // namespace

bool prepare_placed_blocks() {
    blocks = static_cast<Blocks*>(map_memory_wiped_on_fork(sizeof(Blocks)));
    return blocks;
}

void add_placed_block(std::uintptr_t begin, std::size_t bytes, const HeapSite& site,
                      std::uint64_t monotonic_ns, const ThreadState* thread) {
    const std::uint32_t place = take_place();
    if (place == most_blocks)
        return;
    set_shared(blocks->end[place], begin + bytes);
    set_shared(blocks->site[place], &site);
    set_shared(blocks->monotonic_ns[place], monotonic_ns);
    set_shared(blocks->thread[place], thread);
    for (std::uint16_t& part : blocks->touched_on[place])
        set_shared(part, std::uint16_t{0});
    __atomic_store_n(&blocks->begin[place], begin, __ATOMIC_RELEASE);
}

void remove_placed_block(std::uintptr_t begin) {
    const std::uint32_t used = std::min(relaxed(blocks->used), most_blocks);
    for (std::uint32_t i = 0; i < used; i++)
        if (relaxed(blocks->begin[i]) == begin)
            return __atomic_store_n(&blocks->begin[i], std::uintptr_t{0}, __ATOMIC_RELEASE);
}

BlockPart part_of_block(std::uintptr_t address) {
    const std::uint32_t used = std::min(relaxed(blocks->used), most_blocks);
    for (std::uint32_t i = 0; i < used; i++) {
        const std::uintptr_t begin = __atomic_load_n(&blocks->begin[i], __ATOMIC_ACQUIRE);
        const std::uintptr_t end = relaxed(blocks->end[i]);
        if (begin <= taken || address < begin || address >= end)
            continue;
        const HeapSite* const site = relaxed(blocks->site[i]);
        const std::uint64_t monotonic_ns = relaxed(blocks->monotonic_ns[i]);
        const ThreadState* const thread = relaxed(blocks->thread[i]);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (relaxed(blocks->begin[i]) != begin)  // freed meanwhile, and perhaps another one now
            continue;
        const std::size_t bytes = (end - begin + parts - 1) / parts;
        return {site,  bytes,        &blocks->touched_on[i][(address - begin) / bytes],
                begin, monotonic_ns, thread};
    }
    return {};
}

}  // namespace vftrace
