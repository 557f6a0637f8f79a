// Whether code belongs to an OpenMP run-time library, by the name of its file.
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <string_view>

#include "base/text.hpp"

namespace vftrace {

// Finds the library that the address lies in, if it is an OpenMP library. Takes a few comparisons,
// and no lock.
inline bool find_openmp_library(const void* address, dl_find_object& found) {
    if (_dl_find_object(const_cast<void*>(address), &found) != 0 || !found.dlfo_link_map)
        return false;
    const char* name = found.dlfo_link_map->l_name;
    std::string_view file = base_name(name ? name : "");
    for (std::string_view library : {"libgomp.", "libomp.", "libomp5", "libiomp5."})
        if (file.starts_with(library))
            return true;
    return false;
}

}  // namespace vftrace
