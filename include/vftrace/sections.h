/* vftrace/sections.h: sections of a program, which its author wants its users to see. For C (C99
 * and later); vftrace/sections.hpp has scoped ones for C++.
 *
 * A section is a region with a level, from 0 (everybody is to see it) to 6 (hardly ever of
 * interest), and a message that is printed while it takes long. Tables show sections alone: the
 * functions that they call are part of them.
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
 * A program that includes this header needs no library to be linked or run (with a C library older
 * than glibc 2.34: -ldl to be linked). If libvftrace is not there, linked or preloaded, all that is
 * here costs one load and does nothing. A program that has nothing but sections of libvftrace.a is
 * linked with -Wl,--undefined=vftrace_section_calls.
 *
 * All functions may be called at any time and from any thread, before main, when profiling is off
 * (VFTR_OFF=yes) or paused, and after its end: they then do nothing. None of them ever ends the
 * program; a mistake in their use is told once on stderr. */
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
    const char* prefix; /* what vftrace_section_prefix() returned; for the macros */
} vftrace_section;

/* Figures of a section: of all places where it was run, a section inside itself counted once, and
 * of a section that is running, what there is so far. Times are seconds and sums over threads; the
 * averages are times a call; percentages are of the time of the whole program ("Root"); memory is
 * in MB (2^20 bytes). */
enum vftrace_section_figure {
    VFTRACE_SELF,     /* time in the section, but not in sections in it */
    VFTRACE_CHILDREN, /* time in sections in it */
    VFTRACE_TOTAL,    /* both */
    VFTRACE_SELF_AVG,
    VFTRACE_CHILDREN_AVG,
    VFTRACE_TOTAL_AVG,
    VFTRACE_SELF_PERCENT,
    VFTRACE_CHILDREN_PERCENT,
    VFTRACE_TOTAL_PERCENT,
    VFTRACE_SELF_MEMORY, /* by which the memory grew; see the option section.memory */
    VFTRACE_CHILDREN_MEMORY,
    VFTRACE_TOTAL_MEMORY,
    VFTRACE_CALLS /* a call that is running included */
};

enum vftrace_section_option {
    VFTRACE_OF_THIS_THREAD = 1, /* what the calling thread did, and no other one */
    VFTRACE_MAY_BE_MISSING = 2  /* a section that is not known has 0 of everything */
};

enum vftrace_section_error {
    VFTRACE_SECTION_OK = 0,
    VFTRACE_SECTION_UNKNOWN = 1,    /* no section of that name has been registered */
    VFTRACE_SECTION_NO_FIGURES = 2, /* nothing is recorded: profiling is off or over, or there is
                                       no library */
    VFTRACE_SECTION_BAD_FIGURE = 3, /* it is not one of enum vftrace_section_figure */
    VFTRACE_SECTION_NO_MEMORY = 4
};

/* What tables of sections show. One that is all 0 asks for the table down to the level
 * of the option section.level. */
struct vftrace_section_table {
    int level;       /* of the table; 0: as the option section.level says; -1: no table */
    int branch;      /* not 0: which child takes most time, from the root on */
    int heaviest;    /* this number of sections with most time of their own; 0: none */
    int regions;     /* not 0: regions are shown as if they were sections of level 1 */
    int this_thread; /* not 0: what the calling thread did, and no other one */
};

/* Which activation is meant, where more than one may be open. Filled by vftrace_section_open(). */
struct vftrace_section_mark {
    const void* frame;
    uint64_t start, moves;
};

/* What the library does for this header; more may come at the end. */
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
/* As functions of the library, for programs that are always linked with it. */
#define VFTRACE_DETAIL_SECTION_CALL(type, name, parameters, call, otherwise) type name parameters;
const struct vftrace_section_calls* vftrace_section_calls(void);
#else

VFTRACE_DETAIL_LIBRARY_CALLS(vftrace_section_calls)

#define VFTRACE_DETAIL_SECTION_CALL(type, name, parameters, call, otherwise)                       \
    VFTRACE_DETAIL_LIBRARY_CALL(vftrace_section_calls, type, name, parameters, call, otherwise)
#endif

/* Makes a section known, and returns it; equal names give the same one. A null pointer without
 * library or memory, which the other functions ignore. Costs a look into a table: do it once.
 *
 * name:         NUL-terminated text, copied. It is unique in the program.
 * level:        0 to 6. Of a name that is registered twice the first level and message count.
 * live_message: what is printed while the section takes long (option section.live), such as
 *               "Solving the equations"; copied. A null pointer or "": nothing is.
 * print_dots:   0: the message is printed when the section has ended, else dots follow it. */
VFTRACE_DETAIL_SECTION_CALL(const vftrace_section*, vftrace_section_register,
                            (const char* name, int level, const char* live_message, int print_dots),
                            return calls->register_section(0, name, level, live_message,
                                                           print_dots),
                            return 0)

/* The same for a section "prefix::name". prefix: what vftrace_section_prefix() returned. */
VFTRACE_DETAIL_SECTION_CALL(
    const vftrace_section*, vftrace_section_register_in,
    (const char* prefix, const char* name, int level, const char* live_message, int print_dots),
    return calls->register_section(prefix, name, level, live_message, print_dots), return 0)

/* Returns the library's one copy of the text. */
VFTRACE_DETAIL_SECTION_CALL(const char*, vftrace_section_prefix, (const char* text),
                            return calls->prefix(text), return text)

/* Begins and ends a section of the calling thread. An end is that of the innermost activation of
 * this section that is open on the thread; sections that were begun later go on. */
VFTRACE_DETAIL_SECTION_CALL(void, vftrace_section_begin, (const vftrace_section* section),
                            calls->begin(section), (void)0)
VFTRACE_DETAIL_SECTION_CALL(void, vftrace_section_end, (const vftrace_section* section),
                            calls->end(section), (void)0)

/* The same, where the end is that of the activation that this begin has noted in `mark`, whatever
 * else is open. If it is not open on the calling thread any more, nothing is ended and the call
 * counts as lost. */
VFTRACE_DETAIL_SECTION_CALL(void, vftrace_section_open,
                            (const vftrace_section* section, struct vftrace_section_mark* mark),
                            calls->open(section, mark), (void)0)
VFTRACE_DETAIL_SECTION_CALL(void, vftrace_section_close,
                            (const vftrace_section* section,
                             const struct vftrace_section_mark* mark),
                            calls->close(section, mark), (void)0)

/* Asks for a figure (enum vftrace_section_figure) of a section while the program runs. "Root" is
 * the whole program. Costs some microseconds.
 *
 * options: 0, or enum vftrace_section_option.
 * value:   the figure; 0 for a section that has not been run; NaN on errors.
 *
 * Returns an enum vftrace_section_error. */
VFTRACE_DETAIL_SECTION_CALL(int, vftrace_section_data,
                            (int figure, const char* name, int options, double* value),
                            return calls->data(figure, name, options, value),
                            return (*value = __builtin_nan(""), VFTRACE_SECTION_NO_FIGURES))

/* Keeps the calls and times of all sections as they are now, to be plotted over `label`: the number
 * of a time step, for example. The profile has at most 256 such points of a section, of 256
 * sections: of more snapshots every second one is kept, then every fourth, and so on.
 *
 * Returns an enum vftrace_section_error. */
VFTRACE_DETAIL_SECTION_CALL(int, vftrace_section_snapshot, (double label),
                            return calls->snapshot(label), return VFTRACE_SECTION_NO_FIGURES)

/* Returns the tables of sections as text, which the caller frees; a null pointer if nothing is
 * recorded or memory is exhausted. table: what they show; a null pointer: the table down to the
 * level of the option section.level. */
VFTRACE_DETAIL_SECTION_CALL(char*, vftrace_section_text,
                            (const struct vftrace_section_table* table), return calls->text(table),
                            return 0)

#undef VFTRACE_DETAIL_SECTION_CALL

#ifdef __cplusplus
}
#endif

#endif
