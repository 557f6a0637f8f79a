// Prints messages of sections while they last. It reads the frames of threads without disturbing
// them.
#pragma once

namespace vftrace {

struct Options;  // config/options.hpp

void prepare_live_print(const Options& options);
// To be called when a section with a message begins. Cheap after the first call.
void section_with_message_begins();
// In a child of fork.
void forget_live_print();
// To be called when the run and the work of the service thread are over.
void end_live_print();

}  // namespace vftrace
