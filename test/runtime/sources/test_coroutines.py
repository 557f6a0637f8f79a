"""C++20 coroutines as tasks: custom types, asio's and Boost's, with two compilers at all levels of
optimisation."""
import csv
import json
import re
import shutil
import subprocess
import unittest

from support import COMMAND, PROGRAMS, ProgramTest, compile_program, run, some_of

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


def need_header(name):
    if subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-include", "utility", "-include", name, "-x", "c++", "/dev/null"],
                      capture_output=True).returncode != 0:
        raise unittest.SkipTest(f"{name} is not installed")


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
        source = PROGRAMS.parent.parent
        for header, use in uses.items():
            if header == "asio.hpp":
                need_header("asio.hpp")
            for compiler in COMPILERS:
                for standard in ("c++20", "c++2b"):
                    with self.subTest(header=header, compiler=compiler, standard=standard):
                        subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow",
                                        "-Wconversion", "-Werror", "-fsyntax-only", "-I", source / "include", "-x", "c++", "-"],
                                       input=f"#include <vftrace/{header}>\n{use}", text=True, check=True)

    def test_programs_without_coroutines(self):
        for header in ("vftrace/asio.hpp", "vftrace/boost_asio.hpp"):
            with self.subTest(header=header):
                program = compile_program("exceptions.cpp", ("-std=c++17", "-include", header), instrument=False)
                self.assertEqual(run([program], preload=False).status, 0)
