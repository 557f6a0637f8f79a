"""Hooks in prologues and epilogues (gcc -pg -mfentry): the same calls, and no register changed."""
import platform
import subprocess
import unittest

from support import (BUILD, LIBRARY, PROGRAMS, SOURCE, ProgramTest, clean_environment,
                     compile_program, need, run, scratch_folder)

PROLOGUES = (f"-specs={SOURCE / 'scripts' / 'prologue-hooks.specs'}", "-fno-optimize-sibling-calls")
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

    def test_calls_are_those_of_the_other_hooks(self):
        for name in PROGRAMS_ALIKE:
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
        # What gcc inlines has no hooks; with -finstrument-functions it would call them.
        program = compile_with_prologues("inlined_functions.c", "-O2")
        paths = calls(run([program]))
        self.assertFalse([path for path in paths if path.startswith(("inner<", "middle<"))], paths)
        self.assertEqual(sum(number for path, number in paths.items()
                             if path.startswith("leaf<")), 50)

    def test_shared_library_in_a_program_without_vftrace(self):
        folder = scratch_folder()
        (folder / "part.c").write_text("int twice(int x) { return 2 * x; }\n")
        (folder / "main.c").write_text(
            "#include <stdio.h>\nint twice(int);\n"
            "int main(void) { printf(\"%d\\n\", twice(21)); return 0; }\n")
        wrapper = BUILD / "scripts" / "vftrace-cc"
        for command in ([wrapper, "-O2", "-fPIC", "-shared", "part.c", "-o", "libpart.so"],
                        ["gcc", "main.c", "./libpart.so", "-o", "main"]):
            subprocess.run([str(word) for word in command], cwd=folder, check=True,
                           env=clean_environment(VFTRACE_CC="gcc"))
        alone = subprocess.run(["./main"], cwd=folder, capture_output=True, text=True,
                               env=clean_environment())
        self.assertEqual((alone.stdout, alone.stderr), ("42\n", ""))
        profiled = run([folder / "main"], folder=folder)
        self.assertEqual(profiled.stdout, "42\n")
        self.assertIn("twice<init", profiled.paths())


if __name__ == "__main__":
    unittest.main()
