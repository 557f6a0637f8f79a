// The page in which the ranks of a host publish the current regions of their threads, for the rank
// that reads it (doc/design/region-report.md).
//
//   RegionPage: creator | processes | slots, one for each thread that was ever in a region
//
// It is shared memory named after job and user; a process that was not started by a launcher has a
// separate one. A slot is written by its thread, the rest by atomic operations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tree/region_place.hpp"

namespace vftrace {

inline constexpr std::size_t most_processes = 1024, most_slots = 8192;

struct RegionPage {
    char magic[8];
    std::uint32_t bytes;  // sizeof(RegionPage); distinguishes versions
    std::uint32_t ready;  // the maker has filled in what follows
    std::int64_t maker;   // process number
    std::uint64_t maker_start;
    std::uint64_t namespace_of_pids;  // inode; these process numbers belong to it
    std::uint32_t sampler;            // index of the process that reads, + 1; 0: none so far
    std::uint32_t slots_used;
    struct Process {
        std::int64_t pid;      // 0: none
        std::uint64_t start;   // process_start(); 0: it has ended
        std::uint64_t epochs;  // that it has begun
    } processes[most_processes];
    PublishedPlace slots[most_slots];
};

// The page of this process, and the process's index there.
struct OwnPage {
    RegionPage* page = nullptr;  // nullptr: there is none
    std::uint32_t process = 0;
    RegionPage::Process& entry() const { return page->processes[process]; }
};

// Makes or joins the page. `page` is nullptr if that is not possible: then a message has been
// written. To be called in run_guarded().
OwnPage open_region_page();

// To be called when the process ends, as far as its regions are concerned. Removes the page if no
// other process uses it.
void leave_region_page(const OwnPage& own);

// Makes this process the one that reads, unless another one does. Returns whether it is. Uses only
// system calls.
bool take_over_sampling(const OwnPage& own);

// A free slot for a thread of this process; nullptr if there is none.
PublishedPlace* take_slot(const OwnPage& own, std::uint32_t thread);
void free_slot(PublishedPlace& slot);
// Frees all slots of a process that is dead or has ended.
void free_slots(RegionPage& page, std::uint32_t process);

}  // namespace vftrace
