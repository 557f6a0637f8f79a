// Regions of the region report: the ids that identify them on all ranks of a host.
#include "record/region_id.hpp"

#include <cstring>

#include "base/fnv.hpp"
#include "record/function_place.hpp"

namespace vftrace {
namespace {

// For a construct in the program's code; independent of the address at which its file is loaded.
std::uint64_t place_hash(const Node& node, const ModuleTable& modules) {
    const FunctionPlace place = place_of_address(openmp_code(node.key), node.module, modules);
    std::uint64_t hash = fnv_basis;
    if (place.module != no_module) {
        const char* path = modules.modules[place.module].path;
        const char* name = std::strrchr(path, '/');
        hash = fnv1a(name ? name : path);
    }
    return fnv1a(hash, place.offset);
}

}  // namespace

std::uint64_t region_id(const Node& node, const ModuleTable& modules) {
    const std::uint64_t of_kind = node.kind == NodeKind::region ? fnv1a(region_name(node.key))
                                  : node.kind == NodeKind::mpi  ? fnv1a(fnv_basis, node.key)
                                                                : place_hash(node, modules);
    const std::uint64_t hash = fnv1a(of_kind, static_cast<std::uint64_t>(node.kind));
    // The upper bits of the hash are less random than the lower ones.
    const std::uint64_t id = (hash ^ hash >> region_id_bits) & ((1ull << region_id_bits) - 1);
    return id ? id : 1;
}

}  // namespace vftrace
