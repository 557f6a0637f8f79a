// Instructions where vftrace was built without Zydis, or for another processor.
#include "code/instructions.hpp"

namespace vftrace {

bool can_decode_instructions() { return false; }

std::vector<MachineInstruction> decode_instructions(std::string_view, std::uint64_t) { return {}; }

std::string instruction_text(std::string_view, std::uint64_t, Syntax) { return ""; }

}  // namespace vftrace
