// The operators new and delete of C++, as programs find them when this library is preloaded.
//
// Those of the C++ library call malloc and free, which are watched anyway. jemalloc, tcmalloc and
// mimalloc have their own, which do not.
#include <cstddef>
#include <cstdlib>
#include <initializer_list>

#include "allocations/watching.hpp"
#include "guest/next_function.hpp"

namespace vftrace {
namespace {

// A program that does not use C++ may open a plugin that does, with a C++ library that only the
// plugin's scope has: nullptr if it is none of the usual ones, or linked into the plugin.
void* find_in_cxx_library(const char* name) {
    for (const char* library : {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"})
        if (void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) {
            void* const found = dlsym(handle, name);
            dlclose(handle);
            if (found)
                return found;
        }
    return nullptr;
}

// Finds the operator that would be called without us. Returns false if it is not known.
template <class Function>
bool find_operator(Function& known, const char* name) {
    Function found = next_function<Function>(name);
    if (!found)
        found = reinterpret_cast<Function>(find_in_cxx_library(name));
    __atomic_store_n(&known, found, __ATOMIC_RELAXED);
    return found;
}

// As the C++ library does it, but without a handler.
void* allocate(std::size_t size, std::size_t alignment, bool throws) {
    if (size == 0)
        size = 1;
    void* const block =
        alignment > 0 ? allocator.memalign(alignment, size) : allocator.malloc(size);
    if (!block && throws)
        std::abort();  // which is where an exception that is not caught ends
    return block;
}

#define VFTRACE_NEW(name, alignment, throws, parameters, arguments)                                \
    void*(*real##name)parameters;                                                                  \
    bool watched##name;
#define VFTRACE_DELETE(name, parameters, arguments)                                                \
    void(*real##name) parameters;                                                                  \
    bool watched##name;
#include "allocations/operators.inc"

// An allocator may have only some of them.
template <class Operator>
bool is_the_allocators(Operator*& known, const char* name) {
    known = next_function<Operator*>(name);
    return known && lies_in_allocator(reinterpret_cast<const void*>(known));
}

constexpr std::size_t tried_size = 64;

template <class Argument>
Argument tried_argument();
template <>
std::size_t tried_argument() {  // an alignment
    return tried_size;
}
template <>
const void* tried_argument() {  // std::nothrow
    static constexpr char nothing = 0;
    return &nothing;
}

// Whether it does not call a function that is watched anyway: tries it.
template <class... Rest>
bool allocates_by_itself(void* (*make)(std::size_t, Rest...)) {
    constexpr std::uint64_t enough = 1 << 20;
    const std::uint64_t left = bytes_left;
    bytes_left = enough;
    void* const block = make(tried_size, tried_argument<Rest>()...);
    const bool was_watched = bytes_left != enough;
    bytes_left = left;
    next_allocator.free(block);
    return !was_watched;
}

}  // namespace

bool is_in_operator(const void* code) {
    constexpr std::uintptr_t longest = 256;  // of such a function
    const auto is_in = [code](auto* function) {
        return function &&
               reinterpret_cast<std::uintptr_t>(code) - reinterpret_cast<std::uintptr_t>(function) <
                   longest;
    };
    bool found = false;
#define VFTRACE_NEW(name, alignment, throws, parameters, arguments) found |= is_in(real##name);
#define VFTRACE_DELETE(name, parameters, arguments)
#include "allocations/operators.inc"
    return found;
}

void watch_operators() {
#define VFTRACE_NEW(name, alignment, throws, parameters, arguments)                                \
    watched##name = is_the_allocators(real##name, #name) && allocates_by_itself(real##name);
#define VFTRACE_DELETE(name, parameters, arguments)                                                \
    watched##name = is_the_allocators(real##name, #name);
#include "allocations/operators.inc"
}

// What happens seldom is apart, so that the usual case is a jump. An exception passes through.
#define VFTRACE_NEW(name, alignment, throws, parameters, arguments)                                \
    extern "C" [[gnu::visibility("default")]] void* name parameters;                               \
    [[gnu::noinline]] static void* first##name parameters {                                        \
        return find_operator(real##name, #name) ? name arguments : allocate(a, alignment, throws); \
    }                                                                                              \
    [[gnu::noinline]] static void* report##name parameters {                                       \
        void* const block = real##name arguments;                                                  \
        report_allocated(block, a, __builtin_return_address(0));                                   \
        return block;                                                                              \
    }                                                                                              \
    void* name parameters {                                                                        \
        const auto real = __atomic_load_n(&real##name, __ATOMIC_RELAXED);                          \
        if (!real) [[unlikely]]                                                                    \
            return first##name arguments;                                                          \
        caller_of_operator = __builtin_return_address(0);                                          \
        if (watched##name && is_due(a)) [[unlikely]]                                               \
            return report##name arguments;                                                         \
        return real arguments;                                                                     \
    }
#define VFTRACE_DELETE(name, parameters, arguments)                                                \
    extern "C" [[gnu::visibility("default")]] void name parameters;                                \
    [[gnu::noinline]] static void first##name parameters {                                         \
        find_operator(real##name, #name) ? name arguments : allocator.free(a);                     \
    }                                                                                              \
    [[gnu::noinline]] static void report##name parameters {                                        \
        report_freed(a);                                                                           \
        real##name arguments;                                                                      \
    }                                                                                              \
    void name parameters {                                                                         \
        const auto real = __atomic_load_n(&real##name, __ATOMIC_RELAXED);                          \
        if (!real) [[unlikely]]                                                                    \
            return first##name arguments;                                                          \
        if (watched##name && may_be_watched(a)) [[unlikely]]                                       \
            return report##name arguments;                                                         \
        real arguments;                                                                            \
    }
#include "allocations/operators.inc"

}  // namespace vftrace
