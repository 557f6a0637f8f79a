// The few functions of the C++ run-time library that our code needs, so that a C or Fortran program
// does not have to load libstdc++. Hidden by the version script: the program's own operator new is
// never replaced.
#include <cstdlib>
#include <memory>
#include <new>

#include "base/guarded.hpp"
#include "guest/reserve.hpp"

using vftrace::give_up;

namespace {

void* allocate(std::size_t bytes) {
    void* memory = std::malloc(bytes ? bytes : 1);
    if (!memory && !vftrace::is_guarded())
        memory = vftrace::take_from_reserve(bytes ? bytes : 1);
    if (!memory)
        give_up("out of memory");
    return memory;
}

void release(void* memory) {
    if (!vftrace::is_from_reserve(memory))
        std::free(memory);
}

}  // namespace

// Which of its members are inlined depends on the size of a file and on sanitizers.
template class std::allocator<char>;

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return std::malloc(bytes ? bytes : 1);
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }

namespace std {

const nothrow_t nothrow{};

void __throw_length_error(const char* what) { give_up(what); }
void __throw_logic_error(const char* what) { give_up(what); }
void __throw_out_of_range(const char* what) { give_up(what); }
void __throw_out_of_range_fmt(const char* what, ...) { give_up(what); }
void __throw_bad_alloc() { give_up("out of memory"); }
void __throw_bad_array_new_length() { give_up("array too long"); }

}  // namespace std
