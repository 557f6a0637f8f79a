// The public functions of vftrace/sections.h.
#define VFTRACE_SECTIONS_LINKED
#include <vftrace/sections.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "base/guarded.hpp"
#include "base/output_file.hpp"
#include "base/relaxed.hpp"
#include "base/text.hpp"
#include "guest/bounded_lock.hpp"
#include "lifecycle/own_result.hpp"
#include "lifecycle/run.hpp"
#include "queries/section_memory.hpp"
#include "report/report_options.hpp"
#include "report/tables.hpp"
#include "report/text_table.hpp"
#include "sections/section_data.hpp"
#include "sections/section_events.hpp"
#include "sections/section_handles.hpp"
#include "sections/section_snapshots.hpp"
#include "tree/own_record.hpp"

namespace vftrace {
namespace {

const vftrace_section* register_for_c(const char* prefix, const char* name, int level,
                                      const char* live_message, int print_dots) {
    return register_section(prefix, name, level, live_message, print_dots != 0);
}

SectionReport wanted_tables(const vftrace_section_table* table) {
    SectionReport wanted = report_options(run->configuration.options).sections;
    if (!table)
        return wanted;
    if (table->level != 0)
        wanted.level = table->level;
    wanted.branch = table->branch != 0;
    wanted.heaviest = table->heaviest > 0 ? static_cast<std::size_t>(table->heaviest) : 0;
    wanted.regions = table->regions != 0;
    if (table->this_thread && own_thread_state && own_thread_state->record)
        wanted.thread = own_thread_state->record->number;
    return wanted;
}

// The tables of what has been measured so far.
std::string tables_as_text(const vftrace_section_table* table) {
    CLocale decimal_points;
    note_section_memory(own_thread_state);
    const OwnResult own = own_result({});
    ReportOptions options = report_options(run->configuration.options);
    options.sections = wanted_tables(table);
    std::string text;
    OutputFile out(text);
    TextTables tables(out);
    write_section_tables(own.profile, PathText(own.profile, options.max_name_width), options,
                         tables);
    out.close();
    return text;
}

// malloc'ed
char* section_text(const vftrace_section_table* table) {
    static BoundedLock lock;
    if (run_phase != RunPhase::recording)
        return nullptr;
    ensure_record();
    if (!process_record || !lock.lock())
        return nullptr;
    char* text = nullptr;
    run_guarded([&] { text = strdup(tables_as_text(table).c_str()); });
    lock.unlock();
    return text;
}

constexpr struct vftrace_section_calls calls = {.bytes = sizeof calls,
                                                .prefix = section_prefix,
                                                .register_section = register_for_c,
                                                .begin = begin_section,
                                                .end = end_section,
                                                .open = open_section,
                                                .close = close_section,
                                                .data = section_data,
                                                .text = section_text,
                                                .snapshot = section_snapshot};

}  // namespace
}  // namespace vftrace

#define VFTRACE_API extern "C" [[gnu::visibility("default")]]

VFTRACE_API const struct vftrace_section_calls* vftrace_section_calls(void) {
    return &vftrace::calls;
}

// These are for Fortran, and for programs that are always linked with the library.
VFTRACE_API const vftrace_section*
vftrace_section_register(const char* name, int level, const char* live_message, int print_dots) {
    return vftrace::register_for_c(nullptr, name, level, live_message, print_dots);
}
VFTRACE_API const vftrace_section* vftrace_section_register_in(const char* prefix, const char* name,
                                                               int level, const char* live_message,
                                                               int print_dots) {
    return vftrace::register_for_c(prefix, name, level, live_message, print_dots);
}
VFTRACE_API const char* vftrace_section_prefix(const char* text) {
    return vftrace::section_prefix(text);
}
VFTRACE_API void vftrace_section_begin(const vftrace_section* section) {
    vftrace::begin_section(section);
}
VFTRACE_API void vftrace_section_end(const vftrace_section* section) {
    vftrace::end_section(section);
}
VFTRACE_API void vftrace_section_open(const vftrace_section* section, vftrace_section_mark* mark) {
    vftrace::open_section(section, mark);
}
VFTRACE_API void vftrace_section_close(const vftrace_section* section,
                                       const vftrace_section_mark* mark) {
    vftrace::close_section(section, mark);
}
VFTRACE_API int vftrace_section_data(int figure, const char* name, int options, double* value) {
    return vftrace::section_data(figure, name, options, value);
}
VFTRACE_API int vftrace_section_snapshot(double label) { return vftrace::section_snapshot(label); }
VFTRACE_API char* vftrace_section_text(const vftrace_section_table* table) {
    return vftrace::section_text(table);
}
