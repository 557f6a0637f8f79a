// How often the bodies of loops ran, from the calls that hooks counted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "code/instructions.hpp"
#include "code/loops.hpp"
#include "code/source_loops.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// The calls of functions by others.
class CountedCalls {
  public:
    explicit CountedCalls(const Profile& profile);

    // Functions are given by their addresses in the module. std::nullopt: not all calls were
    // counted, or there were none.
    std::optional<std::uint64_t> calls(std::uint32_t module, std::uint64_t caller,
                                       std::uint64_t callee) const;

  private:
    struct Count {
        std::uint64_t calls = 0;
        bool is_exact = true;
    };
    std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, Count> counts_;
};

// For each loop of the function that begins at `start` the number of its iterations, over all calls
// of the function; std::nullopt if it is not known. It is, if each iteration calls a function that
// nothing else in the function calls, and hooks have counted these calls. Loops of inlined
// functions, and those that the compiler made several of, are not counted.
std::vector<std::optional<std::uint64_t>>
loop_iterations(const std::vector<MachineInstruction>& instructions, const FunctionLoops& machine,
                const SourceLoops& loops, std::uint32_t module, std::uint64_t start,
                const CountedCalls& calls);

}  // namespace vftrace
