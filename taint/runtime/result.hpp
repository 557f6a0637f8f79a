// The result: a JSON file in the layout that doc/parameters-json.md describes.
#ifndef VFTRACE_TAINT_RUNTIME_RESULT_HPP
#define VFTRACE_TAINT_RUNTIME_RESULT_HPP

namespace vftrace::taint {

// Writes the result and prints where it is. complete: the program was not ended by a signal.
void write_result(bool complete);

}  // namespace vftrace::taint

#endif
