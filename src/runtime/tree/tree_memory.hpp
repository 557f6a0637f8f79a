// The memory that trees live in: a file that outlives the process, or plain memory.
//
// Pieces of the file are written when they are allocated, so that a full disk is noticed here and
// not by a later SIGBUS; if the file cannot grow, anonymous memory is used and the record is marked
// `incomplete`. No descriptor is kept open: programs close those that they do not know. All
// functions use only system calls and may be called in signal handlers.
#pragma once

#include <algorithm>
#include <cstddef>

#include "record/process_record.hpp"

namespace vftrace {

struct TreeFileSettings {
    bool active = true;
    const char* directory = nullptr;  // nullptr: the first local one of $TMPDIR, /tmp, /dev/shm
};

// Creates process_record, in a file if that is wanted and possible. Returns false without memory.
// When called again in a child of fork, it creates a new record and leaves the old one alone.
bool start_tree_memory(const TreeFileSettings& settings);

// The name of the file; nullptr if there is none.
const char* tree_file_path();

// Removes the file; mapped pieces stay usable.
void remove_tree_file();
// Makes another user its owner, if this process may do that. Async-signal-safe.
void give_tree_file_to(uid_t user);

// Zeroed memory of whole pages, or nullptr. A MemorySource.
void* map_tree_memory(std::size_t bytes);

// The program is about to limit its system calls: takes `bytes` of the file, from which memory will
// come then.
void take_last_tree_memory(std::size_t bytes);

// Adds an item to a list of the record. Returns false without memory. One thread at a time; the
// items' previous location stays readable.
template <class Item>
bool append(RecordList<Item>& list, const Item& item) {
    if (list.count == list.room) {
        const auto room = std::max<std::size_t>(2 * std::size_t{list.room}, 4096 / sizeof(Item));
        auto* longer = static_cast<Item*>(map_tree_memory(room * sizeof(Item)));
        if (!longer)
            return false;
        std::copy(list.items, list.items + list.count, longer);
        __atomic_store_n(&list.items, longer, __ATOMIC_RELEASE);
        list.room = static_cast<std::uint32_t>(room);
    }
    list.items[list.count] = item;
    __atomic_store_n(&list.count, list.count + 1, __ATOMIC_RELEASE);
    return true;
}

// Maps a piece of the file in place of anonymous memory that has not been used yet. Whole pages.
void put_into_tree_file(void* address, std::size_t bytes);

// Copies the text to where readers of the file find it; "" without memory.
const char* keep_text(const char* text);

}  // namespace vftrace
