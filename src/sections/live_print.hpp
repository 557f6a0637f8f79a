// Prints messages of sections while they last: reads the frames of threads, and leaves no trace in
// their way.
#pragma once

namespace vftrace {

struct Options;  // config/options.hpp

void prepare_live_print(const Options& options);
// A section that has a message is begun for the first time. Cheap after the first call.
void section_with_message_begins();
// In a child of fork.
void forget_live_print();
// The run is over, and so is the work of the service thread.
void end_live_print();

}  // namespace vftrace
