"""The library that counts allocations: correct counts, no side effects, and preloading by `vftrace
run`."""
import platform
import re
import shutil
import subprocess
import unittest

from command_support import CommandTest, command
from everyday_programs import FURTHER, USUAL, Trial, command_lines
from support import (COMPILERS, LIBRARY, PROGRAMS, ProgramTest, compile_program, installed_libraries, need, run,
                     scratch_folder)
from test_foreign_programs import clang_flags, with_sanitizer

COUNTING = LIBRARY.with_name("libvftrace_allocations.so")
SERIAL = LIBRARY.with_name("libvftrace_serial.so")
COUNT_THEM = "section.memory=allocations"
NOTHING = "nothing counted\n"
FLAGS = ("-O1", "-fno-builtin", "-pthread", "-w")


def output_of(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def shared_library(source, *flags):
    need("gcc")
    target = scratch_folder() / f"{source.partition('.')[0]}.so"
    subprocess.run(["gcc", "-O2", "-w", "-fno-builtin", "-shared", "-fPIC", *flags, PROGRAMS / source, "-o", target],
                   check=True)
    return target


def counted_program(compiler="gcc", *flags, name="allocations.c", **options):
    need(compiler)
    return compile_program(name, (*FLAGS, *flags), compiler, instrument=False, **options)


class LibraryFile(unittest.TestCase):
    def test_exports_only_what_is_listed(self):
        names = {line.split()[-1] for line in output_of("nm", "-D", "--defined-only", COUNTING).splitlines()}
        operators = {name for name in names if re.match("_Z(nw|na|dl|da)", name)}
        self.assertEqual(len(operators), 2 * 4 + 2 * 6)
        self.assertEqual(names - operators, {
            "malloc", "free", "calloc", "realloc", "reallocarray", "memalign", "posix_memalign", "aligned_alloc",
            "valloc", "pvalloc", "cfree", "free_sized", "free_aligned_sized", "vftrace_allocated_bytes",
            "vftrace_watch_allocations", "mmap", "mmap64", "munmap", "mremap"})

    def test_needs_only_the_c_library(self):
        dynamic = output_of("readelf", "-d", COUNTING)
        self.assertLessEqual(set(re.findall(r"NEEDED.*\[(.*?)\]", dynamic)),
                             {"libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})
        self.assertIn("NODELETE", dynamic)
        undefined = output_of("nm", "-D", "-u", COUNTING)
        self.assertNotIn("__tls_get_addr", undefined)
        self.assertNotIn("__cyg_profile", undefined)

    def test_others_export_no_allocator(self):
        for library in (LIBRARY, SERIAL):
            names = {line.split()[-1] for line in output_of("nm", "-D", "--defined-only", library).splitlines()}
            self.assertEqual({name for name in names if re.match("(m|c|re|v|pv)alloc|free$|.*memalign", name)}, set())

    def code_of(self, name):
        text = output_of("objdump", "-d", "--no-show-raw-insn", COUNTING)
        part = re.search(rf"<{name}>:\n(.*?)\n\n", text + "\n\n", re.S)[1]
        lines = [line.split("\t")[1].strip() for line in part.splitlines()]
        return [line for line in lines if not re.match("nop|xchg +%ax,%ax|cs nop|data16|endbr64", line)]

    @unittest.skipUnless(platform.machine() == "x86_64", "written for x86-64 code")
    def test_hot_path(self):
        """A jump, then calls by pointers and one instruction that counts."""
        for function, calls in (("malloc", 2), ("free", 1)):
            code = self.code_of(function)
            self.assertRegex("; ".join(code), r"\Ajmp +\*\S+\(%rip\).*\Z")
            self.assertEqual(len(code), 1)
            local = next(line.split()[-1] for line in output_of("nm", COUNTING).splitlines()
                         if line.endswith((f"counted_{function}Em", f"counted_{function}EPv")))
            code = self.code_of(local)
            self.assertLessEqual(len(code), 12, code)
            self.assertEqual(sum(line.startswith("call") for line in code), calls)
            self.assertEqual(sum("%fs:" in line for line in code), 1)
            self.assertEqual([line for line in code if line.startswith(("lock", "xchg", "cmp", "test"))], [])


class AllocationsTest(ProgramTest):
    def prints(self, expected, program, *libraries, arguments=(), **variables):
        result = run([program, *arguments], preload=False, LD_PRELOAD=":".join(map(str, libraries)), **variables)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, expected, ""))
        return result


class Counts(AllocationsTest):
    def test_all_functions_threads_and_children(self):
        for compiler in ("gcc", "clang"):
            if shutil.which(compiler):
                for flags in ((), ("-no-pie", "-fno-pie")):
                    program = counted_program(compiler, *flags)
                    for libraries in ((COUNTING,), (LIBRARY, COUNTING), (COUNTING, LIBRARY)):
                        with self.subTest(compiler=compiler, flags=flags, libraries=libraries):
                            self.prints("all counted\n", program, *libraries)

    def test_with_hooks_and_with_samples(self):
        program = compile_program("allocations.c", FLAGS)
        result = self.prints("all counted\n", program, SERIAL, COUNTING)
        self.assertIn("allocations_all.json", result.files())
        self.prints("all counted\n", program, SERIAL, COUNTING, VFTR_STACK_SAMPLING_FREQUENCY=1000)

    def test_cxx(self):
        for compiler in ("g++", "clang++"):
            if shutil.which(compiler):
                with self.subTest(compiler=compiler):
                    self.prints("all counted\n", counted_program(compiler, name="allocations.cpp"), COUNTING)

    def test_fortran(self):
        program = counted_program(COMPILERS[".F90"], name="allocations.F90", link=(
            f"-L{COUNTING.parent}", "-lvftrace_allocations", f"-Wl,-rpath,{COUNTING.parent}"))
        self.prints("all counted\n", program)
        self.prints("all counted\n", program, SERIAL, COUNTING)

    def test_memory_while_the_allocator_is_looked_up(self):
        early = shared_library("allocations_early.c")
        program = counted_program()
        for libraries in ((early, COUNTING), (COUNTING, early), (LIBRARY, early, COUNTING)):
            with self.subTest(libraries=libraries):
                self.prints("all counted\n6 early blocks\n", program, *libraries)

    def test_program_without_the_library(self):
        self.prints("no counter\n", counted_program())


class OtherAllocators(AllocationsTest):
    def test_program_with_its_own_malloc(self):
        need("gcc")
        own = scratch_folder() / "own.o"
        subprocess.run(["gcc", "-O1", "-w", "-fno-builtin", "-Dmain=unused", "-c", PROGRAMS / "own_malloc.c", "-o", own],
                       check=True)
        self.prints(NOTHING, counted_program(link=[own], output="own"), COUNTING)
        self.profile(compile_program("own_malloc.c"), preload=False, LD_PRELOAD=f"{LIBRARY}:{COUNTING}")

    def test_jemalloc(self):
        """Its operator delete calls free(), but its operator new does not call malloc(), so its own counters are used."""
        found = installed_libraries(r"libjemalloc\.so\.2")
        if not found:
            self.skipTest("libjemalloc is not installed")
        jemalloc = found[0]
        early = shared_library("allocations_early.c")
        # jemalloc does not always set errno.
        self.prints("all counted\n", counted_program(), COUNTING, jemalloc, arguments=["other"])
        self.prints("all counted\n6 early blocks\n", counted_program(), COUNTING, jemalloc, early, arguments=["other"])
        self.prints("all counted\n", counted_program("g++", name="allocations.cpp"), COUNTING, jemalloc)
        self.prints(NOTHING, counted_program(), jemalloc, COUNTING)

    def test_wrapper_of_malloc(self):
        """A wrapper that is the allocator does not have a malloc_usable_size for its blocks."""
        wrapper = shared_library("dl_malloc_wrapper.c")
        self.prints(NOTHING, counted_program(), COUNTING, wrapper)
        self.prints("all counted\n", counted_program(), wrapper, COUNTING)

    def test_static_program(self):
        try:
            program = compile_program("call_counts.c", ("-O1", "-static"), output="static")
        except AssertionError:
            self.skipTest("programs cannot be linked statically here")
        result = run([program], preload=False, LD_PRELOAD=COUNTING)
        self.assertEqual((result.status, result.stdout, result.stderr), (3, "3628800\n", ""))

    def test_sanitizers_that_are_linked_or_loaded(self):
        """They still find leaks in the program's allocations, and none in those of the loader."""
        for compiler in ("gcc", "clang"):
            for sanitizer in ("thread", "leak") if compiler == "gcc" else ("address", "thread", "leak"):
                try:
                    program = counted_program(compiler, f"-fsanitize={sanitizer}")
                except (AssertionError, unittest.SkipTest):
                    continue
                if run([program], preload=False).stdout != "no counter\n":
                    continue  # it does not run here
                for libraries in ((COUNTING,), (SERIAL, COUNTING)):
                    with self.subTest(compiler=compiler, sanitizer=sanitizer, libraries=libraries):
                        self.prints(NOTHING, program, *libraries)

    def test_sanitizer_without_an_allocator(self):
        try:
            program = counted_program("gcc", "-fsanitize=undefined")
        except AssertionError:
            self.skipTest("gcc has no -fsanitize=undefined")
        self.prints("all counted\n", program, COUNTING)

    def test_valgrind(self):
        """valgrind replaces our functions by its own unless it is asked not to."""
        need("valgrind")
        program = counted_program()
        valgrind = ["valgrind", "--leak-check=full", "--error-exitcode=9"]
        result = run([*valgrind, program], preload=False, LD_PRELOAD=COUNTING)
        if "unhandled dwarf2" in result.stderr:
            self.skipTest("this valgrind cannot read the compiler's debug information")
        self.assertEqual((result.status, result.stdout), (0, NOTHING), result.stderr)
        self.assertIn("All heap blocks were freed -- no leaks are possible", result.stderr)
        result = run([*valgrind, "--soname-synonyms=somalloc=nouserintercepts", program, "other"], preload=False,
                     LD_PRELOAD=COUNTING)
        # Under valgrind, children of vfork have memory of their own.
        self.assertEqual(result.stdout,
                         "failed: memory that is shared with a child: 400 instead of 0\nsome failed\n")
        self.assertIn("ERROR SUMMARY: 0 errors", result.stderr)


class Run(CommandTest):
    PRELOADED = ("sh", "-c", "echo $LD_PRELOAD")

    def preloaded(self, *options, folder=None, **variables):
        result = command("run", "--option", "annotations.active=off", *options, "--", *self.PRELOADED, folder=folder, **variables)
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result.stdout.rstrip("\n").split(":")

    def test_only_if_the_option_says_so(self):
        ours = self.preloaded()
        self.assertEqual([path for path in ours if "allocations" in path], [])
        both = [*ours, str(COUNTING)]
        self.assertEqual(self.preloaded("--option", COUNT_THEM), both)
        self.assertEqual(self.preloaded(VFTR_SECTION_MEMORY="allocations"), both)
        self.assertEqual(self.preloaded(config={"section": {"memory": "allocations"}}), both)
        config = scratch_folder() / "given.json"
        config.write_text('{"section": {"memory": "allocations"}}')
        self.assertEqual(self.preloaded("--config", config), both)
        self.assertEqual(self.preloaded("--config", config, "--option", "section.memory=off"), ours)
        for value in ("rss", "off"):
            self.assertEqual(self.preloaded(VFTR_SECTION_MEMORY=value), ours)
        self.assertEqual(self.preloaded("--option", COUNT_THEM, VFTR_OFF="yes"), ours)

    def test_other_preloaded_libraries_come_after_it(self):
        ours = self.preloaded("--option", COUNT_THEM)
        # A run inside a run has it once at most.
        other = scratch_folder() / "libother.so"
        subprocess.run(["gcc", "-x", "c", "/dev/null", "-shared", "-o", other], check=True)
        self.assertEqual(self.preloaded("--option", COUNT_THEM, LD_PRELOAD=f"{COUNTING}:{other}"), [*ours, str(other)])
        self.assertEqual(self.preloaded(LD_PRELOAD=f"{COUNTING}:{other}"), [ours[0], str(other)])

    def test_counts_what_it_starts(self):
        program = compile_program("allocations.c", FLAGS)
        for words in ((), ("env",), ("sh", "-c", '"$0"; exit $?')):
            result = command("run", "--option", COUNT_THEM, "--", *words, program)
            self.assertEqual((result.status, result.stdout, result.stderr), (0, "all counted\n", ""))
            self.assertIn("allocations_all.json", result.files())

    def test_library_that_is_missing(self):
        folder = scratch_folder()
        shutil.copy(SERIAL, folder / "libvftrace_serial.so")
        self.fails("run", "--option", COUNT_THEM, "--library", folder / "libvftrace_serial.so", "--", "true",
                   message=f"section.memory = allocations: libvftrace_allocations.so is not in {folder}")

    def sanitized(self, program):
        result = command("run", "--option", COUNT_THEM, "--", program)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, NOTHING, ""))

    def test_address_sanitizer(self):
        self.sanitized(with_sanitizer("allocations.c", flags=FLAGS[1:]))

    def test_address_sanitizer_of_clang(self):
        self.sanitized(with_sanitizer("allocations.c", "clang", (*FLAGS[1:], *clang_flags())))

    def test_everyday_programs(self):
        rows = [*command_lines(USUAL), *(row for row in command_lines(FURTHER) if row[0][0] == "git")]
        tried = 0
        for words, stdin in rows:
            if words[0] not in ("ls", "sort", "bash", "perl", "python3", "gcc", "git") or not shutil.which(words[0]):
                continue
            with self.subTest(command=words):
                folder = scratch_folder()
                self.assertEqual(Trial(words, stdin, folder).differences("run, allocations counted"), ("same", ""))
                shutil.rmtree(folder)
            tried += 1
        self.assertGreaterEqual(tried, 6)


if __name__ == "__main__":
    unittest.main()
