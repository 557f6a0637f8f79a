// Where records of device work (record/device_records.hpp) wait for the writer of the trace:
// private memory of the process, in pieces that are used in turn, because the records come from
// threads without a ThreadState.
//
// One thread at a time adds records and another one removes them; neither waits for a lock of the
// other. Added records are complete, so a dying process can write them in its signal handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tree/event_buffer.hpp"

namespace vftrace {

// Whether device work is recorded in a trace.
inline bool device_work_is_traced() {
    return trace_settings.active && __atomic_load_n(&trace_is_written, __ATOMIC_ACQUIRE);
}

// Where `words` words of a record can be written; nullptr if there is no room (or memory).
std::uint64_t* reserve_device_words(std::size_t words);
// To be called when the words have been written: the writer may take them.
void publish_device_words(std::size_t words);

// Whether there is room for any piece of work, with all descriptions that it needs.
bool has_room_for_device_work();
// Waits until there may be room. Returns false if there will not be any, because the trace has
// ended or memory is missing.
bool wait_for_device_room();

void count_dropped_device_work(std::uint64_t pieces);
std::uint64_t dropped_device_work();

// For the writer. Passes on the full pieces, with `everything` also the one that is being filled,
// and the number of dropped pieces of work. Returns false if something could not be written.
using WriteDeviceRecords = bool (*)(const void* records, std::size_t bytes);
bool write_device_buffer(WriteDeviceRecords write, bool everything);
// Wakes a thread that waits for room.
void stop_waiting_for_device_room();

// To be called when a new trace begins. In a child of fork, the contents belong to the parent.
void forget_device_buffer();

}  // namespace vftrace
