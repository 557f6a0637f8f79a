// Built without libdw.
#include "code/source_places.hpp"

namespace vftrace {

std::unique_ptr<DebugPlaces> read_debug_places(Elf*) { return nullptr; }
bool can_read_debug_information() { return false; }

}  // namespace vftrace
