#include "record/function_place.hpp"

namespace vftrace {

FunctionPlace place_of_address(std::uintptr_t address, std::uint16_t module,
                               const ModuleTable& modules) {
    // Acquire: another thread may just have added the module.
    if (module >= __atomic_load_n(&modules.count, __ATOMIC_ACQUIRE))
        return {no_module, address};
    return {same_file_module(modules, module), address - modules.modules[module].bias};
}

FunctionPlace function_place(const Node& node, const ModuleTable& modules) {
    const std::uintptr_t key = __atomic_load_n(&node.key, __ATOMIC_RELAXED);
    FunctionPlace place = place_of_address(key, node.module, modules);
    if (place.module != no_module && (key & retired_bit))
        place.offset = key & retired_offset_mask;
    if (place.module == no_module && (node.flags & node_sampled) && generated_block(key) == key)
        place.offset = page_of_code(key);
    return place;
}

}  // namespace vftrace
