// Prints messages of sections while they last. It reads the frames of threads without disturbing
// them.
#pragma once

#include <cstdint>
#include <string>

namespace vftrace {

struct Options;       // config/options.hpp
struct ThreadRecord;  // record/process_record.hpp

void prepare_live_print(const Options& options);
// A section that has a message is begun for the first time. Cheap after the first call.
void section_with_message_begins();
// In a child of fork.
void forget_live_print();
// The run is over, and so is the work of the service thread.
void end_live_print();

// The kinds of live messages that are wanted, also by other parts; known when it is prepared.
enum class LiveScope : std::uint8_t { nothing, first_rank, all };
LiveScope live_scope();
// Prints a line that is about a thread, on its own. By the service thread alone, or after it.
void print_live_line(const ThreadRecord& thread, const std::string& text);

}  // namespace vftrace
