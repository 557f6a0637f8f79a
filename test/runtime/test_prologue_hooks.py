"""Hooks in prologues and epilogues (gcc -pg -mfentry): the same calls, and unchanged registers."""
import platform
import subprocess
import unittest

import pytest

from support import (BUILD, LIBRARY, PROGRAMS, PROLOGUES, ProgramTest,
                     clean_environment, compile_program, need, run, scratch_folder, some_of)

ARCHIVE = LIBRARY.parent.parent / "libvftrace.a"
COMPILERS = {".c": "gcc", ".cpp": "g++"}

# Programs whose calls do not depend on chance or on what is inlined.
PROGRAMS_ALIKE = (
    "call_counts.c", "exceptions.cpp", "exit_nested.c", "fiber_abandoned.c", "fiber_generator.c",
    "fiber_scheduler.c", "fork_vfork.c", "get_stack.c", "longjmp_siblings.c", "many_paths.cpp",
    "mutual_recursion.c", "overloads.cpp", "own_malloc.c", "region_in_handler.c", "regions.c",
    "static_constructor.cpp", "thread_c11.c", "thread_exceptions.cpp", "thread_nested.c",
    "thread_regions.c", "throw_jumps.c", "throw_noexcept.cpp", "throw_paths.cpp")


def compile_with_prologues(name, *flags, **arguments):
    return compile_program(name, (*flags, *PROLOGUES), COMPILERS[(PROGRAMS / name).suffix],
                           instrument=False, link=[LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}"],
                           **arguments)


def calls(result):
    """{path: calls} without the functions of the standard library's headers, which only one of the
    two kinds of hooks can leave out."""
    return {path: node["calls"] for path, node in result.paths().items()
            if "std::" not in path and "operator" not in path}


@unittest.skipUnless(platform.machine() == "x86_64", "these hooks are for x86-64")
class PrologueHooks(ProgramTest):
    maxDiff = None

    @pytest.mark.slow
    def test_calls_are_those_of_the_other_hooks(self):
        for name in some_of(PROGRAMS_ALIKE, 8):
            with self.subTest(program=name):
                compiler = COMPILERS[(PROGRAMS / name).suffix]
                need(compiler)
                bodies = run([compile_program(name, ("-O0", "-pthread"), compiler)])
                prologues = run([compile_with_prologues(name, "-O0", "-pthread")])
                self.assertEqual(prologues.status, bodies.status)
                self.assertEqual(prologues.stdout, bodies.stdout)
                self.assertGreater(len(calls(bodies)), 1)
                self.assertEqual(calls(prologues), calls(bodies))

    def test_registers_are_kept(self):
        variants = ({}, {"VFTR_OVERHEAD_BUDGET": None}, {"VFTR_OVERHEAD_BUDGET": 0.01},
                    {"VFTR_TIMING": "exact"}, {"VFTR_FILTER_EXCLUDE": "."}, {"VFTR_OFF": "yes"}, {"VFTR_SAMPLING": "yes"})
        for optimisation in ("-O0", "-O2", "-O3"):
            program = compile_with_prologues("kept_registers.c", optimisation)
            alone = subprocess.run(
                [compile_program("kept_registers.c", (optimisation,), instrument=False)],
                capture_output=True, text=True, check=True).stdout
            for variables in variants:
                with self.subTest(optimisation=optimisation, variables=variables):
                    result = run([program], **variables)
                    self.assertEqual((result.status, result.stdout), (0, alone))

    def test_code_is_compiled_as_without_hooks(self):
        # Functions that gcc inlines have no hooks here; with -finstrument-functions they would.
        program = compile_with_prologues("inlined_functions.c", "-O2")
        paths = calls(run([program]))
        self.assertFalse([path for path in paths if path.startswith(("inner<", "middle<"))], paths)
        self.assertEqual(sum(number for path, number in paths.items()
                             if path.startswith("leaf<")), 50)

    def test_small_stacks(self):
        alone = subprocess.run(
            [compile_program("small_stacks.c", ("-O2", "-pthread"), instrument=False)],
            capture_output=True, text=True)
        if alone.returncode != 0:
            self.skipTest("the kernel needs more than 8 KiB for a signal")
        for program in (compile_with_prologues("small_stacks.c", "-O2", "-pthread"),
                        compile_program("small_stacks.c", ("-O2", "-pthread"))):
            for variables in ({}, {"VFTR_OVERHEAD_BUDGET": 0.01}, {"VFTR_TIMING": "exact"},
                              {"VFTR_FILTER_EXCLUDE": "."}, {"VFTR_SAMPLING_ACTIVE": "yes"}):
                with self.subTest(program=program, variables=variables):
                    result = run([program], **variables)
                    self.assertEqual((result.status, result.stdout), (0, alone.stdout))

    def wrap(self, folder, *words, **variables):
        """Compiles with vftrace-cc in the folder; returns its output."""
        command = [BUILD / "scripts" / "vftrace-cc", *words]
        result = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True,
                                text=True, env=clean_environment(VFTRACE_CC="gcc", **variables))
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stderr

    def two_parts(self):
        """The source of a library with a function that calls another, and a program that calls it."""
        folder = scratch_folder()
        (folder / "part.c").write_text(
            "__attribute__((noinline)) int inner(int x) { __asm__ volatile(\"\"); return x; }\n"
            "int twice(int x) { return inner(x) + inner(x); }\n")
        (folder / "main.c").write_text(
            "#include <stdio.h>\nint twice(int);\n"
            "int main(void) { printf(\"%d\\n\", twice(21)); return 0; }\n")
        (folder / "part.map").write_text("{ global: twice; local: *; };\n")
        return folder

    def test_shared_library(self):
        expected = {"main<init": 1, "twice<main<init": 1, "inner<twice<main<init": 2}
        for options in ((), ("-Wl,-Bsymbolic",), ("-Wl,--version-script=part.map",), ("-Wl,-z,now",),
                        ("-nostdlib",), ("-fcf-protection=full",), ("-fno-plt",)):
            with self.subTest(options=options):
                folder = self.two_parts()
                self.wrap(folder, "-O2", "-fPIC", "-c", "part.c")
                self.wrap(folder, "-shared", "part.o", *options, "-o", "libpart.so")
                subprocess.run(["gcc", "main.c", "./libpart.so", "-o", "without"], cwd=folder,
                               check=True)
                alone = subprocess.run(["./without"], cwd=folder, capture_output=True, text=True,
                                       env=clean_environment())
                self.assertEqual((alone.stdout, alone.stderr), ("42\n", ""))
                self.wrap(folder, "-O2", "main.c", "./libpart.so", "-o", "main")
                profiled = run([folder / "main"], folder=folder, preload=False)
                self.assertEqual(profiled.stdout, "42\n")
                self.assertEqual({path: number for path, number in profiled.calls().items()
                                  if path != "init"}, expected)

    def test_objects_in_a_static_program(self):
        folder = self.two_parts()
        self.wrap(folder, "-O2", "-c", "part.c")
        self.assertIn("linking without vftrace",
                      self.wrap(folder, "-O2", "-static", "main.c", "part.o", "-o", "main"))
        alone = subprocess.run(["./main"], cwd=folder, capture_output=True, text=True,
                               env=clean_environment())
        self.assertEqual((alone.stdout, alone.stderr), ("42\n", ""))

    def test_archive_of_the_library(self):
        # There the linker turns calls through the global offset table into direct calls.
        if not ARCHIVE.exists():
            self.skipTest("libvftrace.a is not built")
        link = ["-Wl,--whole-archive", ARCHIVE, "-Wl,--no-whole-archive", "-lelf", "-lm"]
        program = compile_program("call_counts.c", ("-O0", "-fpie", "-pie", *PROLOGUES),
                                  instrument=False, link=link)
        bodies = run([compile_program("call_counts.c", ("-O0",))])
        self.assertEqual(calls(run([program], preload=False, VFTR_OVERHEAD_BUDGET=0)),
                         calls(bodies))
        hot = compile_program("hot_loop.c", ("-O1", "-fpie", "-pie", *PROLOGUES), instrument=False,
                              link=link)
        # More calls than can be made in the first 100 ms, in which no function loses its hooks.
        result = run([hot, "200000000"], preload=False, VFTR_OVERHEAD_BUDGET=10,
                     VFTR_STACK_SAMPLING_BESIDE_HOOKS="off")  # samples would give leaf a row of its own
        removed = {row["Function"]: row["what"] for row in result.rows(
            "Filtered functions: measured before their hooks were removed; their time is part of their "
            "callers'")}
        self.assertEqual(removed, {"leaf": "removed"})

    def test_resolvers_that_the_dynamic_linker_calls(self):
        alone = "285 4\n"
        for flags in (("-O2",), ("-O2", "-fno-plt"), ("-O2", "-Wl,-z,now"), ("-O2", "-fno-pie", "-no-pie"),
                      ("-O2", "-finstrument-functions"), ("-O0",)):
            with self.subTest(flags=flags):
                folder = scratch_folder()
                self.wrap(folder, PROGRAMS / "resolvers.c", *flags, "-o", "main")
                result = run([folder / "main"], folder=folder, preload=False)
                self.assertEqual((result.status, result.stdout), (0, alone))
                self.assertEqual(result.calls()["sum_of_squares<main<init"], 1)
        for flags in ((), ("-Wl,-z,now",)):
            with self.subTest(flags=flags, library=True):
                folder = scratch_folder()
                self.wrap(folder, PROGRAMS / "resolvers.c", "-O2", "-fPIC", "-shared",
                          "-DLIBRARY_ALONE", *flags, "-o", "libsum.so")
                self.wrap(folder, PROGRAMS / "resolvers.c", "-O2", "-DPROGRAM_ALONE", *flags,
                          "./libsum.so", "-o", "main")
                result = run([folder / "main"], folder=folder, preload=False)
                self.assertEqual((result.status, result.stdout), (0, alone))
                self.assertEqual(result.calls()["sum_of_squares<main<init"], 1)


if __name__ == "__main__":
    unittest.main()
