"""C++20 coroutines as tasks: custom types, asio's and Boost's, with two compilers at all levels of
optimisation."""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import pytest

from support import COMMAND, PROGRAMS, SOURCE, ProgramTest, compile_program, run, some_of

COMPILERS = [compiler for compiler in ("g++", "clang++-19") if shutil.which(compiler)]
LEVELS = ("-O0", "-O1", "-O2", "-O3")


def builds(source, *flags, levels=LEVELS, clang_hooks="-finstrument-functions"):
    """Yields (text, program): with each compiler, with and without hooks; in the first layer some of these."""
    # Added by the wrappers: GCC cannot compile symmetric transfer with hooks otherwise.
    hooks = {"g++": ("-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr/include",
                     "-fno-optimize-sibling-calls"), "clang++-19": (clang_hooks,)}
    ways = [(compiler, level, added) for compiler in COMPILERS for level in levels for added in ((), hooks[compiler])]
    for compiler, level, added in some_of(ways, 5):
        yield (f"{compiler} {level} {' '.join(added)}",
               compile_program(source, ("-std=c++20", level, "-pthread", *flags, *added), compiler, instrument=False))


def has_header(name):
    return subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-include", "utility", "-include", name, "-x", "c++", "/dev/null"],
                          capture_output=True).returncode == 0


def need_header(name):
    if not has_header(name):
        raise unittest.SkipTest(f"{name} is not installed")


def versions_of_asio():
    """Yields (text, flags): stand-alone asio, and Boost's in all versions that there are."""
    ways = {"asio": ("-include", "vftrace/asio.hpp"), "Boost.Asio": ("-DWITH_BOOST", "-include", "vftrace/boost_asio.hpp")}
    for text, header, flags in (("asio", "asio.hpp", ()), ("Boost.Asio", "boost/asio.hpp", ()),
                                ("Boost.Asio", os.environ.get("VFTRACE_TEST_BOOST", ""), None)):
        if flags is None:
            if header:
                yield f"{text} in {header}", (*ways[text], "-isystem", header)
        elif has_header(header):
            yield text, ways[text]


def tasks(result):
    """{name without place: its row}, and {name: line}."""
    profile, = result.folder.glob("*_all.json")
    text = subprocess.run([COMMAND, "report", "--table", "tasks", "--full-names", "--format", "csv", profile], check=True,
                          capture_output=True, text=True).stdout
    rows, lines = {}, {}
    for row in csv.DictReader(text.splitlines()):
        name, _, line = re.fullmatch(r"(.*) \((\w+\.cpp):(\d+)\)", row.pop("task")).groups()
        name = re.sub(r"^({anonymous}|\(anonymous namespace\))::", "", name)
        rows[name] = {column.split("[")[0]: float(value) for column, value in row.items()}
        lines[name] = int(line)
    return rows, lines


def paths(result):
    """The names of all paths, the innermost first, without places of tasks."""
    profile = json.loads(next(result.folder.glob("*_all.json")).read_text())
    names = [re.sub(r" \(\w+\.cpp:\d+\)$", "", function["display"]) for function in profile["functions"]]
    found = []
    for node in profile["nodes"]:
        above = "" if node["parent"] is None else "<" + found[node["parent"]]
        found.append(names[node["function"]] + above)
    return found


def clones(result):
    """Symbols of functions that compilers generate from coroutines."""
    profile = json.loads(next(result.folder.glob("*_all.json")).read_text())
    return [function["symbol"] for function in profile["functions"]
            if re.search(r"\.(actor|resume|destroy|cleanup)$", function.get("symbol", ""))]


def row(own, with_children, wall, longest_task=None, longest_run=None, tasks=1, pauses=0, paused=0, completed=None, failed=0,
        cancelled=0, stillborn=0):
    longest_task = own if longest_task is None else longest_task
    return {"own": own, "with_children": with_children, "wall": wall, "longest_task": longest_task,
            "longest_run": longest_task if longest_run is None else longest_run, "tasks": tasks, "alive": 0,
            "completed": tasks - failed - cancelled if completed is None else completed, "failed": failed,
            "cancelled": cancelled, "stillborn": stillborn, "pauses": pauses, "paused": paused}


# The figures of await_operations.cpp. The work that starts an operation belongs to the task, whenever the library calls it.
OPERATIONS = {
    "early": row(13, 13, 13, longest_run=3, pauses=4),
    "late": row(13, 13, 13, longest_run=3, pauses=4),
    "resumed_at_once": row(13, 13, 11, longest_run=10, pauses=1),
    "destroyed_at_once": row(3, 3, 1, cancelled=1, pauses=1),
    "throws_early": row(3, 3, 3, longest_run=2, pauses=1),
    "throws_late": row(3, 3, 103, longest_run=2, pauses=1, paused=100),
    "comes_after": row(5, 5, 5),
}

def table_of_handlers(result, source, table):
    """[(function that has the lambda expression, or name; row)]"""
    profile, = result.folder.glob("*_all.json")
    text = subprocess.run([COMMAND, "report", "--table", table, "--full-names", "--format", "csv", profile], check=True,
                          capture_output=True, text=True).stdout
    code = (PROGRAMS / source).read_text().splitlines()
    for task in csv.DictReader(text.splitlines()):
        name = task["task"]
        if place := re.fullmatch(r"{lambda} \(.*:(\d+)\)", name):  # Clang
            before = code[:int(place[1])]
            name = next(match[1] for line in reversed(before) if (match := re.match(r"(?:    )?(?:static )?void (\w+)\(", line)))
            name += "::{inner}" if name == "polls" and before[-1].startswith(" " * 8) else ""
        elif lambdas := re.findall(r"(\w+)(?=::<lambda\()", name):  # GCC
            name = lambdas[0] + "::{inner}" * (name.count("<lambda(") - 1)
        yield name, task


def handlers(result, source):
    """{name: (own time, tasks, completed, failed, cancelled, stillborn)}"""
    return {name: (float(task["own[s]"]), *(int(task[column]) for column in ("tasks", "completed", "failed", "cancelled",
                                                                            "stillborn")))
            for name, task in table_of_handlers(result, source, "tasks")}


# The figures of asio_callbacks.cpp on the clock that it sets.
HANDLERS = {
    "reads": (6, 4, 4, 0, 0, 0),
    "writes": (3, 3, 3, 0, 0, 0),
    "sends": (60, 3, 3, 0, 0, 0),
    "client: async_connect": (10, 1, 1, 0, 0, 0),
    "accepts: async_accept": (5, 1, 1, 0, 0, 0),
    "throws": (1, 1, 0, 1, 0, 0),
    "polls": (2, 1, 1, 0, 0, 0),
    "polls::{inner}": (3, 1, 1, 0, 0, 0),
    "is_cancelled": (1, 1, 0, 0, 1, 0),
    "in_strand": (3, 3, 3, 0, 0, 0),
    "posted function": (7, 1, 1, 0, 0, 0),
    "in_pool": (4, 4, 4, 0, 0, 0),
    "never_called": (0, 1, 0, 0, 1, 1),
}

# The figures of await_cases.cpp on the clock that it sets, in seconds.
CASES = {
    "blocks": row(1, 1, 1),
    "pauses": row(3, 3, 103, longest_run=2, pauses=1, paused=100),
    "child": row(6, 6, 6, longest_task=3, tasks=3),
    "parent": row(2, 8, 8, longest_run=1, pauses=3, paused=6),
    "fostered": row(4, 4, 5),
    "foster_parent": row(1, 1, 5, pauses=1, paused=4),  # what it awaits is not its own
    "creator": row(2, 65, 5),
    "outlives": row(22, 63, 124, longest_run=20, pauses=1, paused=101),
    "grandchild": row(41, 41, 264, longest_run=40, pauses=1, paused=223),
    "fails": row(1, 1, 1, failed=1),
    "catches": row(2, 3, 3, pauses=1, paused=1),
    "never_run": row(0, 0, 0, cancelled=1, stillborn=1),
    "cancelled_when_paused": row(1, 1, 2, cancelled=1, pauses=1, paused=1),
    "counts": row(3, 3, 3, longest_run=1, pauses=3),
    "suspends_in_all_ways": row(13, 13, 13, longest_run=8, pauses=3),
    "recurses": row(21, 21, 231, longest_task=1, tasks=21, pauses=20, paused=210),
    "moves": row(7, 7, 7, longest_run=4, pauses=2),
    "worker::works": row(7, 7, 7),
    "converts": row(2, 2, 2, longest_task=1, tasks=2),
    "lambda": row(6, 6, 6),
    "inside_inner_loop": row(6, 6, 6, longest_run=3, pauses=1),
    "has_loop": row(3, 9, 9, longest_run=2, pauses=1),
}


class Coroutines(ProgramTest):
    def test_all_cases(self):
        source = (PROGRAMS / "await_cases.cpp").read_text().splitlines()
        for text, program in builds("await_cases.cpp", "-Wall", "-Wextra", "-Werror"):
            with self.subTest(build=text):
                result = self.profile([program])
                rows, lines = tasks(result)
                for name in list(rows):  # GCC's and Clang's names of lambdas
                    if name.startswith("main::"):
                        rows["lambda"], lines["lambda"] = rows.pop(name), lines.pop(name)
                for figures in rows.values():
                    del figures["share"]
                self.assertEqual(set(rows), set(CASES))
                for name, figures in rows.items():
                    self.assertEqual({column: round(value, 6) for column, value in figures.items()}, CASES[name], name)
                self.assertEqual(clones(result), [])
                for name, line in lines.items():  # the first line of its function, or the last
                    short = name.rpartition("::")[2]
                    first = next(i for i, code in enumerate(source, 1)
                                 if re.search(rf"\b{short}(\(| = \[)", code) and code.endswith(("{", "}")))
                    self.assertTrue(first <= line < first + 22, f"{name}: line {line}, begins in {first}")

    def test_operations(self):
        for text, program in builds("await_operations.cpp", "-Wall", "-Wextra", "-Werror"):
            with self.subTest(build=text):
                rows, _ = tasks(self.profile([program]))
                self.assertEqual(set(rows), set(OPERATIONS))
                for name, figures in rows.items():
                    del figures["share"]
                    self.assertEqual({column: round(value, 6) for column, value in figures.items()}, OPERATIONS[name], name)

    def test_parents_of_tasks(self):
        result = self.profile([compile_program("await_cases.cpp", ("-O1", "-pthread"), instrument=False)])
        found = [re.sub(r"{anonymous}::", "", path) for path in paths(result)]
        for path in ("child<parent<init", "grandchild<outlives<creator<init", "fostered<init", "fails<catches<init",
                     "inside_inner_loop<has_loop<init", "moves<init"):
            self.assertIn(path, found)
        self.assertNotIn("fostered<foster_parent<init", found)

    def test_from_thread_to_thread(self):
        for text, program in builds("await_threads.cpp", levels=("-O0", "-O2")):
            with self.subTest(build=text):
                rows, _ = tasks(self.profile([program]))
                self.assertEqual((rows["works"]["tasks"], rows["works"]["completed"]), (50, 50))
                self.assertEqual((rows["part"]["tasks"], rows["part"]["completed"]), (2000, 2000))
                # Each `works` pauses for each part, and again in the queue after it.
                self.assertEqual((rows["works"]["pauses"], rows["part"]["pauses"]), (50 * 2 * 40, 50 * 14))

    def test_switched_off(self):
        program = compile_program("await_cases.cpp", ("-O1", "-pthread"), instrument=False)
        for variables in ({"VFTR_OFF": "yes"}, {"VFTR_TASK_ACTIVE": "no"}):
            with self.subTest(**variables):
                result = self.profile([program], **variables)
                self.assertNotIn("Task ranks", result.text() if result.files() else "")


class Asio(ProgramTest):
    def check(self, result, messages, threads=1):
        rows, _ = tasks(result)
        self.assertEqual(set(rows), {"session", "client", "listener"})
        for name in ("session", "client"):
            own = rows[name]
            self.assertEqual((own["tasks"], own["completed"], own["alive"]), (threads, threads, 0), name)
            self.assertEqual(own["pauses"], threads * (2 * messages + 1), name)
            # These tasks send and receive: that counts as their time, although asio does it while they wait.
            self.assertGreater(own["longest_task"], 0.5 * own["own"] / threads, name)
            self.assertGreater(own["own"], 0, name)
        self.assertEqual(rows["listener"]["pauses"], threads)
        below = [path for path in paths(result) if path.startswith(("session<", "client<", "listener<"))]
        self.assertTrue(all(re.match("(session<)+(listener<)+", path) for path in below if path.startswith("session")), below)
        # asio's own coroutines are not tasks if only the loop has created them.
        self.assertFalse([symbol for symbol in clones(result) if not symbol.startswith("_ZN4asio")])

    def test_unchanged_program(self):
        need_header("asio.hpp")
        # With other hooks Clang leaves functions of GCC's std::allocator undefined.
        for text, program in builds("asio_echo.cpp", "-include", "vftrace/asio.hpp", levels=("-O1", "-O2"),
                                    clang_hooks="-finstrument-functions-after-inlining"):
            with self.subTest(build=text):
                self.check(self.profile([program, "50"]), 50)

    def test_several_threads(self):
        need_header("asio.hpp")
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                program = compile_program("asio_echo.cpp", ("-std=c++20", "-O2", "-pthread", "-include", "vftrace/asio.hpp"),
                                          compiler, instrument=False)
                self.check(self.profile([program, "200", "4"]), 200, threads=4)

    def test_boost(self):
        need_header("boost/asio.hpp")
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                program = compile_program("asio_echo.cpp", ("-std=c++20", "-O1", "-pthread", "-DWITH_BOOST", "-include",
                                                            "vftrace/boost_asio.hpp"), compiler, instrument=False)
                self.check(self.profile([program, "50"]), 50)

    def test_work_that_starts_operations(self):
        """Is part of the task, although newer versions of asio do it after the coroutine was suspended."""
        for text, flags in versions_of_asio():
            for compiler in COMPILERS:
                with self.subTest(library=text, compiler=compiler):
                    program = compile_program("asio_operations.cpp", ("-std=c++20", "-O1", "-pthread", *flags), compiler,
                                              instrument=False)
                    rows, _ = tasks(self.profile([program]))
                    found = {name: (figures["own"], figures["with_children"], figures["tasks"], figures["completed"])
                             for name, figures in rows.items()}
                    self.assertEqual(found, {"works": (1, 13, 1, 1), "encrypt": (12, 12, 4, 4), "awaits_directly": (4, 4, 1, 1)})

    def test_tls(self):
        """Encryption is work of the coroutine that sends."""
        need_header("asio/ssl.hpp")
        for text, flags in versions_of_asio():
            with self.subTest(library=text):
                program = compile_program("asio_ssl.cpp", ("-std=c++20", "-O1", "-pthread", *flags), instrument=False,
                                          link=("-lssl", "-lcrypto"))
                rows, _ = tasks(self.profile([program]))
                self.assertEqual({name: (figures["own"], figures["completed"]) for name, figures in rows.items()},
                                 {"client": (24, 1), "server": (5, 1)})

    def test_cancelled_by_asio(self):
        for text, flags in versions_of_asio():
            with self.subTest(library=text):
                program = compile_program("asio_cancelled.cpp", ("-std=c++20", "-O1", "-pthread", "-DVFTRACE_WITHOUT_ASIO_HANDLERS", *flags),
                                          instrument=False)
                rows, _ = tasks(self.profile([program]))
                found = {name: (figures["completed"], figures["failed"], figures["cancelled"]) for name, figures in rows.items()}
                self.assertEqual(found, {"waits": (0, 0, 1), "waits_and_catches": (1, 0, 0), "refused": (0, 1, 0),
                                         "throws": (0, 1, 0)})

    def test_version_that_is_too_old(self):
        for header, library, macro in (("asio.hpp", "asio", "ASIO_VERSION"), ("boost_asio.hpp", "boost/asio", "BOOST_ASIO_VERSION")):
            with self.subTest(header=header), tempfile.TemporaryDirectory() as folder:
                version = pathlib.Path(folder, library, "version.hpp")
                version.parent.mkdir(parents=True)
                version.write_text(f"#define {macro} 101600\n")
                result = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-I", folder, "-I", SOURCE / "include", "-include",
                                         f"vftrace/{header}", "-x", "c++", "/dev/null"], capture_output=True, text=True)
                self.assertNotEqual(result.returncode, 0)
                self.assertEqual(len(re.findall("error:", result.stderr)), 1, result.stderr)
                self.assertIn(f"vftrace/{header} needs asio 1.18 or later", result.stderr)

    def test_handlers(self):
        """Each handler is a task, and a child of the one that started its operation."""
        for text, flags in versions_of_asio():
            for compiler in COMPILERS:
                with self.subTest(library=text, compiler=compiler):
                    program = compile_program("asio_callbacks.cpp", ("-std=c++20", "-O1", "-pthread", *flags), compiler,
                                              instrument=False)
                    result = self.profile([program])
                    self.assertEqual((result.stdout, result.stderr), ("done\n", ""))
                    self.assertEqual(handlers(result, "asio_callbacks.cpp"), HANDLERS)
                    self.assertIn("client: async_connect<init", paths(result))

    def test_ready_before_they_run(self):
        """Posted functions from the start, timers since they expired, reads since the data were there."""
        for text, flags in versions_of_asio():
            for compiler in COMPILERS:
                with self.subTest(library=text, compiler=compiler):
                    program = compile_program("asio_ready.cpp", ("-std=c++20", "-O1", "-pthread", *flags), compiler,
                                              instrument=False)
                    found = {}
                    for name, row in table_of_handlers(self.profile([program]), "asio_ready.cpp", "task_runs"):
                        name = re.sub(r" \(.*", "", name).rpartition("::")[2] if "lambda" not in name else name
                        known, longest = found.get(name, (0, 0))
                        here = float(row["longest_ready[s]"] or 0)
                        found[name] = (known + int(row["ready"]), max(longest, here))
                        self.assertEqual(f"ready for {here * 1000:.0f} ms before it ran" in row["hint"], here > 0, row)
                    self.assertEqual(found, {"posts": (2, 30), "timers": (2, 30.999), "reads": (2, 5), "waits": (1, 49.999), "reads_halves": (1, 0),
                                             "blocks": (0, 0)})

    @pytest.mark.timing
    def test_time_of_the_loop(self):
        """Tasks, the thread's work outside them and idle time add up to its life."""
        need_header("asio.hpp")
        program = compile_program("asio_loop.cpp", ("-std=c++17", "-O1", "-pthread", "-include", "vftrace/asio.hpp"),
                                  instrument=False)
        result = run([program])
        life, processor, in_handlers, processor_in_handlers = (float(ms) / 1e3 for ms in result.stdout.split())
        profile, = result.folder.glob("*_all.json")
        loop, = json.loads(profile.read_text())["task_loops"]
        tolerance = 0.02 * life  # the start of the process is in its processor time
        self.assertAlmostEqual(loop["busy_ns"] / 1e9, in_handlers, delta=tolerance)
        self.assertAlmostEqual(loop["outside_ns"] / 1e9, processor - processor_in_handlers, delta=tolerance)
        text = subprocess.run([COMMAND, "report", "--table", "task_loops", "--format", "csv", profile], check=True,
                              capture_output=True, text=True).stdout
        row, = csv.DictReader(text.splitlines())
        self.assertAlmostEqual(float(row["idle[s]"]), life - in_handlers - (processor - processor_in_handlers), delta=tolerance)

    def test_handlers_without_coroutines(self):
        need_header("asio.hpp")
        for standard, found in (("c++17", HANDLERS), ("c++14", None)):
            with self.subTest(standard=standard):
                program = compile_program("asio_callbacks.cpp", ("-O1", "-pthread", "-include", "vftrace/asio.hpp",
                                                                 f"-std={standard}"), "g++-12", instrument=False)
                result = self.profile([program])
                if found:
                    self.assertEqual(handlers(result, "asio_callbacks.cpp"), found)
                else:
                    self.assertNotIn("Task ranks", result.text() if result.files() else "")

    def test_without_handlers(self):
        """Both ways to leave them out; the second one is asio's own tracking, which prints to stderr."""
        need_header("asio.hpp")
        for macro in ("VFTRACE_WITHOUT_ASIO_HANDLERS", "ASIO_ENABLE_HANDLER_TRACKING"):
            with self.subTest(macro=macro):
                program = compile_program("asio_callbacks.cpp", ("-O1", "-pthread", f"-D{macro}", "-include", "vftrace/asio.hpp"),
                                          instrument=False)
                result = run([program])
                self.assertEqual("@asio|" in result.stderr, macro == "ASIO_ENABLE_HANDLER_TRACKING")
                self.assertNotIn("Task ranks", result.text() if result.files() else "")

    def test_both_libraries_in_one_program(self):
        need_header("asio.hpp")
        need_header("boost/asio.hpp")
        flags = ("-std=c++20", "-O1", "-pthread", "-include")
        boost = compile_program("asio_both.cpp", (*flags, "vftrace/boost_asio.hpp", "-DWITH_BOOST", "-c"), instrument=False,
                                output="boost.o")
        program = compile_program("asio_both.cpp", (*flags, "vftrace/asio.hpp"), instrument=False, link=(boost,))
        profile, = self.profile([program]).folder.glob("*_all.json")
        text = subprocess.run([COMMAND, "report", "--table", "tasks", "--full-names", "--format", "csv", profile], check=True,
                              capture_output=True, text=True).stdout
        found = {re.sub(r" \(.*", "", row["task"]): (float(row["own[s]"]), int(row["completed"]))
                 for row in csv.DictReader(text.splitlines())}
        self.assertEqual(found, {"of_asio": (2, 1), "of_boost": (6, 1), "asio_handler: execute": (1, 1),
                                 "boost_handler: execute": (3, 1)})

    def test_operations_at_once(self):
        """Reads, or is woken by a timer: asio runs both in its own coroutines."""
        need_header("asio/experimental/awaitable_operators.hpp")
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                program = compile_program("asio_either.cpp", ("-std=c++20", "-O1", "-pthread", "-include", "vftrace/asio.hpp"),
                                          compiler, instrument=False)
                for threads in ("1", "3"):
                    result = run([program, "100", threads])
                    self.assertEqual((result.status, result.stdout, result.stderr), (0, "100 of 100\n", ""))
                    rows, _ = tasks(result)
                    self.assertEqual(set(rows), {"both", "one"})
                    self.assertEqual((rows["one"]["tasks"], rows["one"]["completed"], rows["one"]["alive"]), (100, 100, 0))
                    self.assertGreaterEqual(rows["one"]["pauses"], 100)

    def test_headers_are_clean(self):
        """With all warnings."""
        uses = {"coroutines.hpp": "struct task { struct promise_type { task get_return_object() { return {}; } "
                                  "std::suspend_never initial_suspend() { return {}; } "
                                  "std::suspend_never final_suspend() noexcept { return {}; } "
                                  "void return_void() {} void unhandled_exception() {} }; };\n"
                                  "VFTRACE_TRACE_TASK(task)\ntask work() { co_await std::suspend_never{}; }\n",
                "asio.hpp": "#include <asio.hpp>\nasio::awaitable<int> work() { co_return 1; }\n"
                            "asio::awaitable<int> more() { co_return co_await work(); }\n"}
        for header, use in uses.items():
            if header == "asio.hpp":
                need_header("asio.hpp")
            for compiler in COMPILERS:
                for standard in ("c++20", "c++2b"):
                    with self.subTest(header=header, compiler=compiler, standard=standard):
                        subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow",
                                        "-Wconversion", "-Werror", "-fsyntax-only", "-I", SOURCE / "include", "-x", "c++", "-"],
                                       input=f"#include <vftrace/{header}>\n{use}", text=True, check=True)

    def test_programs_without_coroutines(self):
        for header in ("vftrace/asio.hpp", "vftrace/boost_asio.hpp"):
            with self.subTest(header=header):
                program = compile_program("exceptions.cpp", ("-std=c++17", "-include", header), instrument=False)
                self.assertEqual(run([program], preload=False).status, 0)
