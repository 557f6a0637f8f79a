// The OpenMP constructs that appear in the tree, and the keys of their nodes.
#pragma once

#include <cstdint>

namespace vftrace {

// X(name, text in tables, whether time in the node itself is waiting)
#define VFTRACE_OPENMP_CONSTRUCTS(X)                                                               \
    X(parallel, "omp parallel", false)                                                             \
    X(teams, "omp teams", false)                                                                   \
    X(distribute, "omp distribute", false)                                                         \
    X(loop, "omp for", false)                                                                      \
    X(sections, "omp sections", false)                                                             \
    X(single, "omp single", false)                                                                 \
    X(masked, "omp masked", false)                                                                 \
    X(workshare, "omp workshare", false)                                                           \
    X(scope, "omp scope", false)                                                                   \
    X(task, "omp task", false)                                                                     \
    X(taskloop, "omp taskloop", false)                                                             \
    X(taskgroup, "omp taskgroup", false)                                                           \
    X(taskgroup_wait, "omp taskgroup wait", true)                                                  \
    X(taskwait, "omp taskwait", true)                                                              \
    X(barrier, "omp barrier", true)                                                                \
    X(implicit_barrier, "omp implicit barrier", true)                                              \
    X(critical, "omp critical", false)                                                             \
    X(critical_wait, "omp critical wait", true)                                                    \
    X(atomic_wait, "omp atomic wait", true)                                                        \
    X(ordered, "omp ordered", false)                                                               \
    X(ordered_wait, "omp ordered wait", true)                                                      \
    X(lock_wait, "omp lock wait", true)                                                            \
    X(reduction, "omp reduction", false)                                                           \
    X(target, "omp target", false)                                                                 \
    X(target_data, "omp target data", false)                                                       \
    X(target_update, "omp target update", false)                                                   \
    X(target_to_device, "omp target to device", false)                                             \
    X(target_from_device, "omp target from device", false)                                         \
    X(target_alloc, "omp target alloc", false)                                                     \
    X(target_free, "omp target free", false)                                                       \
    X(target_launch, "omp target launch", false)

enum class OpenmpConstruct : std::uint8_t {
#define VFTRACE_ENUMERATOR(name, text, waits) name,
    VFTRACE_OPENMP_CONSTRUCTS(VFTRACE_ENUMERATOR)
#undef VFTRACE_ENUMERATOR
};

inline constexpr struct {
    const char* name;
    bool waits;
} openmp_constructs[] = {
#define VFTRACE_ROW(name, text, waits) {text, waits},
    VFTRACE_OPENMP_CONSTRUCTS(VFTRACE_ROW)
#undef VFTRACE_ROW
};

// Key of a node: the construct and the address in the program's code after the call into the
// OpenMP library (0: unknown). No address in user space has bit 61.
inline constexpr std::uintptr_t openmp_bit = std::uintptr_t{1} << 61;
inline constexpr unsigned openmp_construct_shift = 52;
constexpr std::uintptr_t openmp_key(OpenmpConstruct construct, std::uintptr_t code) {
    return openmp_bit | static_cast<std::uintptr_t>(construct) << openmp_construct_shift |
           (code & ((std::uintptr_t{1} << openmp_construct_shift) - 1));
}
constexpr std::uint8_t openmp_construct(std::uintptr_t key) {
    return static_cast<std::uint8_t>(key >> openmp_construct_shift & 0xff);
}
constexpr std::uintptr_t openmp_code(std::uintptr_t key) {
    return key & ((std::uintptr_t{1} << openmp_construct_shift) - 1);
}

}  // namespace vftrace
