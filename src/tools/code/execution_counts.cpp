#include "code/execution_counts.hpp"

#include "code/flow_graph.hpp"

namespace vftrace {
namespace {

// About what a 64-bit or double division takes on x86-64, in instructions of other kinds (A. Fog:
// Instruction tables, 2022).
constexpr double divide_weight = 20;

}  // namespace

std::vector<double> execution_counts(const AnnotatedFunction& function) {
    std::vector<double> counts(function.instructions.size());
    const FlowGraph graph(function.instructions);
    for (const Block& block : graph.blocks()) {
        double ns = 0, weight = 0;
        for (std::size_t i = block.first; i < block.end; i++) {
            ns += function.times[i].ns;
            weight += function.instructions[i].is_divide ? divide_weight : 1;
        }
        for (std::size_t i = block.first; i < block.end; i++)
            counts[i] = ns / weight;
    }
    return counts;
}

}  // namespace vftrace
