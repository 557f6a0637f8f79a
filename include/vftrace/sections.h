/* vftrace/sections.h: sections, the parts of a program that its author wants its users to see in
 * the profile. For C (C99 and later); vftrace/sections.hpp has scoped ones for C++.
 *
 * A section is a region with a level, from 0 (of interest to every user) to 6 (rarely of interest),
 * and a message that is printed if it takes long. Tables show only sections: the functions that a
 * section calls are part of it.
 *
 * Example
 *
 *     #include <vftrace/sections.h>
 *
 *     static const vftrace_section *solve;
 *
 *     int main(void) {
 *         solve = vftrace_section_register("solve", 1, "Solving the equations", 1);
 *         vftrace_section_begin(solve);
 *         iterate();
 *         vftrace_section_end(solve);
 *
 *         double seconds;
 *         if (vftrace_section_data(VFTRACE_TOTAL, "solve", 0, &seconds) == VFTRACE_SECTION_OK)
 *             printf("solving took %g s\n", seconds);
 *         return 0;
 *     }
 *
 * A program that includes this header links and runs without the library (with glibc older than
 * 2.34 it needs -ldl to link). If libvftrace is neither linked nor preloaded, each function here
 * costs one load and does nothing. A program that uses only sections and links libvftrace.a
 * statically needs -Wl,--undefined=vftrace_section_calls.
 *
 * All functions may be called at any time and from any thread, before main, when profiling is off
 * (VFTR_OFF=yes) or paused, and after its end: they then do nothing. None of them ever ends the
 * program; a mistake in their use is reported once on stderr. */
#ifndef VFTRACE_SECTIONS_H
#define VFTRACE_SECTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "library_calls.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A section. Programs hold pointers to it, which stay valid. */
typedef struct vftrace_section {
    const char* prefix; /* as returned by vftrace_section_prefix(); for the macros */
} vftrace_section;

/* Figures of a section. They cover all places where it ran; recursion counts once, and a section
 * that is still running counts up to now. Times are in seconds and are sums over threads; averages
 * are times per call; percentages refer to the time of the whole program ("Root"); memory is in MB
 * (2^20 bytes). */
enum vftrace_section_figure {
    VFTRACE_SELF,     /* time in the section without nested sections */
    VFTRACE_CHILDREN, /* time in nested sections */
    VFTRACE_TOTAL,    /* both */
    VFTRACE_SELF_AVG,
    VFTRACE_CHILDREN_AVG,
    VFTRACE_TOTAL_AVG,
    VFTRACE_SELF_PERCENT,
    VFTRACE_CHILDREN_PERCENT,
    VFTRACE_TOTAL_PERCENT,
    VFTRACE_SELF_MEMORY, /* growth of memory, NaN if it was not read; see the option section.memory
                          */
    VFTRACE_CHILDREN_MEMORY,
    VFTRACE_TOTAL_MEMORY,
    VFTRACE_CALLS /* including a running call */
};

enum vftrace_section_option {
    VFTRACE_OF_THIS_THREAD = 1, /* only what the calling thread did */
    VFTRACE_MAY_BE_MISSING = 2  /* all figures of an unknown section are 0 */
};

enum vftrace_section_error {
    VFTRACE_SECTION_OK = 0,
    VFTRACE_SECTION_UNKNOWN = 1,    /* no section with this name has been registered */
    VFTRACE_SECTION_NO_FIGURES = 2, /* nothing is recorded: profiling is off or
                                       has finished, or there is no library */
    VFTRACE_SECTION_BAD_FIGURE = 3, /* not a value of enum vftrace_section_figure */
    VFTRACE_SECTION_NO_MEMORY = 4
};

/* What tables of sections show. If all members are 0, the table goes down to the level of the
 * option section.level. */
struct vftrace_section_table {
    int level;       /* of the table; 0: that of the option section.level; -1: no table */
    int branch;      /* not 0: the child that takes most time, from the root down */
    int heaviest;    /* number of sections with the most self time; 0: none */
    int regions;     /* not 0: regions are shown like sections of level 1 */
    int this_thread; /* not 0: only what the calling thread did */
};

/* Identifies an activation when more than one may be open. Filled by vftrace_section_open(). */
struct vftrace_section_mark {
    const void* frame;
    uint64_t start, moves;
};

/* The library's functions for this header; later versions may append members. */
struct vftrace_section_calls {
    size_t bytes; /* of this structure */
    const char* (*prefix)(const char* text);
    const vftrace_section* (*register_section)(const char* prefix, const char* name, int level,
                                               const char* live_message, int print_dots);
    void (*begin)(const vftrace_section* section);
    void (*end)(const vftrace_section* section);
    void (*open)(const vftrace_section* section, struct vftrace_section_mark* mark);
    void (*close)(const vftrace_section* section, const struct vftrace_section_mark* mark);
    int (*data)(int figure, const char* name, int options, double* value);
    char* (*text)(const struct vftrace_section_table* table);
    int (*snapshot)(double label);
};

#if defined(VFTRACE_SECTIONS_LINKED) || !defined(__GNUC__)
/* Plain functions of the library, for programs that are always linked with it. */
#define VFTRACE_DETAIL_SECTION_CALL(type, name, parameters, call, otherwise) type name parameters;
const struct vftrace_section_calls* vftrace_section_calls(void);
#else

VFTRACE_DETAIL_LIBRARY_CALLS(vftrace_section_calls)

#define VFTRACE_DETAIL_SECTION_CALL(type, name, parameters, call, otherwise)                       \
    VFTRACE_DETAIL_LIBRARY_CALL(vftrace_section_calls, type, name, parameters, call, otherwise)
#endif

/* Registers a section and returns it; equal names give the same section. Returns a null pointer,
 * which the other functions ignore, without the library or if memory is exhausted. Costs a table
 * look-up: call it once.
 *
 * name:         NUL-terminated text, copied. It is unique in the program.
 * level:        0 to 6. If a name is registered twice, the first level and message are used.
 * live_message: printed if the section takes long (option section.live), such as "Solving the
 *               equations"; copied. A null pointer or "": nothing is printed.
 * print_dots:   0: no dots follow the message; otherwise one does every second or so while the
 *               section runs. */
VFTRACE_DETAIL_SECTION_CALL(const vftrace_section*, vftrace_section_register,
                            (const char* name, int level, const char* live_message, int print_dots),
                            return calls->register_section(0, name, level, live_message,
                                                           print_dots),
                            return 0)

/* The same for a section "prefix::name". prefix: a value returned by vftrace_section_prefix(). */
VFTRACE_DETAIL_SECTION_CALL(
    const vftrace_section*, vftrace_section_register_in,
    (const char* prefix, const char* name, int level, const char* live_message, int print_dots),
    return calls->register_section(prefix, name, level, live_message, print_dots), return 0)

/* Returns the library's one copy of the text. */
VFTRACE_DETAIL_SECTION_CALL(const char*, vftrace_section_prefix, (const char* text),
                            return calls->prefix(text), return text)

/* Begin and end a section on the calling thread. vftrace_section_end() ends the innermost
 * activation of this section that is open on the thread; sections that began later continue. */
VFTRACE_DETAIL_SECTION_CALL(void, vftrace_section_begin, (const vftrace_section* section),
                            calls->begin(section), (void)0)
VFTRACE_DETAIL_SECTION_CALL(void, vftrace_section_end, (const vftrace_section* section),
                            calls->end(section), (void)0)

/* The same, but vftrace_section_close() ends the activation that vftrace_section_open() recorded in
 * `mark`, regardless of what else is open. If it is no longer open on the calling thread, nothing
 * is ended and the call counts as lost. */
VFTRACE_DETAIL_SECTION_CALL(void, vftrace_section_open,
                            (const vftrace_section* section, struct vftrace_section_mark* mark),
                            calls->open(section, mark), (void)0)
VFTRACE_DETAIL_SECTION_CALL(void, vftrace_section_close,
                            (const vftrace_section* section,
                             const struct vftrace_section_mark* mark),
                            calls->close(section, mark), (void)0)

/* Gets a figure (enum vftrace_section_figure) of a section while the program runs. "Root" is the
 * whole program. Costs a few microseconds.
 *
 * options: 0, or a combination of enum vftrace_section_option.
 * value:   the figure; 0 for a section that has not run; NaN on errors.
 *
 * Returns an enum vftrace_section_error. */
VFTRACE_DETAIL_SECTION_CALL(int, vftrace_section_data,
                            (int figure, const char* name, int options, double* value),
                            return calls->data(figure, name, options, value),
                            return (*value = __builtin_nan(""), VFTRACE_SECTION_NO_FIGURES))

/* Stores the current calls and times of all sections, to be plotted over `label`: the number of a
 * time step, for example. The profile has at most 256 such points per section, for 256 sections: if
 * there are more snapshots, every second one is kept, then every fourth, and so on.
 *
 * Returns an enum vftrace_section_error. */
VFTRACE_DETAIL_SECTION_CALL(int, vftrace_section_snapshot, (double label),
                            return calls->snapshot(label), return VFTRACE_SECTION_NO_FIGURES)

/* Returns tables of sections as text, which the caller frees; a null pointer if nothing is recorded
 * or memory is exhausted. table: what to show; a null pointer: the table down to the level of the
 * option section.level. */
VFTRACE_DETAIL_SECTION_CALL(char*, vftrace_section_text,
                            (const struct vftrace_section_table* table), return calls->text(table),
                            return 0)

#undef VFTRACE_DETAIL_SECTION_CALL

#ifdef __cplusplus
}
#endif

#endif
