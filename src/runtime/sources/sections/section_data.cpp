#include "sections/section_data.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/clock.hpp"
#include "base/guarded.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "guest/bounded_lock.hpp"
#include "queries/live_index.hpp"
#include "queries/live_lines.hpp"
#include "queries/section_memory.hpp"
#include "sections/earlier_sums.hpp"
#include "sections/section_handles.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/pause.hpp"
#include <vftrace/sections.h>

namespace vftrace {
namespace {

LiveIndex* known;
EarlierSums* earlier_run;
BoundedLock lock;

constexpr double bytes = 1.0 / (1 << 20);  // in MB

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }
double average(double sum, std::uint64_t calls) {
    return calls > 0 ? sum / static_cast<double>(calls) : 0;
}

bool is_memory(int figure) {
    return figure >= VFTRACE_SELF_MEMORY && figure <= VFTRACE_TOTAL_MEMORY;
}

// Seconds or MB; so is `root`.
double figure_of(int figure, const LiveSums& times, double root) {
    const double children = times.total - times.self;
    switch (figure) {
    case VFTRACE_SELF:
    case VFTRACE_SELF_MEMORY:
        return times.self;
    case VFTRACE_CHILDREN:
    case VFTRACE_CHILDREN_MEMORY:
        return children;
    case VFTRACE_TOTAL:
    case VFTRACE_TOTAL_MEMORY:
        return times.total;
    case VFTRACE_SELF_AVG:
        return average(times.self, times.calls);
    case VFTRACE_CHILDREN_AVG:
        return average(children, times.calls);
    case VFTRACE_TOTAL_AVG:
        return average(times.total, times.calls);
    case VFTRACE_SELF_PERCENT:
        return percent(times.self, root);
    case VFTRACE_CHILDREN_PERCENT:
        return percent(children, root);
    case VFTRACE_TOTAL_PERCENT:
        return percent(times.total, root);
    default:  // VFTRACE_CALLS
        return static_cast<double>(times.calls);
    }
}

bool is_root(const char* name) { return std::strcmp(name, "Root") == 0; }

void scale(LiveSums& sums, double unit) {
    sums.self *= unit;
    sums.total *= unit;
}

void add(const EarlierFigures& earlier, bool memory, LiveSums& sums) {
    const LiveSums& more = memory ? earlier.memory : earlier.times;
    sums.self += memory ? more.self * bytes : more.self;
    sums.total += memory ? more.total * bytes : more.total;
    sums.calls += earlier.times.calls;
}

void add_earlier_run(bool memory, const char* name, LiveSums& sums, LiveSums& root) {
    const auto sections = items_of(process_record->earlier_sections);
    if (sections.empty())
        return;
    if (!earlier_run)
        earlier_run = new EarlierSums(sections);
    const std::uint32_t rank = process_record->rank, ranks = std::max(process_record->ranks, 1u);
    const EarlierFigures of_root = earlier_run->of_root(rank, ranks);
    add(is_root(name) ? of_root : earlier_run->of(name, rank, ranks), memory, sums);
    add(of_root, memory, root);
}

double ask(LiveIndex& index, std::uint64_t now, int figure, const char* name, bool of_this_thread) {
    const ThreadRecord* only = nullptr;
    if (of_this_thread) {
        const ThreadState* state = own_thread_state;
        if (!state || !state->record)
            return 0;  // this thread has not recorded anything
        only = state->record;
    }
    index.look(*process_record, only, now);
    const bool memory = is_memory(figure);
    const double unit = memory ? bytes : seconds_per_tick();
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    LiveSums root =
        memory ? index.memory_of_root(memory_grown().value_or(unknown)) : index.times_of_root();
    scale(root, unit);
    LiveSums sums = root;
    if (!is_root(name)) {
        sums = memory ? index.memory_of(name) : index.times_of(name);
        scale(sums, unit);
        if (memory && !index.has_memory(name) && index.times_of(name).calls > 0)
            sums.self = sums.total = unknown;
    }
    if (!of_this_thread)
        add_earlier_run(memory, name, sums, root);
    return figure_of(figure, sums, root.total);
}

}  // namespace

LiveIndex** begin_question() { return begin_live_question(lock) ? &known : nullptr; }

void end_question(bool answered) {
    if (!answered) {
        known = nullptr;
        earlier_run = nullptr;
    }
    lock.unlock();
}

int section_data(int figure, const char* name, int options, double* value) {
    constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
    *value = nothing;
    if (figure < VFTRACE_SELF || figure > VFTRACE_CALLS)
        return VFTRACE_SECTION_BAD_FIGURE;
    if (!name)
        name = "";
    const bool is_known =
        is_root(name) || find_section(name) ||
        (process_record && is_earlier_section(items_of(process_record->earlier_sections), name));
    if (!is_known) {
        if (!(options & VFTRACE_MAY_BE_MISSING))
            return VFTRACE_SECTION_UNKNOWN;
        *value = 0;
        return VFTRACE_SECTION_OK;
    }
    const int error = ask_sections([&](LiveIndex& index, std::uint64_t now) {
        *value = ask(index, now, figure, name, options & VFTRACE_OF_THIS_THREAD);
    });
    if (error != VFTRACE_SECTION_OK)
        *value = nothing;
    if (error == VFTRACE_SECTION_NO_FIGURES) {
        write_held_messages();  // which are held back in programs that do not record
        VFTRACE_MESSAGE_ONCE("section \"%.200s\" was queried, but nothing is recorded (reported "
                             "once)",
                             name);
    }
    return error;
}

void forget_section_index() {
    known = nullptr;
    earlier_run = nullptr;
}

}  // namespace vftrace
