// jemalloc counts the bytes that each thread allocates and frees. Only its own figures are correct:
// its operator new does not call anything that could be wrapped, but its operator delete calls
// free().
#pragma once

#include <cstddef>

namespace vftrace {

using Mallctl = int(const char* name, void* value, std::size_t* size, void* new_value,
                    std::size_t new_size);

// Whether the counters can be read through this function of the allocator that the program uses. To
// be called once, before jemalloc_bytes().
bool find_jemalloc_counters(Mallctl* mallctl);

bool has_jemalloc_counters();
long long jemalloc_bytes();  // of the calling thread

}  // namespace vftrace
