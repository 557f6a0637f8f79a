"""Asynchronous tasks by adapters: C++ objects and callables, Fortran, callbacks of libuv and libevent."""
import subprocess

from support import SOURCE, ProgramTest, compile_program, need, run, scratch_folder
from test_sections_languages import fortran_program
from test_tasks import TIMES, tasks

# The compilers of the C++ programs.
COMPILERS = (("g++", "-O0"), ("g++", "-O2"), ("clang++", "-O1"),
             ("g++", "-O1", "-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr/include"))
WITHOUT_EXCEPTIONS = ("g++", "-O1", "-fno-exceptions", "-fno-rtti")


def rows_of(result):
    """{type without its place: row}."""
    path, = result.folder.glob("*_all.json")
    return {name.partition(" (")[0]: row for name, row in tasks(path).items()}


class RowTest(ProgramTest):
    def check(self, rows, **expected):
        for name, row in expected.items():
            name = name.rstrip("_")
            name = name if name in rows else name.replace("_", " ")
            for column, value in row.items():
                unit = f"{column}[s]" if f"{column}[s]" in TIMES else column
                self.assertAlmostEqual(rows[name][unit], value, places=6, msg=f"{name}: {column}")


class Cxx(RowTest):
    def program(self, compiler, *flags):
        return compile_program("tasks_of_callables.cpp", flags, compiler, instrument=False,
                               link=["-std=c++17", "-Wall", "-Wextra", "-Werror", "-pthread"])

    def check_callables(self, rows):
        self.check(rows, thread=dict(own=4, completed=1), member=dict(own=1, completed=1), reference=dict(completed=1),
                   constant=dict(own=1, completed=1), dropped=dict(cancelled=1, stillborn=1, tasks=1),
                   copied=dict(own=2, tasks=2, completed=2, longest_task=1),
                   assigned=dict(own=1, tasks=2, completed=1, cancelled=1, stillborn=1),
                   parent=dict(own=1, with_children=3), child=dict(own=2, tasks=1))
        # As long as its callable lives, a callback is one task.
        self.check(rows, periodic=dict(own=6, longest_task=6, longest_run=3, tasks=1, completed=1, pauses=3, paused=20,
                                       wall=36),
                   never_called=dict(tasks=1, cancelled=1, stillborn=1),
                   in_itself=dict(own=3, tasks=2, completed=2, pauses=2, alive=0),
                   ends_itself=dict(own=1, tasks=1, completed=1, pauses=1))
        self.check(rows, object=dict(own=3, longest_run=2, completed=1, pauses=1), left=dict(own=1, cancelled=1, pauses=1),
                   failing=dict(failed=1, stillborn=1), released=dict(completed=1, stillborn=1),
                   at_exit=dict(tasks=1))

    def test_objects_and_callables(self):
        for compiler in COMPILERS:
            need(compiler[0])
            with self.subTest(compiler):
                result = self.profile(self.program(*compiler))
                rows = rows_of(result)
                self.check_callables(rows)
                self.check(rows, async_=dict(own=1, completed=1, failed=0, wall=1), deferred=dict(own=1, wall=6, completed=1),
                           throws=dict(own=1, completed=0, failed=1), packaged=dict(own=2, wall=5, completed=1),
                           moody=dict(own=3, tasks=1, pauses=3, completed=1, failed=0))

    def test_nothing_of_the_header_is_in_the_profile(self):
        profile = self.profile(self.program(*COMPILERS[-1])).profile()
        names = {function["name"] for function in profile["functions"]}
        self.assertIn("main", names)
        self.assertFalse([name for name in names if name.startswith(("_ZN7vftrace", "_ZNK7vftrace", "vftrace"))])

    def test_without_exceptions(self):
        rows = rows_of(self.profile(self.program(*WITHOUT_EXCEPTIONS)))
        self.check_callables(rows)
        self.assertNotIn("throws", rows)

    def test_places(self):
        """A type has the source location of its user, not one in the header."""
        path, = self.profile(self.program("g++", "-O2")).folder.glob("*_all.json")
        self.assertEqual([name for name in tasks(path) if "(tasks_of_callables.cpp:" not in name], [])

    def test_in_a_child_of_fork(self):
        """In the child, objects of the parent do not have a task, which is not a mistake; a callback continues as
        another task."""
        result = run([self.program("g++", "-O1"), "fork"])
        self.assertEqual((result.status, result.stderr), (0, ""))
        profiles = [{name.partition(" (")[0]: row for name, row in tasks(path).items()}
                    for path in result.folder.glob("*_all.json")]
        child, parent = sorted(profiles, key=lambda rows: "at exit" in rows)
        self.check(parent, held=dict(completed=1, tasks=1), once=dict(cancelled=1, stillborn=1),
                   callback=dict(own=1, tasks=1, completed=1, pauses=1), at_exit=dict(tasks=1))
        self.check(child, once=dict(completed=1), callback=dict(own=2, tasks=1, completed=1, pauses=2),
                   of_the_child=dict(completed=1))
        result = run([self.program("g++", "-O1"), "fork and exit"])
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(len(list(result.folder.glob("*_all.json"))), 1)

    def test_headers_are_clean(self):
        """For the oldest standards that they promise, with all warnings."""
        use = {"library_calls.h": "", "tasks.h": "vftrace_task_cancel(vftrace_task_create(\"a\", __FILE__, __LINE__));",
               "tasks.hpp": "vftrace::as_task(\"a\", [] {})();"}
        for header, compilers, standards in (("library_calls.h", ("gcc", "clang"), ("c99", "c11")),
                                             ("tasks.h", ("gcc", "clang"), ("c99", "c11")),
                                             ("tasks.h", ("g++", "clang++"), ("c++11", "c++20")),
                                             ("tasks.hpp", ("g++", "clang++"), ("c++17", "c++20"))):
            source = scratch_folder() / ("includes.cpp" if standards[0].startswith("c++") else "includes.c")
            source.write_text(f"#include <vftrace/{header}>\nint main(void) {{ {use[header]} return 0; }}\n")
            for compiler in compilers:
                for standard in standards:
                    with self.subTest(header=header, compiler=compiler, standard=standard):
                        subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow",
                                        "-Wconversion", "-Werror", "-fsyntax-only", "-I", SOURCE / "include", source],
                                       check=True)


class Fortran(RowTest):
    def test_module_procedures(self):
        result = run([fortran_program("tasks")], preload=False)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "live T F F\n", ""))
        path, = result.folder.glob("*_all.json")
        names = set(tasks(path))
        self.assertEqual({name for name in names if "(" in name}, {"outer (tasks.F90:8)", "unwanted (where.F90:7)"})
        self.check(rows_of(result), outer=dict(tasks=1, completed=1, pauses=3), failing=dict(tasks=1, failed=1),
                   unwanted=dict(tasks=1, cancelled=1, stillborn=1))
        self.assertEqual(len(names), 4)
        inner, = (path for path in result.paths() if path.startswith("inner"))
        self.assertIn("<outer (tasks.F90:8)<", inner)


class EventLoops(RowTest):
    """The examples: the callback that blocks the loop is at the top, and everything else is correct."""

    def program(self, name, library, *flags):
        need("pkg-config")
        found = subprocess.run(["pkg-config", "--cflags", "--libs", library], capture_output=True, text=True)
        if found.returncode != 0:
            self.skipTest(f"{library} is not installed")
        program = scratch_folder() / name
        subprocess.run(["gcc", "-O1", "-std=gnu99", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", *flags,
                        "-I", SOURCE / "include", SOURCE / "examples" / "callbacks" / f"{name}.c", "-o", program,
                        *found.stdout.split()], check=True)
        return program

    def check_loop(self, rows, **more):
        self.check(rows, send_reading=dict(tasks=1, completed=1, pauses=19, alive=0),
                   write_report=dict(tasks=1, completed=1, pauses=0, stillborn=0),
                   take_readings=dict(tasks=1, completed=1, alive=0), **more)
        self.assertEqual(next(iter(rows)), "write_report")
        self.assertGreaterEqual(rows["write_report"]["longest_run[s]"], 0.29)

    def test_libuv(self):
        for flags in ((), ("-finstrument-functions",)):
            with self.subTest(flags):
                result = self.profile(self.program("uv_readings", "libuv", *flags))
                self.assertEqual(result.stdout, "20 readings, 4 summaries\n")
                rows = rows_of(result)
                self.check_loop(rows, summarise=dict(tasks=4, completed=4, pauses=4, stillborn=0))
                self.assertGreaterEqual(rows["take_readings"]["with_children[s]"], 0.07)
                # Work of the pool is below the callback that queued it.
                self.assertTrue([path for path in result.paths()
                                 if path.startswith("summarise (") and "<take_readings (" in path])

    def test_libevent(self):
        for flags in ((), ("-finstrument-functions",)):
            with self.subTest(flags):
                result = self.profile(self.program("event_readings", "libevent", *flags))
                self.assertEqual(result.stdout, "20 readings\n")
                self.check_loop(rows_of(result))
