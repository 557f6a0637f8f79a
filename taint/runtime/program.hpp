// What is known about the running program: its functions, the call paths on which they ran, and the
// dependences of their loops.
#ifndef VFTRACE_TAINT_RUNTIME_PROGRAM_HPP
#define VFTRACE_TAINT_RUNTIME_PROGRAM_HPP

#include <cstdint>

#include "taint/layout.hpp"
#include "taint/runtime/memory.hpp"

namespace vftrace::taint {

// A set of parameters, one bit for each: bit i is the parameter that was registered i-th; the
// highest bit is p.
using Parameters = std::uint64_t;

struct Context;
struct Entry;

// Functions of the same name are one, wherever they were compiled; static functions only if their
// file is the same.
struct Function {
    const FunctionRecord* record;  // that of the analysed function if there is one
    std::uint64_t hash;
    Function* next_in_bucket;
    Array<Entry*> entries;
    std::uint32_t order;  // in the result: analysed ones first
    std::uint32_t number;
    bool name_is_taken;  // by another function: static functions in several files
    bool calls_unknown;  // it has called code that is not analysed, whose work is not known
};

struct SiteSet {
    std::uint32_t site;
    Parameters set;
    bool operator==(const SiteSet&) const = default;
};

struct SlotEntry {
    std::uint32_t slot;
    Entry* entry;
    bool operator==(const SlotEntry&) const = default;
};

// A profile: what the loops of a function have depended on in some of its calls.
struct Entry {
    const FunctionRecord* record;
    Array<SiteSet> sets;  // by site; no set of a site contains another one
    std::uint64_t hash;
    Array<Context*> contexts;
    Array<SlotEntry> calls;
    std::uint32_t id;  // in the result
};
constexpr std::uint32_t not_in_result = ~std::uint32_t{0};

// A call path of one thread. Paths of recursive calls end where the function was first entered.
struct Context {
    Function* function;
    Context* parent;
    struct Child {
        Function* function;
        Context* context;
        Child* next;
    };
    Child* children;
    Function* last_function;  // the child that was entered last
    Context* last_child;
    Entry* last_entry;  // of the last call that had labels, which follow
    SiteLabel* last_labels;
    std::uint32_t last_site_count;
};

struct OpaqueRecord {
    const char* name;
    std::uint64_t calls;
    Parameters set;
};

struct Program {
    Array<Function*> functions;
    Function** buckets = nullptr;
    std::size_t bucket_count = 0;
    Array<OpaqueRecord*> opaque_calls;
};
extern Program program;

Function* function_of(FunctionRecord& record);

// Returns the entry with these sets, and makes it if there is none. To be called with the lock
// held.
Entry* find_entry(const FunctionRecord& record, const SiteSet* sets, std::size_t count);

}  // namespace vftrace::taint

#endif
