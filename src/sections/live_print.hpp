// Prints messages of sections while they last. It reads the frames of threads without disturbing
// them.
#pragma once

#include <cstdint>
#include <string>

namespace vftrace {

struct Options;       // config/options.hpp
struct ThreadRecord;  // record/process_record.hpp

void prepare_live_print(const Options& options);
// To be called when a section with a message begins. Cheap after the first call.
void section_with_message_begins();
// In a child of fork.
void forget_live_print();
// To be called when the run and the work of the service thread are over.
void end_live_print();

// Which live messages are requested; other parts print theirs accordingly. Known after
// prepare_live_print().
enum class LiveScope : std::uint8_t { nothing, first_rank, all };
LiveScope live_scope();
// Prints a separate line about a thread. To be called only by the service thread, or after its end.
void print_live_line(const ThreadRecord& thread, const std::string& text);

}  // namespace vftrace
