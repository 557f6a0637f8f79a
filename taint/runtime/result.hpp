// The result: a JSON file in the layout that doc/parameters-json.md describes.
#ifndef VFTRACE_TAINT_RUNTIME_RESULT_HPP
#define VFTRACE_TAINT_RUNTIME_RESULT_HPP

namespace vftrace::taint {

// Writes it and says where. complete: the program has ended by itself.
void write_result(bool complete);

}  // namespace vftrace::taint

#endif
