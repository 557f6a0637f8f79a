// The functions of libdw (elfutils) that are used. Opened, not linked, so that measured programs do
// not load it, and the libraries that it needs, at their start.
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>

namespace vftrace {

// clang-format off
#define VFTRACE_LIBDW_FUNCTIONS(row) \
    row(begin_elf, dwarf_begin_elf) row(end, dwarf_end) row(get_units, dwarf_get_units) \
    row(ranges, dwarf_ranges) row(child, dwarf_child) row(siblingof, dwarf_siblingof) \
    row(tag, dwarf_tag) row(entrypc, dwarf_entrypc) row(attr, dwarf_attr) \
    row(attr_integrate, dwarf_attr_integrate) row(formudata, dwarf_formudata) \
    row(formstring, dwarf_formstring) row(cu_die, dwarf_cu_die) \
    row(getsrcfiles, dwarf_getsrcfiles) row(filesrc, dwarf_filesrc) \
    row(decl_line, dwarf_decl_line) row(getsrc_die, dwarf_getsrc_die) row(lineno, dwarf_lineno) \
    row(linesrc, dwarf_linesrc) row(linecol, dwarf_linecol) \
    row(linediscriminator, dwarf_linediscriminator)
// clang-format on

struct Libdw {
#define VFTRACE_MEMBER(member, function) decltype(&::function) member;
    VFTRACE_LIBDW_FUNCTIONS(VFTRACE_MEMBER)
#undef VFTRACE_MEMBER
};

// nullptr if the library is not there. It is opened when this is first called.
const Libdw* libdw();

}  // namespace vftrace
