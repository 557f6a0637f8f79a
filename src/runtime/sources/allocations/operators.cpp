// The operators new and delete of C++, as programs find them when this library is preloaded.
//
// Those of GNU's C++ library call malloc and free. Ours do so directly, and call those only if
// malloc fails, because the program may have a handler for that. jemalloc, tcmalloc and mimalloc
// have operators of their own, which are called.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <link.h>

#include "allocations/watching.hpp"
#include "guest/next_function.hpp"

namespace vftrace {
namespace {

// What the operator does that would be called without us.
enum class Does : std::uint8_t {
    not_known,     // it has not been looked up
    as_usual,      // that of GNU's C++ library
    all_itself,    // that of the allocator
    what_it_likes  // any other
};

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

Does what_does(const void* function) {
    dl_find_object found;
    if (is_sanitized() || _dl_find_object(const_cast<void*>(function), &found) != 0)
        return Does::what_it_likes;
    if (lies_in_allocator(function))
        return Does::all_itself;
    return std::strstr(found.dlfo_link_map->l_name, "/libstdc++.so.") ? Does::as_usual
                                                                      : Does::what_it_likes;
}

Does what_does(const std::uint8_t& word) {
    return static_cast<Does>(__atomic_load_n(&word, __ATOMIC_RELAXED));
}
void set_does(std::uint8_t& word, Does what) {
    __atomic_store_n(&word, static_cast<std::uint8_t>(what), __ATOMIC_RELAXED);
}

// Finds the operator that would be called without us. Returns false if it is not known.
template <class Function>
bool find_operator(Function& known, std::uint8_t& does, const char* name) {
    Function found = next_function<Function>(name);
    if (!found)
        found = reinterpret_cast<Function>(find_in_cxx_library(name));
    if (!found)
        return false;
    set_does(does, what_does(reinterpret_cast<const void*>(found)));
    __atomic_store_n(&known, found, __ATOMIC_RELEASE);
    return true;
}

// `alignment`: 0: the usual one.
inline void* allocate(const Allocator& from, std::size_t size, std::size_t alignment) {
    return alignment > 0 ? from.memalign(alignment, size) : from.malloc(size);
}

// As the C++ library does it, but without a handler.
void* allocate_without_library(std::size_t size, std::size_t alignment, bool throws) {
    void* const block = allocate(allocator, size > 0 ? size : 1, alignment);
    if (!block && throws)
        std::abort();  // which is where an exception that is not caught ends
    return block;
}

#define VFTRACE_NEW(name, alignment, throws, parameters, arguments)                                \
    void*(*real##name)parameters;                                                                  \
    std::uint8_t does##name; /* Does */
#define VFTRACE_DELETE(name, parameters, arguments)                                                \
    void(*real##name) parameters;                                                                  \
    std::uint8_t does##name; /* Does */
#include "allocations/operators.inc"

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

// An allocator may have only some of them.
void watch_operators() {
#define VFTRACE_NEW(name, alignment, throws, parameters, arguments)                                \
    if (find_operator(real##name, does##name, #name) &&                                            \
        what_does(does##name) == Does::all_itself && !allocates_by_itself(real##name))             \
        set_does(does##name, Does::what_it_likes);
#define VFTRACE_DELETE(name, parameters, arguments) find_operator(real##name, does##name, #name);
#include "allocations/operators.inc"
}

// What happens seldom is apart, so that the usual case needs no frame. An exception passes through.
#define VFTRACE_NEW(name, alignment, throws, parameters, arguments)                                \
    extern "C" [[gnu::visibility("default")]] void* name parameters;                               \
    [[gnu::noinline]] static void* other##name parameters {                                        \
        if (!__atomic_load_n(&real##name, __ATOMIC_ACQUIRE))                                       \
            return find_operator(real##name, does##name, #name)                                    \
                       ? name arguments                                                            \
                       : allocate_without_library(a, alignment, throws);                           \
        if (what_does(does##name) != Does::all_itself || !is_due(a))                               \
            return real##name arguments;                                                           \
        void* const block = real##name arguments;                                                  \
        report_allocated(block, a, __builtin_return_address(0));                                   \
        return block;                                                                              \
    }                                                                                              \
    [[gnu::noinline]] static void* report##name parameters {                                       \
        void* const block = allocate(inner_allocator, a, alignment);                               \
        if (!block)                                                                                \
            return real##name arguments;                                                           \
        report_allocated(block, a, __builtin_return_address(0));                                   \
        return block;                                                                              \
    }                                                                                              \
    void* name parameters {                                                                        \
        if (what_does(does##name) != Does::as_usual) [[unlikely]]                                  \
            return other##name arguments;                                                          \
        if (is_due(a)) [[unlikely]]                                                                \
            return report##name arguments;                                                         \
        void* const block = allocate(inner_allocator, a, alignment);                               \
        return block ? block : real##name arguments;                                               \
    }
#define VFTRACE_DELETE(name, parameters, arguments)                                                \
    extern "C" [[gnu::visibility("default")]] void name parameters;                                \
    [[gnu::noinline]] static void other##name parameters {                                         \
        if (!__atomic_load_n(&real##name, __ATOMIC_ACQUIRE))                                       \
            return find_operator(real##name, does##name, #name) ? name arguments                   \
                                                                : allocator.free(a);               \
        if (what_does(does##name) == Does::all_itself && may_be_watched(a))                        \
            report_freed(a);                                                                       \
        real##name arguments;                                                                      \
    }                                                                                              \
    [[gnu::noinline]] static void report##name parameters {                                        \
        report_freed(a);                                                                           \
        inner_allocator.free(a);                                                                   \
    }                                                                                              \
    void name parameters {                                                                         \
        if (what_does(does##name) != Does::as_usual) [[unlikely]]                                  \
            return other##name arguments;                                                          \
        if (may_be_watched(a)) [[unlikely]]                                                        \
            return report##name arguments;                                                         \
        inner_allocator.free(a);                                                                   \
    }
#include "allocations/operators.inc"

}  // namespace vftrace
