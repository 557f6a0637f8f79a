// The source `annotations`, and the functions that libvftrace_annotations calls.
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>

#include <vftrace/parameters.h>
#define VFTRACE_TASKS_LINKED
#include <vftrace/tasks.h>

#include "annotations/annotated_regions.hpp"
#include "annotations/annotation_names.hpp"
#include "annotations/annotation_settings.hpp"
#include "annotations/static_functions.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "config/options.hpp"
#include "guest/frame_address.hpp"
#include "record/annotation_calls.hpp"
#include "tree/call_tree.hpp"
#include "tree/pause.hpp"
#include "tree/source.hpp"
#include "tree/visit_nodes.hpp"

extern "C" void vftrace_pause(void);

namespace vftrace {
namespace {

std::uint32_t generation = 1;

const AnnotationName* name_of(AnnotationInterface interface, AnnotationRole role, const char* text,
                              const char* detail) {
    ThreadState* const state = takes_annotations(interface) ? recording_state() : nullptr;
    return state ? annotation_name(*state, interface, role, text, detail, frame_address())
                 : nullptr;
}

void begin(const AnnotationName* name, std::uintptr_t stack) {
    if (name)
        begin_annotation(*name, stack);
}

void end(AnnotationInterface interface, AnnotationRole role, const char* text, const char* detail) {
    if (takes_annotations(interface))
        end_annotation(interface, role, text, detail);
}

std::uint64_t begin_task(const AnnotationName* name) {
    if (!name || !recording_state())
        return 0;
    count(name->row->events);
    return vftrace_task_create(name->text, nullptr, 0);
}

void end_task(std::uint64_t id) {
    if (id != 0)
        vftrace_task_complete(id);
}

void happened(const AnnotationName* name, std::int64_t bytes) {
    if (!name)
        return;
    if (!is_region(name->role) && bytes >= 0)
        count(name->row->events);
    note_bytes(*name->row, bytes);
}

void value(const AnnotationName* name, double value) {
    if (name && std::isfinite(value))
        note_value(*name->row, value);
}

// Numbers are also parameters of the run.
void metadata(AnnotationInterface interface, const char* key, const char* text) {
    const AnnotationName* const name =
        key && *key ? name_of(interface, AnnotationRole::metadata, key, text ? text : "") : nullptr;
    if (!name)
        return;
    count(name->row->events);
    if (!text)
        return;
    char* rest = nullptr;
    const double number = std::strtod(text, &rest);  // a decimal point, or what the locale has
    if (rest != text && *rest == '\0' && std::isfinite(number))
        vftrace_parameter_typed(&number, sizeof number, key, VFTRACE_PARAMETER_REAL);
}

void unmatched(AnnotationInterface interface, AnnotationRole role, const char* text) {
    if (takes_annotations(interface))
        count_unmatched(interface, role, text);
}

void pause(std::uintptr_t stack) {
    if (ThreadState* const state = recording_state())
        pause_process(state, reinterpret_cast<std::uintptr_t>(&vftrace_pause), stack);
}

void resume(std::uintptr_t callsite, std::uintptr_t stack) {
    resume_process(own_thread_state, callsite, stack);
}

bool figures(AnnotationInterface interface, const char* text, std::uint64_t& calls,
             double& seconds) {
    const AnnotationName* const name = name_of(interface, AnnotationRole::region, text, "");
    calls = 0;
    std::uint64_t ticks = 0;
    if (!name || !own_thread_state || !own_thread_state->record)
        return false;
    visit_nodes(*own_thread_state->record, [&](const Node& node) {
        if (node.kind != NodeKind::region || node.key != name->key)
            return;
        calls += relaxed(node.calls) - relaxed(node.nested_calls);
        ticks += relaxed(node.inclusive_ticks);
    });
    constexpr double second = 1e9;
    seconds = static_cast<double>(ticks) * nanoseconds_per_tick(process_record->start) / second;
    return calls > 0;
}

constexpr AnnotationCalls calls = {.bytes = sizeof calls,
                                   .takes = takes_annotations,
                                   .generation = &generation,
                                   .name_of = name_of,
                                   .begin = begin,
                                   .end = end,
                                   .begin_task = begin_task,
                                   .end_task = end_task,
                                   .happened = happened,
                                   .value = value,
                                   .metadata = metadata,
                                   .unmatched = unmatched,
                                   .pause = pause,
                                   .resume = resume,
                                   .figures = figures};

// Tools that measure the program themselves, by a function that only their libraries have.
struct OtherTool {
    const char* name;
    const char* function;
};
constexpr OtherTool other_tools[] = {{"TAU", "Tau_init_initializeTAU"},
                                     {"Score-P", "SCOREP_InitMeasurement"}};

void begin_source() {
    if (!takes_any_annotations())
        return;
    take_static_functions();
    for (const OtherTool& tool : other_tools)
        if (dlsym(RTLD_DEFAULT, tool.function))
            message("%s is in this program and measures it, too: each of the two also measures "
                    "what the other one costs",
                    tool.name);
}

void forget_parent() {
    generation++;
    forget_annotation_names();
}

}  // namespace

constexpr Source annotations_source = {.prepare = prepare_annotations,
                                       .begin = begin_source,
                                       .thread_begins = thread_has_no_annotations,
                                       .forget_parent = forget_parent};

extern "C" [[gnu::visibility("default")]] const AnnotationCalls* vftrace_annotation_calls() {
    return &calls;
}

}  // namespace vftrace
