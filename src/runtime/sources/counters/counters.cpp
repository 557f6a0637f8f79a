// Hardware counters in this process: what is read, and where.
//
// Counters are read at regions, at functions, those of MPI included, of the first hwprof.levels
// levels, and at those that hwprof.functions chooses (not in libraries that are loaded later:
// finding their names takes memory and time). An error in the configuration is reported in one
// line, and nothing is read.
#include <bitset>
#include <regex.h>

#include "base/message.hpp"
#include "config/options.hpp"
#include "counters/thread_counters.hpp"
#include "record/mpi_functions.hpp"
#include "symbol/function_set.hpp"
#include "tree/event_buffer.hpp"
#include "tree/source.hpp"

namespace vftrace {

const CounterCalls* counter_calls;

namespace {

CounterCalls calls;
FunctionSet* functions;  // nullptr: none is chosen by name
std::bitset<function_count> mpi_functions;
std::uint32_t levels;

// The number of functions in the path, including this one, from where its thread began. The time
// that an MPI function waits for the others (mpi.show_sync_time) is a level below it.
std::uint32_t depth_of(const Node& node) {
    std::uint32_t depth = 0;
    for (const Node* at = &node; at; at = at->parent)
        depth += at->kind == NodeKind::function || at->kind == NodeKind::mpi;
    return depth;
}

// Never called for nodes that were created before the counters were started.
bool is_wanted(const Node& node) {
    switch (node.kind) {
    case NodeKind::region:
    case NodeKind::section:
        return true;
    case NodeKind::mpi:
        return (node.key >> 3 < function_count && mpi_functions[node.key >> 3]) ||
               depth_of(node) <= levels;
    case NodeKind::function:
        return (functions && functions->contains(node.key)) || depth_of(node) <= levels;
    default:
        return false;
    }
}

// By the names of the C interface; a call from Fortran is the same function.
void choose_mpi_functions(const char* pattern) {
    regex_t expression;
    if (regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return;
    for (std::size_t i = 0; i < function_count; i++)
        mpi_functions[i] =
            regexec(&expression, mpi_name(static_cast<FunctionId>(i)), 0, nullptr, 0) == 0;
    regfree(&expression);
}

void prepare(const Options& options) {
    const std::size_t counters = options.hwprof_counters.size();
    const CounterSource* source = counter_source(options.hwprof_type);
    if (!options.hwprof_active || counters == 0 || !source)
        return;
    if (counters > most_counters)
        return message_of(
            Speaker::job,
            "hwprof: no counters are read: there are %zu, but at most %zu are possible", counters,
            most_counters);
    if (const std::string error = source->prepare(options.hwprof_counters); !error.empty())
        return message_of(Speaker::machine, "hwprof: no counters are read: %s", error.c_str());
    levels = static_cast<std::uint32_t>(options.hwprof_levels);  // -1: all
    if (options.hwprof_functions) {
        choose_mpi_functions(options.hwprof_functions->c_str());
        functions = new FunctionSet(options.hwprof_functions->c_str());
        functions->add_loaded_files();
    }
    counter_setup = {source, static_cast<std::uint32_t>(counters)};
    trace_settings.counters = counter_setup.counters;
    calls = thread_counter_calls;
    calls.wanted = is_wanted;
    counter_calls = &calls;
}

void finish_counters(ThreadState* own) {
    book_open_calls_of_other_threads(own);
    if (own) {
        trace_reading_at_end(*own);
        end_thread_counters(*own);
    }
}

}  // namespace

constexpr Source hwprof_source = {.prepare = prepare,
                                  .thread_ends = end_thread_counters,
                                  .thread_pauses = pause_thread_counters,
                                  .thread_resumes = resume_thread_counters,
                                  .finish = finish_counters};

}  // namespace vftrace
