#!/usr/bin/env python3
"""Makes the files that the build needs from the table of MPI functions:

  mpi_functions.inc                         a row per function, for the enumeration and the names
  mpi_wrappers_1.cpp ... mpi_wrappers_8.cpp the wrappers
  mpi-functions.md                          the list of functions for the documentation
  mpi_functions.json                        the list of functions for the tests

All files are written every time, so that make sees them as new."""
import argparse
import json
import os
import sys

sys.dont_write_bytecode = True  # the source folder may belong to another user
from mpi_table import TableError, read_table

PARTS = 8  # files with wrappers; their names are also in Makefile.am

NOTICE = "Made by wrappers/generate.py from wrappers/mpi_functions.txt; changes here are lost."

# Argument names that would mean something else in a wrapper.
TAKEN_NAMES = frozenset("""alignas alignof and and_eq asm auto bitand bitor bool break case catch
    char char16_t char32_t char8_t class co_await co_return co_yield compl concept const const_cast
    consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum
    explicit export extern false float for friend goto if inline int long mutable namespace new
    noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct
    switch template this thread_local throw true try typedef typeid typename union unsigned using
    virtual void volatile wchar_t while xor xor_eq
    assert operation real site wrap wrap_clock""".split())


def parameter(name):
    return name + "_" if name in TAKEN_NAMES else name


def operation_type(function):
    """The C++ type of the operation with its template arguments."""
    struct, _, arguments = function.operation.struct.rstrip(">").partition("<")
    if not arguments:
        return struct
    values = {"L": "true" if function.is_large else "false",
              "C": f"Completion::{function.completion}"}
    return f"{struct}<{', '.join(values.get(word, word) for word in arguments.split(', '))}>"


def operation_value(function):
    """The declaration of the operation, with members that refer to the wrapper's arguments."""
    members = ", ".join(f".{role} = {parameter(name)}" for role, name in function.members())
    return f"{operation_type(function)} operation{{{members}}};" if members \
        else f"{operation_type(function)} operation;"


def clock_wrapper(function):
    return "".join(
        f"VFTRACE_MPI_EXPORT double {prefix}{function.name}() {{\n"
        f"    return wrap_clock(FunctionId::{function.name}, VFTRACE_MPI_SITE({called_as}));\n"
        "}\n" for prefix, called_as in (("", "called_as_mpi"), ("P", "called_as_pmpi")))


def wrapper(function):
    """The wrappers of MPI_x and PMPI_x."""
    if function.operation_name == "Clock":
        return clock_wrapper(function)
    names = [parameter(name) for _, name in function.arguments]
    declared = ", ".join(f"Word {name}" for name in names)
    passed = ", ".join(names)
    text = (
        "namespace {\n"
        f"[[gnu::always_inline]] inline Word wrapped_{function.name}("
        f"{', '.join(filter(None, (declared, 'const Site& site')))}) {{\n"
        f"    {operation_value(function)}\n"
        f"    return wrap(FunctionId::{function.name}, site, operation,\n"
        f"                [&](RealFunction<{len(names)}> real) {{ return real({passed}); }});\n"
        "}\n"
        "}  // namespace\n")
    for prefix, called_as in (("", "called_as_mpi"), ("P", "called_as_pmpi")):
        arguments = ", ".join(names + [f"VFTRACE_MPI_SITE({called_as})"])
        text += (f"VFTRACE_MPI_EXPORT Word {prefix}{function.name}({declared}) {{\n"
                 f"    return wrapped_{function.name}({arguments});\n"
                 "}\n")
    return text


def wrapper_file(functions):
    return (f"// {NOTICE}\n"
            '#include "mpi/operations.hpp"\n'
            '#include "mpi/wrapper.hpp"\n\n'
            "namespace vftrace {\n\n"
            + "\n".join(wrapper(function) for function in functions)
            + "\n}  // namespace vftrace\n")


def wrapper_files(functions):
    """PARTS files that take about the same time to compile: the functions are distributed among
    them in turn. The wrapper of the variadic function is written by hand."""
    wrapped = [function for function in functions if not function.variadic]
    return {f"mpi_wrappers_{part + 1}.cpp": wrapper_file(wrapped[part::PARTS])
            for part in range(PARTS)}


def name_rows(functions):
    return f"// {NOTICE}\n" + "".join(
        f'VFTRACE_MPI_FUNCTION({function.name}, "{function.name.lower()}")\n'
        for function in functions)


def documentation(functions):
    text = (f"<!-- {NOTICE} -->\n"
            "# MPI functions\n\n"
            f"The {len(functions)} functions below appear in the call tree with their calls and "
            "times, in C programs under\ntheir C name, in Fortran programs in lower case "
            "(`mpi_send`). The last column tells what is recorded\nof their messages. Conversions "
            "of handles and statuses between C and Fortran (`MPI_Comm_f2c` and the\nlike) are not "
            "recorded, and neither are extensions of single MPI libraries (`MPIX_*`).\n")
    large_forms = {function.large_form_of: function for function in functions}
    chapter = None
    for function in functions:
        if function.large_form_of:
            continue  # is in the row of the function without _c
        if function.chapter != chapter:
            chapter = function.chapter
            text += (f"\n## {chapter}\n\n| Function | Since MPI | With large counts | Messages |\n"
                     "|---|---|---|---|\n")
        large = large_forms.get(function.name)
        large_text = f"`{large.name}` ({large.version})" if large else ""
        text += (f"| `{function.name}` | {function.version} | {large_text} "
                 f"| {function.operation.messages or ''} |\n")
    return text


def list_for_tests(functions):
    return json.dumps([{"name": function.name,
                        "roles": ["+".join(roles) for roles, _ in function.arguments],
                        "arguments": len(function.arguments), "variadic": function.variadic,
                        "returns": function.returns, "version": function.version,
                        "operation": operation_type(function),
                        "messages": function.operation.messages}
                       for function in functions], indent=1) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", help="the table of MPI functions")
    parser.add_argument("--output", required=True, metavar="DIR", help="folder for the files")
    arguments = parser.parse_args()
    try:
        functions = read_table(arguments.table)
        files = wrapper_files(functions)
        files["mpi_functions.inc"] = name_rows(functions)
        files["mpi-functions.md"] = documentation(functions)
        files["mpi_functions.json"] = list_for_tests(functions)
        os.makedirs(arguments.output, exist_ok=True)
        for name, text in files.items():
            with open(os.path.join(arguments.output, name), "w", encoding="utf-8",
                      newline="\n") as file:
                file.write(text)
    except (TableError, OSError, UnicodeDecodeError) as error:
        sys.exit(f"generate.py: {error}")


if __name__ == "__main__":
    main()
