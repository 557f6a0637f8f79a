// Regions of the region report (doc/design/region-report.md): which nodes belong to the same
// region, and the ids that identify regions on all ranks of a host.
#pragma once

#include <cstdint>

#include "record/loaded_module.hpp"
#include "record/node.hpp"
#include "record/openmp_constructs.hpp"

namespace vftrace {

// Whether nodes of the kind may be regions: those that the program marks, MPI calls, and the
// parallel constructs of OpenMP.
constexpr bool may_be_region(NodeKind kind) {
    return kind == NodeKind::region || kind == NodeKind::mpi || kind == NodeKind::openmp;
}
inline bool is_region(const Node& node) {
    return may_be_region(node.kind) &&
           (node.kind != NodeKind::openmp ||
            openmp_construct(node.key) == static_cast<std::uint8_t>(OpenmpConstruct::parallel));
}

// The number of bits of an id: of 10,000 regions, two have the same id in one of 20,000 programs.
inline constexpr unsigned region_id_bits = 40;

// The id of a region, not 0: the same in all processes of a program, and different from that of any
// other region. `modules`: those of the process to which the node belongs.
std::uint64_t region_id(const Node& node, const ModuleTable& modules);

}  // namespace vftrace
