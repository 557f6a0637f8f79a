// Layouts shared by the compiler pass and the run-time library: the records of functions that the
// pass puts into object files, and the positions of the two members of a frame that compiled code
// accesses directly.
#ifndef VFTRACE_TAINT_LAYOUT_HPP
#define VFTRACE_TAINT_LAYOUT_HPP

#include <cstddef>
#include <cstdint>

namespace vftrace::taint {

// What repeats without being a loop of the source counts as a loop, too.
enum LoopKind : std::int32_t {
    loop_of_source,
    loop_of_library,   // in a function of the C library, whose length is an argument
    loop_of_recursion  // the function calls itself, also through others
};

struct LoopRecord {
    std::int32_t parent;  // index of the loop around it, or -1
    std::int32_t number;  // in that loop, or in the function
    std::int32_t level;
    std::int32_t line;
    std::int32_t kind;  // a LoopKind
};
constexpr std::size_t members_of_loop_record = 5;

// A place whose condition is checked: an exit of a loop, or a branch in one.
struct SiteRecord {
    std::int32_t loop;
    std::int32_t branch;  // its number in the loop; -1: an exit
};

struct FunctionRecord {
    const char* mangled_name;
    const char* name;
    const char* file;
    const LoopRecord* loops;
    const SiteRecord* sites;
    const std::int32_t* slots;       // for each call, the loop that contains it, or -1
    FunctionRecord* const* callees;  // of analysed functions: what they call, but not by pointers
    void* function;                  // used by the run-time library
    std::int32_t line;
    std::int32_t kind;  // a FunctionKind
    std::int32_t loop_count;
    std::int32_t site_count;
    std::int32_t slot_count;
    std::int32_t callee_count;
    std::int32_t is_local;      // its name is known only in its file
    std::int32_t calls_opaque;  // calls code that is not analysed, whose work is not known
};

enum FunctionKind : std::int32_t {
    function_analysed,
    function_called,       // its code has not been seen
    function_communicates  // an MPI function: a loop over the ranks
};

// The last label of a site, in a frame; 16 bits, so that there is a value that is not a label.
using SiteLabel = std::uint16_t;
constexpr std::size_t offset_of_slot = 24;
constexpr std::size_t offset_of_labels = 48;

}  // namespace vftrace::taint

#endif
