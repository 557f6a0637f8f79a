#include "parameters/parameter_values.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <unistd.h>

#include "base/relaxed.hpp"
#include "config/options.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/held_cancellation.hpp"
#include "parameters/given_parameters.hpp"
#include "record/parameter_record.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

BoundedLock lock;
ParameterRecord known[most_parameters];
std::uint32_t known_count;
bool inherited[most_parameters];  // by a child of fork: its own value is not a second one
bool wanted;

std::span<ParameterRecord> known_parameters() { return {known, known_count}; }

// A child of fork has its parent's until it has created its own.
bool has_own_record() {
    return process_record && process_record->pid == static_cast<std::int64_t>(getpid());
}

// The record has them in the same order. If memory runs out, the last ones are missing there.
void bring_up_to_date(ProcessRecord& record) {
    for (std::uint32_t i = 0; i < known_count; i++) {
        if (i == record.parameters.count && !append(record.parameters, known[i]))
            return;
        ParameterRecord& kept = record.parameters.items[i];
        set_shared(kept.value, known[i].value);
        set_shared(kept.changed, known[i].changed);
    }
}

ParameterOutcome keep(const char* name, double value) {
    for (ParameterRecord& parameter : known_parameters())
        if (std::strcmp(parameter.name, name) == 0) {
            bool& is_inherited = inherited[&parameter - known];
            if (parameter.value != value && !is_inherited)
                parameter.changed = 1;
            is_inherited = false;
            parameter.value = value;
            return ParameterOutcome::recorded;
        }
    if (known_count == most_parameters)
        return ParameterOutcome::too_many;
    ParameterRecord& parameter = known[known_count++];
    std::strncpy(parameter.name, name, longest_parameter_name);
    parameter.value = value;
    return ParameterOutcome::recorded;
}

}  // namespace

void prepare_parameters(const Options& options) {
    set_shared(wanted, true);
    for_each_given_parameter(options.parameters, [](const char* name, double value) {
        return record_parameter(name, value) == ParameterOutcome::recorded;
    });
}

void note_parameters(ProcessRecord& record) {
    if (!lock.lock())
        return;
    if (record.forked)
        for (std::uint32_t i = 0; i < known_count; i++) {
            known[i].changed = 0;
            inherited[i] = true;
        }
    bring_up_to_date(record);
    lock.unlock();
}

bool parameters_are_wanted() {
    if (!relaxed(wanted))
        lifecycle_calls.first_event();  // perhaps called before our own constructor
    return relaxed(wanted);
}

ParameterOutcome record_parameter(const char* name, double value) {
    HeldCancellation held;
    if (!lock.lock())
        return ParameterOutcome::busy;
    const ParameterOutcome outcome = keep(name, value);
    if (outcome == ParameterOutcome::recorded && has_own_record())
        bring_up_to_date(*process_record);
    lock.unlock();
    return outcome;
}

}  // namespace vftrace
