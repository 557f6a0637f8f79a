// Information derived only from a table of modules, which may be that of another process.
#include "record/loaded_module.hpp"

#include <cstring>

namespace vftrace {

std::uint16_t same_file_module(const ModuleTable& modules, std::uint16_t index) {
    for (std::uint16_t i = 0; i < index; i++)
        if (std::strcmp(modules.modules[i].path, modules.modules[index].path) == 0)
            return i;
    return index;
}

}  // namespace vftrace
