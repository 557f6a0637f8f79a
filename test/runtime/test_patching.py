"""Calls of hooks that are overwritten in the running program, under the control of a library with its own hooks."""
import concurrent.futures
import platform
import re
import shutil
import subprocess
import unittest

from support import CORE, INCLUDE_RUNTIME, PROGRAMS, PROLOGUES, RUNTIME, SOURCE, compile_program, need, run

COMPILERS = ("g++", "clang++", "clang++-14", "clang++-19")
OPTIMISATIONS = ("-O0", "-O1", "-O2", "-O3", "-Os")
KINDS = {
    "position-independent": (),
    "no linkage table": ("-fno-plt",),
    "indirect branch tracking": ("-fcf-protection=full",),
    "fixed addresses": ("-no-pie", "-fno-pie"),
    "fixed addresses, no linkage table": ("-no-pie", "-fno-pie", "-fno-plt"),
    "as in a shared library": ("-fPIC", "-Wl,-z,now"),
    "prologues": PROLOGUES,
    "prologues, indirect branch tracking": (*PROLOGUES, "-fcf-protection=full"),
    "prologues, fixed addresses": (*PROLOGUES, "-no-pie", "-fno-pie"),
}


def patch_sources():
    return [*sorted((RUNTIME / "patch").glob("*.cpp")),
            RUNTIME / "hooks" / "kept_registers.cpp",
            RUNTIME / "guest" / "unwind_ranges.cpp", CORE / "base" / "arena.cpp"]


def newest_source():
    return max(path.stat().st_mtime_ns
               for path in [*(SOURCE / "src").rglob("*.hpp"), *patch_sources()])


def hook_library():
    """The sources of src/runtime/patch in a library with the hooks of patch_hooks.cpp."""
    return compile_program(
        "patch_hooks.cpp", ("-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-fno-exceptions",
                            "-fno-rtti", "-fno-threadsafe-statics", f"-DNEWEST={newest_source()}",
                            *INCLUDE_RUNTIME),
        instrument=False, link=patch_sources(), output="libpatch_hooks.so")


def compile_with_hooks(name, flags, compiler=None, **arguments):
    library = hook_library()
    # Included headers are part of the program, so a change of them must cause a new build.
    included = max((PROGRAMS / header).stat().st_mtime_ns
                   for header in ("patch_hooks.h", "patch_work.hpp"))
    return compile_program(name, (*flags, f"-DINCLUDED={included}"), compiler, link=(
        library, f"-Wl,-rpath,{library.parent}"), **arguments)


def compiler_set():
    """The installed compilers; clang++ only if it is not one of the listed versions."""
    found = {}
    for name in COMPILERS:
        if shutil.which(name):
            version = subprocess.run([name, "--version"], capture_output=True, text=True).stdout
            found[version.splitlines()[0]] = name
    return sorted(set(found.values()))


@unittest.skipUnless(platform.machine() == "x86_64", "code of other processors is not overwritten")
class Patching(unittest.TestCase):
    maxDiff = None

    def lines(self, program, *arguments):
        result = run([program, *arguments], preload=False)
        self.assertEqual(result.status, 0, result.stdout + result.stderr)
        return result.stdout.splitlines()

    def check_threads(self, compiler, optimisation, flags):
        prologues = PROLOGUES[0] in flags
        program = compile_with_hooks("patch_threads.cpp", (optimisation, *flags), compiler,
                                     instrument=not prologues)
        output = self.lines(program, 2000, 4)
        counts = {line.split(":")[0]: [int(number) for number in re.findall(r"\d+", line)]
                  for line in output if "entries" in line}
        self.assertEqual(output[0], "0 wrong")
        self.assertEqual(output[1], "0 removed")
        self.assertEqual(counts["restored"], counts["in place"])
        entries, exits, _ = counts["in place"]
        self.assertGreater(entries, 2500)
        # With clang, functions that an exception leaves do not call the exit hook, nor do they reach an epilogue.
        if compiler == "g++" and not prologues:
            self.assertEqual(entries, exits)
        # Calls that several inlined functions share remain; none of the others do.
        left_entries, left_exits, in_vain = counts["removed"]
        self.assertEqual(left_entries + left_exits, in_vain)
        if compiler == "g++":
            self.assertEqual(in_vain, 0)
        self.assertLess(left_entries, entries / 10)
        self.assertLess(left_exits, exits / 10)

    def test_under_threads(self):
        # All in all about 10 million calls.
        hook_library()
        compilers = compiler_set()
        if not compilers:
            self.skipTest("no C++ compiler")
        cases = [(compiler, optimisation, kind) for compiler in compilers
                 for optimisation in OPTIMISATIONS for kind in KINDS
                 # Every kind and every optimisation, and combinations of both where they are cheap.
                 if kind == "position-independent" or optimisation in ("-O0", "-O2")
                 if compiler == "g++" or PROLOGUES[0] not in KINDS[kind]]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = {case: pool.submit(self.check_threads, case[0], case[1], KINDS[case[2]])
                       for case in cases}
        for (compiler, optimisation, kind), result in results.items():
            with self.subTest(compiler=compiler, optimisation=optimisation, kind=kind):
                result.result()

    def test_long_run_of_one_program(self):
        program = compile_with_hooks("patch_threads.cpp", ("-O2",), "g++")
        self.assertEqual(self.lines(program, 40000, 4)[:2], ["0 wrong", "0 removed"])

    def test_hooks_in_the_program_itself(self):
        # As with libvftrace.a: the hooks are called without a linkage table.
        hooks = compile_program("patch_hooks.cpp", (
            "-O2", "-r", "-nostdlib", "-fPIC", "-fvisibility=hidden", "-fno-exceptions",
            "-fno-rtti", "-fno-threadsafe-statics", f"-DNEWEST={newest_source()}",
            *INCLUDE_RUNTIME), instrument=False, link=patch_sources(), output="hooks.o")
        for flags in (("-O2",), ("-O2", "-fno-plt"), ("-O0", "-no-pie", "-fno-pie")):
            with self.subTest(flags=flags):
                program = compile_program("patch_threads.cpp", flags, link=[hooks])
                output = self.lines(program, 2000, 4)
                self.assertEqual(output[:2], ["0 wrong", "0 removed"])
                self.assertIn("removed: 0 entries, 0 exits, 0 in vain", output)

    def test_stripped_program(self):
        need("strip")
        program = compile_with_hooks("patch_threads.cpp", ("-O2", "-s"), "g++")
        self.assertIn("removed: 0 entries, 0 exits, 0 in vain", self.lines(program, 200, 4))

    def test_library_unloaded_and_loaded_again(self):
        plugin = compile_with_hooks("patch_plugin.cpp", ("-O2", "-shared", "-fPIC"),
                                    output="libpatch_plugin.so")
        program = compile_with_hooks("patch_unload.cpp", ("-O1",))
        self.assertEqual(self.lines(program, plugin), [
            "hooks called: 1",
            *["same results: 1, calls left: 0, kept", "restored: 0",
              "same results: 1, calls left: 0, forgotten"] * 5])

    def test_fork_and_vfork(self):
        program = compile_with_hooks("patch_fork.c", ("-O1",))
        output = [re.sub(r", \d+ descriptors", "", line) for line in self.lines(program)]
        in_place = "sum 120, 20 entries, 20 exits, 0 removed"
        without_one = "sum 120, 10 entries, 10 exits, 2 removed"
        self.assertEqual(output, [
            f"in place: {in_place}",
            f"leaf removed: {without_one}",
            f"child: {without_one}",
            "child puts back: 2",
            f"child: {in_place}",
            f"child, other removed: {without_one}",
            "child ended with 0",
            f"parent: {without_one}",
            "child of vfork was told 2 times to wait",
            f"parent: {without_one}",
            "restored: 2",
            f"parent: {in_place}"])
        descriptors = set(re.findall(r"\d+ descriptors", "\n".join(self.lines(program))))
        self.assertEqual(len(descriptors), 1)

    def check_refused(self, what):
        program = compile_with_hooks("patch_refused.c", ("-O1",))
        output = self.lines(program, what)
        if any(line.startswith("no filter") for line in output):
            self.skipTest(output[1])
        self.assertEqual({line.split(": ", 1)[1] for line in output if "mappings" in line},
                         {"0 more mappings of code, 0 writable"})
        return [line for line in output if "mappings" not in line]

    def test_code_that_can_be_written(self):
        expected = [
            "possible: 1",
            "in place: sum 55, 10 entries, 10 exits, 0 in vain, 0 removed, errno kept",
            "while removing: sum 55, 1 entries, 1 exits, 0 in vain, 2 removed, errno kept",
            "removed: sum 55, 0 entries, 0 exits, 0 in vain, 2 removed, errno kept",
            "restored: 2",
            "restored: sum 55, 10 entries, 10 exits, 0 in vain, 0 removed, errno kept"]
        self.assertEqual(self.check_refused("none"), expected)
        # Writing to /proc/self/mem is refused, so the page is made writable for a moment.
        self.assertEqual(self.check_refused("file"), expected)

    def test_code_that_cannot_be_written(self):
        in_vain = "sum 55, 10 entries, 10 exits, 20 in vain, 0 removed, errno kept"
        self.assertEqual(self.check_refused("all"), [
            "possible: 0",
            "in place: sum 55, 10 entries, 10 exits, 0 in vain, 0 removed, errno kept",
            f"while removing: {in_vain}",
            f"removed: {in_vain}",
            "restored: 0",
            "restored: sum 55, 10 entries, 10 exits, 0 in vain, 0 removed, errno kept"])

    def test_calls_that_must_stay(self):
        program = compile_with_hooks("patch_awkward.c", ("-O2",))
        self.assertEqual(self.lines(program), [
            "forwarded: possible 1, 1 and 1, 1 and 1 left",
            "by_pointer: possible 1, 1 and 1, 0 and 0 left",
            "conditional: possible 0, 1 and 1, 0 and 1 left",
            "unknown_extent: possible 0, 1 and 1, 1 and 1 left",
            "merged_a: possible 1, 1 and 1, 0 and 1 left",
            "merged_b: possible 1, 1 and 1, 0 and 1 left",
            "restored: 5"])


if __name__ == "__main__":
    unittest.main()
