#include "collate/placement.hpp"

#include "base/relaxed.hpp"
#include "collate/unite.hpp"
#include "record/function_place.hpp"

namespace vftrace {

void PlacementSum::add(const NodePaths::Thread& thread) {
    const PlacementRow* row = __atomic_load_n(&thread.record->placement.first, __ATOMIC_ACQUIRE);
    for (; row; row = __atomic_load_n(&row->next_created, __ATOMIC_ACQUIRE)) {
        Placement placement;
        placement.path = paths_(row->node);
        if (placement.path == no_index)
            continue;
        const std::uintptr_t pc = relaxed(row->pc);
        const FunctionPlace place = place_of_address(pc & ~retired_bit, row->module, modules_);
        if (pc != 0 && place.module != no_module) {
            placement.module = functions_.module_index(place.module);
            placement.offset = place.offset;
        }
        placement.thread = thread.record->number;
        placement.memory_node = row->memory_node;
        placement.touches = relaxed(row->touches);
        placement.touches_seen = relaxed(row->touches_seen);
        placement.touched = relaxed(row->touched);
        placement.near_uses = relaxed(row->near_uses);
        placement.far_uses = relaxed(row->far_uses);
        placement.other_uses = relaxed(row->other_uses);
        profile_.placement.push_back(placement);
    }
}

void PlacementSum::finish() { sort_and_unite(profile_.placement); }

}  // namespace vftrace
