"""The library as a file: what it exports, what it needs, and what its hot path executes."""
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile
import unittest

from support import (BUILD, LIBRARY, LINK_LIBRARY, PROGRAMS, PROLOGUES, SOURCE, compile_program,
                     instructions_of, need_part, run)


def output_of(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                          check=True).stdout


def exported_names():
    """Patterns of src/exports.list as regular expressions."""
    lines = (SOURCE / "src" / "exports.list").read_text().split()
    return [re.compile(re.escape(line).replace(r"\*", ".*") + "$") for line in lines]


def names_of_shared_library():
    """The library's exports: name -> whether a linker sees it (a hidden version has one @)."""
    names = {}
    for line in output_of("nm", "-D", "--defined-only", LIBRARY).splitlines():
        _, kind, name = line.split()
        if kind != "A":  # the version itself
            names[name.split("@")[0]] = "@" not in name
    return names


class LibraryFile(unittest.TestCase):
    def test_exports_only_what_is_listed(self):
        names = names_of_shared_library()
        patterns = exported_names()
        self.assertEqual({name for name in names
                          if not any(pattern.match(name) for pattern in patterns)}, set())
        for needed in ("__cyg_profile_func_enter", "__cyg_profile_func_exit",
                       "vftrace_region_begin", "vftrace_region_end", "vftrace_get_stack",
                       "vftrace_get_stack_string_length", "vftrace_pause", "vftrace_resume",
                       "vftrace_restore_hooks"):
            self.assertIn(needed, names)

    def test_archive_has_the_same_names_and_keeps_the_rest_local(self):
        defined = {line.split()[-1] for line in
                   output_of("nm", "-g", "--defined-only", BUILD / "libvftrace.a").splitlines()
                   if len(line.split()) == 3}
        self.assertEqual(defined, set(names_of_shared_library()))

    def test_linkers_do_not_take_it_for_an_mpi_library(self):
        # Otherwise, with --as-needed, they would drop the real one.
        visible = {name for name, seen in names_of_shared_library().items() if seen}
        self.assertEqual({name for name in visible if re.match(r"P?MPI_", name)},
                         {"MPI_Init", "MPI_Init_thread", "MPI_Session_init",
                          "PMPI_Init", "PMPI_Init_thread", "PMPI_Session_init"})

    def test_brings_no_cxx_or_fortran_runtime(self):
        needed = set(re.findall(r"NEEDED.*\[(.*?)\]", output_of("readelf", "-d", LIBRARY)))
        self.assertLessEqual(needed, {"libelf.so.1", "libm.so.6", "libc.so.6",
                                      "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
                                      "libdl.so.2", "libpthread.so.0"})

    def test_linked_as_it_must_be(self):
        dynamic = output_of("readelf", "-d", LIBRARY)
        self.assertIn("NODELETE", dynamic)
        self.assertRegex(dynamic, r"SONAME.*libvftrace\.so\.0")
        undefined = output_of("nm", "-D", "-u", LIBRARY)
        self.assertNotIn("__tls_get_addr", undefined)  # thread-local storage is initial-exec
        self.assertNotIn("__cxa_demangle", undefined)
        self.assertNotIn("__cyg_profile", undefined)   # the library is not instrumented itself

    def test_no_static_is_initialised_at_its_first_use(self):
        """The library is built without guards for that: another thread or a signal handler could see an unfinished variable."""
        names = subprocess.run(["nm", "-C", LIBRARY], capture_output=True, text=True, check=True).stdout
        self.assertIn(" vftrace::", names)
        self.assertEqual([line for line in names.splitlines() if "guard variable" in line], [])

    def test_needs_no_executable_stack(self):
        self.assertRegex(output_of("readelf", "-lW", LIBRARY), r"GNU_STACK.* RW ")


class TestPrograms(unittest.TestCase):
    """The tools are linked with parts of the library, but use the system's functions."""

    def test_nothing_of_the_system_is_replaced(self):
        need_part("HAVE_UNIT_TESTS")
        programs = [BUILD / name for name in ("unit_tests", "instruction_lengths", "stack_walks.so")]
        for program in filter(pathlib.Path.exists, programs):
            defined = {line.split()[-1] for line in output_of("nm", "-g", "--defined-only", program).splitlines()}
            with self.subTest(program.name):
                self.assertEqual({name for name in defined if any(pattern.match(name) for pattern in exported_names())
                                  and not name.startswith("vftrace_")}, set())

    def test_the_library_does_not_start(self):
        need_part("HAVE_UNIT_TESTS")
        starts = "library_constructor()"
        self.assertIn(starts, output_of("nm", "-C", LIBRARY))
        self.assertNotIn(starts, output_of("nm", "-C", BUILD / "unit_tests"))


@unittest.skipUnless(platform.machine() == "x86_64", "written for x86-64 code")
class HotPath(unittest.TestCase):
    LIMIT = 64  # instructions, entry and exit

    def instructions(self, name):
        text = output_of("objdump", "-d", "--no-show-raw-insn", f"--disassemble={name}", LIBRARY)
        return [line.split("\t")[1].strip() for line in text.splitlines()
                if re.match(r"\s+[0-9a-f]+:\t", line)]

    def test_common_path_in_the_disassembly(self):
        total, limit = 0, self.LIMIT
        forbidden = ("call", "lock", "xchg", "push", "mfence", "rdtscp", "cpuid")
        if "clang" in output_of("readelf", "-p", ".comment", LIBRARY):
            # clang sets up a frame pointer to get the stack address: three more instructions in each hook.
            forbidden = tuple(word for word in forbidden if word != "push")
            limit += 6
        for name in ("__cyg_profile_func_enter", "__cyg_profile_func_exit"):
            code = self.instructions(name)
            # Rare code is reached by jumps, so the common path is the straight line to the first ret.
            common = code[:code.index("ret") + 1]
            total += len(common)
            for instruction in code:
                if instruction.split() != ["xchg", "%ax,%ax"]:  # a no-op
                    self.assertFalse(instruction.startswith(forbidden), instruction)
                self.assertNotIn("%xmm", instruction)
            self.assertEqual(sum(instruction == "rdtsc" for instruction in common), 1)
        self.assertLessEqual(total, limit)

    def test_counted_instructions(self):
        program = compile_program("hot_loop.c", ("-O2",))
        per_call = (instructions_of(program, 21000) - instructions_of(program, 1000)) / 20000
        # The loop, the call, the function and both PLT entries take fewer than 25 instructions.
        self.assertLess(per_call, self.LIMIT + 25)

    def test_folded_recursion_takes_few_more_instructions(self):
        """Levels beyond the limit once took about 30 times as many."""
        for flags in ((), PROLOGUES):
            program = compile_program("../bench/mutual_recursion.c", ("-O1", *flags),
                                      instrument=not flags, link=LINK_LIBRARY)
            for depth in (12, 100):
                with self.subTest(flags=flags, depth=depth):
                    counts = [instructions_of(program, depth, 20, VFTR_MAX_RECURSION=most) -
                              instructions_of(program, depth, 10, VFTR_MAX_RECURSION=most)
                              for most in (8, 1000)]
                    self.assertLess(counts[0], 2 * counts[1])


class StartAndEnd(unittest.TestCase):
    def test_system_calls_of_a_program_that_does_nothing(self):
        """Each costs about a microsecond, and much more in sandboxes and under tracers. The folder
        is not deep, because links in the path of each file are followed one by one."""
        count = compile_program("count_system_calls.c", instrument=False)
        program = compile_program("returns_at_once.c")
        calls = {}
        for preload in (False, True):
            folder = pathlib.Path(tempfile.mkdtemp())
            self.addCleanup(shutil.rmtree, folder)
            counted = run([count, folder / "calls", "env", *([f"LD_PRELOAD={LIBRARY}"] * preload),
                           program], preload=False, folder=folder, VFTR_OVERHEAD_BUDGET="")
            self.assertEqual((counted.status, counted.stderr), (0, ""))
            self.assertEqual("returns_at_once_all.log" in counted.files(), preload)
            calls[preload] = int((folder / "calls").read_text())
        # The program alone makes 30 or so, and `env` as many in both cases.
        self.assertLessEqual(calls[True] - calls[False] + 30, 350)


class Uses(unittest.TestCase):
    def test_archive_in_a_c_program_needs_no_cxx(self):
        program = compile_program("call_counts.c", link=[BUILD / "libvftrace.a", "-lelf", "-lm"],
                                  output="c_with_archive")
        self.assertNotIn("libstdc++", output_of("readelf", "-d", program))

    def test_headers_alone(self):
        for compiler, standard, header in (
                ("gcc", "c99", "vftrace.h"), ("clang", "c99", "vftrace.h"),
                ("g++", "c++11", "vftrace.hpp"), ("g++", "c++20", "vftrace.hpp"),
                ("clang++", "c++11", "vftrace.hpp"), ("clang++", "c++20", "vftrace.hpp")):
            if not shutil.which(compiler):
                continue
            with self.subTest(compiler=compiler, standard=standard):
                language = "c" if header.endswith(".h") else "c++"
                subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic",
                                "-Werror", "-fsyntax-only", f"-I{SOURCE / 'include'}", "-x",
                                language, "-"], input=f"#include <{header}>\nint main() "
                               "{ return 0; }\n" if language == "c++" else
                               f"#include <{header}>\nint main(void) {{ return 0; }}\n",
                               check=True, text=True)

    def test_dlopen_at_run_time(self):
        # Neither preloaded nor linked, but opened by the program when main is already running.
        program = compile_program("opens_library.c", ("-O1", "-rdynamic"), instrument=False)
        result = run([program, LIBRARY], preload=False)
        self.assertEqual((result.status, result.stdout), (0, "done\n"))
        self.assertEqual(result.calls(), {"init": 0, "opened later<init": 1})
