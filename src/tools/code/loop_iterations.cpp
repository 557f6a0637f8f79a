#include "code/loop_iterations.hpp"

#include <algorithm>

namespace vftrace {

CountedCalls::CountedCalls(const Profile& profile) {
    for (const Path& path : profile.paths) {
        if (path.parent == no_index)
            continue;
        const Function& callee = profile.functions[path.function];
        const Function& caller = profile.functions[profile.paths[path.parent].function];
        if (callee.kind != NodeKind::function || caller.kind != NodeKind::function ||
            callee.module != caller.module || callee.module == no_index)
            continue;
        Count& count = counts_[{caller.module, caller.offset, callee.offset}];
        count.calls += path.calls;
        count.is_exact &= has_exact_calls(path) && !(path.flags & path_recursion_folded);
    }
}

std::optional<std::uint64_t> CountedCalls::calls(std::uint32_t module, std::uint64_t caller,
                                                 std::uint64_t callee) const {
    const auto found = counts_.find({module, caller, callee});
    if (found == counts_.end() || !found->second.is_exact)
        return std::nullopt;
    return found->second.calls;
}

std::vector<std::optional<std::uint64_t>>
loop_iterations(const std::vector<MachineInstruction>& instructions, const FunctionLoops& machine,
                const SourceLoops& loops, std::uint32_t module, std::uint64_t start,
                const CountedCalls& calls) {
    std::vector<std::optional<std::uint64_t>> iterations(loops.loops.size());
    std::map<std::uint64_t, int> places;  // that call a function
    for (const MachineInstruction& instruction : instructions)
        if (instruction.flow == Flow::call || instruction.flow == Flow::jump)
            places[instruction.target]++;
    // An indirect call may call any function.
    const bool has_indirect =
        std::any_of(instructions.begin(), instructions.end(), [](const MachineInstruction& one) {
            return one.flow == Flow::call && one.target == 0;
        });
    if (has_indirect)
        return iterations;
    for (std::size_t i = 0; i < loops.loops.size(); i++) {
        const SourceLoop& loop = loops.loops[i];
        if (loop.machine_loops.size() != 1 || !loop.inlined_at.empty())
            continue;
        for (const std::size_t call : machine.loops[loop.machine_loops.front()].calls)
            if (const std::uint64_t callee = instructions[call].target; places[callee] == 1)
                if (const auto counted = calls.calls(module, start, callee))
                    iterations[i] = counted;
    }
    return iterations;
}

}  // namespace vftrace
