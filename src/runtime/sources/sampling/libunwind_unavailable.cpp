// Replaces libunwind.cpp if libunwind's headers are missing.
#include "sampling/libunwind.hpp"

namespace vftrace {

bool walks_are_libunwinds;
__attribute__((tls_model("initial-exec"))) thread_local bool is_in_libunwind;

const char* walk_by_libunwind() { return "vftrace was built without its headers"; }
void forget_code_of_libunwind() {}
LibunwindTurn::LibunwindTurn() : given_(false) {}
LibunwindTurn::~LibunwindTurn() = default;
bool LibunwindCursor::start(const Registers&, bool) { return false; }
bool LibunwindCursor::step(Registers&, Reader, void*) { return false; }

}  // namespace vftrace
