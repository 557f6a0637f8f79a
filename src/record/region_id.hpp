// Regions of the region report (doc/design/region-report.md): which nodes are the same region, and
// the ids that identify regions on all ranks of a host.
#pragma once

#include <cstdint>

#include "record/loaded_module.hpp"
#include "record/node.hpp"
#include "record/openmp_constructs.hpp"

namespace vftrace {

// Whether nodes of the kind may be regions: those that the program marks, calls of MPI, and of
// OpenMP's constructs the parallel ones.
constexpr bool may_be_region(NodeKind kind) {
    return kind == NodeKind::region || kind == NodeKind::mpi || kind == NodeKind::openmp;
}
inline bool is_region(const Node& node) {
    return may_be_region(node.kind) &&
           (node.kind != NodeKind::openmp ||
            openmp_construct(node.key) == static_cast<std::uint8_t>(OpenmpConstruct::parallel));
}

// So many bits have ids: two of 10,000 regions have the same one once in 20,000 programs.
inline constexpr unsigned region_id_bits = 40;

// The same for the region in all processes of a program, and no other's; not 0. `modules`: of the
// process that the node belongs to.
std::uint64_t region_id(const Node& node, const ModuleTable& modules);

}  // namespace vftrace
