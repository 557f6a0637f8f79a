// Call paths as text: that of the caller, for vftrace_get_stack, and others.
#include "lifecycle/current_stack.hpp"

#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <string>
#include <vector>

#include "base/guarded.hpp"
#include "collate/openmp_names.hpp"
#include "guest/modules.hpp"
#include "lifecycle/run.hpp"
#include "profile/display_names.hpp"
#include "record/gpu_record.hpp"
#include "record/io_functions.hpp"
#include "record/mpi_functions.hpp"
#include "symbol/elf_symbols.hpp"
#include "symbol/names.hpp"
#include "tree/call_tree.hpp"
#include "tree/callees.hpp"
#include "tree/own_record.hpp"
#include "tree/region_names.hpp"
#include "tree/slow_path.hpp"
#include "tree/upcalls.hpp"
#include "vftrace.h"

namespace vftrace {
namespace {

// Names that were requested before; reading a symbol table for each call would take milliseconds.
struct KnownName {
    FunctionPlace place;
    std::string name;
};
std::vector<KnownName>* known_names;  // few, so a linear search is enough
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

std::string name_of_symbol(const std::string& symbol) {
    const Options& options = run->configuration.options;
    return short_display_name(clean_name(symbol),
                              options.demangle_cxx != CxxNames::raw ? demangle(symbol) : "",
                              options.demangle_cxx, options.strip_module_names);
}

std::string look_up_name(FunctionPlace place) {
    if (place.module == no_module)
        return name_without_symbol("", place.offset);
    const char* path = module(place.module).path;
    CodeFiles files(module_table(), own_process_folder);
    std::string symbol = lookup_symbols(files.path(place.module), {place.offset}).names[0];
    if (symbol.empty())
        return name_without_symbol(path, place.offset);
    return name_of_symbol(symbol);
}

const std::string& function_name(const Node& node) {
    if (!known_names)
        known_names = new std::vector<KnownName>;
    FunctionPlace place = function_place(node);
    for (const KnownName& known : *known_names)
        if (known.place.module == place.module && known.place.offset == place.offset)
            return known.name;
    known_names->push_back({place, look_up_name(place)});
    return known_names->back().name;
}

std::string name_of(const Node& node, OpenmpNames& openmp) {
    switch (row_of(node.kind).key) {
    case KeyKind::fixed:
        return row_of(node.kind).name;
    case KeyKind::text:
    case KeyKind::section:
        return region_name(node.key);
    case KeyKind::construct:
        openmp.expect(node);
        return openmp.name_of(node).name;
    case KeyKind::gpu_name: {
        const auto& name = *reinterpret_cast<const GpuCallName*>(node.key);
        return name.api == GpuApi::openacc ? name.function : name_of_symbol(gpu_symbol(name));
    }
    case KeyKind::mpi_call: {
        char buffer[64];
        return mpi_name(node.key, buffer);
    }
    case KeyKind::io_call:
        return io_name(node.key);
    case KeyKind::code:
    case KeyKind::node:
    case KeyKind::folded:
        break;
    }
    return function_name(node);
}

// Calls visit(name) for each open call, the innermost first.
template <class Visit>
void visit_names(const Node* node, Visit visit) {
    CodeFiles files(process_record->modules, own_process_folder);
    OpenmpNames openmp(files, false);
    while (node) {
        if (node->kind == NodeKind::graft) {  // shown below the path that it represents
            node = reinterpret_cast<const Node*>(node->key);
            continue;
        }
        if (node->kind != NodeKind::pause)  // a state, not a place
            visit(name_of(*node, openmp));
        node = node->parent;
    }
}

// malloc'ed
char* describe(const Node* node) {
    std::string text;
    visit_names(node, [&](const std::string& name) { text += (text.empty() ? "" : "<") + name; });
    return strdup(text.c_str());
}

const Node* current_node(ThreadState& state) {
    if (!sampling_calls || state.ignore_events)
        return state.top->node;
    SlowPath guard(state, 0);
    sampling_calls->open_callers(state);
    return state.top->node;
}

char* current_stack() {
    // A paused thread has a call path too; a thread that a signal handler has interrupted in its
    // slow path does not have one now.
    ThreadState* state = thread_state->segment ? thread_state : recording_state_slowly();
    if (run_phase != RunPhase::recording || !state)
        return strdup("");
    const Node* node = current_node(*state);
    char* text = nullptr;
    pthread_mutex_lock(&lock);
    run_guarded([&] { text = describe(node); });
    pthread_mutex_unlock(&lock);
    return text ? text : strdup("");
}

}  // namespace

std::vector<std::string> names_of_path(const Node* node) {
    std::vector<std::string> names;
    pthread_mutex_lock(&lock);
    run_guarded([&] {
        visit_names(node, [&](const std::string& name) { names.push_back(name); });
        if (!names.empty())
            names.pop_back();  // the name of the root
    });
    pthread_mutex_unlock(&lock);
    return names;
}

}  // namespace vftrace

extern "C" [[gnu::visibility("default")]] char* vftrace_get_stack(void) {
    return vftrace::current_stack();
}

// Not in vftrace.h; called by the Fortran module of Vftrace 2.0.
extern "C" [[gnu::visibility("default")]] int vftrace_get_stack_string_length(void) {
    char* stack = vftrace::current_stack();
    int length = stack ? static_cast<int>(std::strlen(stack)) + 1 : 1;
    std::free(stack);
    return length;
}
