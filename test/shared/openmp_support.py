"""What the OpenMP tests share: the compilers and OpenMP libraries with which programs are built and
run, and call paths without the differences between them."""
import re
import unittest

from support import COMMAND, ProgramTest, compile_program, need

PROGRAMS = "../openmp/programs/"


class Variant:
    """How a program is compiled, and with which OpenMP library it runs."""

    def __init__(self, name, compilers, llvm, command=()):
        self.name = name
        self.compilers = compilers
        self.llvm = llvm  # runs on LLVM's library, which reports its events itself
        self.command = list(command)

    def __str__(self):
        return self.name

    def compile(self, program, flags=("-O1",)):
        suffix = "." + program.rpartition(".")[2]
        compiler = self.compilers.get(suffix)
        if not compiler:
            raise unittest.SkipTest(f"{self.name}: no compiler for {suffix}")
        need(compiler)
        try:
            return compile_program(PROGRAMS + program, (*flags, "-g", "-fopenmp"), compiler)
        except AssertionError as error:
            # A clang whose OpenMP library is not installed.
            if "cannot find -lomp" in str(error) or "omp.h" in str(error):
                raise unittest.SkipTest(f"{self.name}: {error}") from error
            raise


GNU = Variant("gcc on libgomp", {".c": "gcc", ".cpp": "g++", ".F90": "gfortran"}, False)
LLVM = Variant("clang on libomp", {".c": "clang", ".cpp": "clang++"}, True)
# A program compiled by gcc may need something that LLVM's library lacks or does differently: see doc/openmp.md.
GNU_ON_LLVM = Variant("gcc on libomp", GNU.compilers, True,
                      [COMMAND, "run", "--openmp=llvm", "--"])
NATIVE = (GNU, LLVM)
ALL = (GNU, LLVM, GNU_ON_LLVM)


def need_llvm_library():
    """Skips the test if LLVM's OpenMP library is not installed."""
    need("clang")
    LLVM.compile("omp_in_threads.c")


def is_outlined(name):
    """Clang turns the bodies of constructs into functions and instruments them; gcc does not instrument them."""
    return not name.startswith("omp ") and ("omp_outlined" in name or "omp_task_entry" in name)


def plain(path):
    """A call path without functions that the compiler generated, and without source locations."""
    parts = [re.sub(r"^(omp [a-z ]+?) @.*", r"\1", part) for part in path.split("<")]
    return "<".join(part for part in parts if not is_outlined(part))


class OpenmpTest(ProgramTest):
    def profile_openmp(self, variant, program, flags=("-O1",), threads=2, **arguments):
        executable = variant.compile(program, flags)
        command = [*variant.command, executable]
        if variant.command:
            need_llvm_library()
            arguments["preload"] = False
        return self.profile(command, OMP_NUM_THREADS=threads, OMP_DYNAMIC="false", **arguments)

    def calls(self, result):
        """Calls by plain path."""
        calls = {}
        for path, node in result.paths().items():
            if not is_outlined(path.split("<")[0]):
                calls[plain(path)] = calls.get(plain(path), 0) + node["calls"]
        return calls

    def seconds(self, result, field="exclusive_ns"):
        """Sums of the times by plain path, each including the time of functions that the compiler generated."""
        times = {}
        for path, node in result.paths().items():
            times[plain(path)] = times.get(plain(path), 0) + node[field] / 1e9
        return times

    def assert_calls(self, result, expected):
        """The expected paths and calls are there, in a text that is easy to compare."""
        calls = self.calls(result)
        found = {path: calls.get(path) for path in expected}
        self.assertEqual(found, expected, "\n".join(f"{n:8} {p}" for p, n in calls.items()))
