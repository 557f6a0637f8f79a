"""Our own code under the sanitizers of the compiler: its libraries are built once more for each group of them.

The unit tests are linked with those of AddressSanitizer and UndefinedBehaviorSanitizer as objects
of the ordinary build, which saves half of the time, so faults of the tests themselves are not
found. ThreadSanitizer's are preloaded into programs with threads."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import pytest

from support import BUILD, COMMAND, HERE, SOURCE, clean_environment, compile_program, need_part, run, scratch_folder

# Without the checks of each access through a pointer: they take as long to compile as all the rest, and AddressSanitizer finds
# what they would find, except for alignment. The vptr check needs run-time type information.
MEMORY = ("-fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr "
          "-fno-sanitize-recover=undefined")
THREADS = "-fsanitize=thread"
ASIO = ("-include", "vftrace/asio.hpp")
# The library never frees what it needs until the end.
OPTIONS = {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
FOUND = ("Sanitizer", "runtime error:")  # in the output of a sanitizer
OPTIMISED = "-O1"  # without any optimisation the library would need the C++ library
# The tools are linked with the C++ library anyway, and without optimisation compile in a third less time.
TOOLS = f"CXXFLAGS=-O0 {MEMORY}"
AT_THE_END = ("collate", "efficiency", "findings", "report", "rollcall")  # rooms of core
# (room of runtime, file): called by ThreadSanitizer before it has started.
BEFORE_THE_SANITIZER = (("lifecycle", "signal_actions"), ("lifecycle", "alternate_stack"), ("lifecycle", "start_sampling"),
                        ("guest", "seccomp"), ("guest", "process_identity"))
# Other tests run at the same time.
MAKE = ("make", "-s", f"-j{max(1, (os.cpu_count() or 1) // 2)}")


def variables_of_make():
    """Folder names and settings of the outer make must not reach the inner one."""
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("MAKE", "MFLAGS", "VFTR", "VFTRACE"))}


def command(folder, *words):
    result = subprocess.run([str(word) for word in words], cwd=folder, env=variables_of_make(), capture_output=True,
                            text=True)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}: {result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result.stdout


def need_sanitizer(flags):
    """Skips the test if nothing can be built and run with these flags."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "probe")
        built = subprocess.run(["g++", *flags.split(), "-x", "c++", "-", "-o", program], input="int main() {}", text=True,
                               capture_output=True)
        if built.returncode != 0 or subprocess.run([program], capture_output=True).returncode != 0:
            raise unittest.SkipTest(f"no program can be built and run here with {flags}")


def build_folder(name, flags):
    """A build folder for libraries with these flags, which is kept: make updates outdated files."""
    need_sanitizer(flags)
    folder = BUILD / name
    settings = ["--quiet", "--disable-fortran", "CC=gcc", "CXX=g++", f"CFLAGS={OPTIMISED} {flags}",
                f"CXXFLAGS={OPTIMISED} {flags}", f"LDFLAGS={flags}", "CPPFLAGS=-DVFTRACE_ASSERTIONS"]
    configured = folder / "settings"
    if not configured.exists() or configured.read_text() != "\n".join(settings):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        command(folder, SOURCE.resolve() / "configure", *settings)
        configured.write_text("\n".join(settings))
    command(folder, "make", "-s", "wrappers/made")
    return folder


def objects_of_build(target):
    return command(BUILD, "make", "-s", f"print-objects-of-{target}").split()


def library_of_compiler(name):
    return subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()


class SanitizerTest(unittest.TestCase):
    def make_library(self):
        command(self.folder, *MAKE, "libvftrace_serial.la")
        self.assertIn(b": not true: ", (self.folder / ".libs" / "libvftrace_serial.so").read_bytes(),
                      "VFTRACE_ASSERT is not active")

    def assert_quiet(self, text):
        for word in FOUND:
            self.assertNotIn(word, text)


# (source, flags, variables) of programs that the library is preloaded into.
SOME_PROGRAMS = (
    ("call_counts.c", (), {}), ("call_counts.c", (), {"VFTR_SAMPLING_ACTIVE": "yes"}), ("exceptions.cpp", (), {}),
    ("fork_children.c", (), {}), ("thread_nested.c", ("-pthread",), {"VFTR_SAMPLING_ACTIVE": "yes"}),
    # The code that headers bring into the program is checked too.
    ("await_threads.cpp", ("-pthread", "-fno-optimize-sibling-calls", *MEMORY.split()), {}))
OTHER_PROGRAMS = (
    ("folded_recursion.c", (), {}), ("folded_recursion.c", (), {"VFTR_SAMPLING_ACTIVE": "yes"}), ("regions.c", (), {}),
    ("sections_interface.cpp", ("-pthread",), {}),
    ("await_cases.cpp", ("-pthread", "-fno-optimize-sibling-calls", *MEMORY.split()), {}),
    ("asio_either.cpp", ("-pthread", *ASIO, *MEMORY.split()), {}))
# (source, argument, ...) of programs with threads.
SOME_THREADS = (("thread_nested.c",), ("thread_many.c", "400", "detached"), ("thread_exit_of_process.c", "busy"),
                ("thread_exceptions.cpp",), ("await_threads.cpp",), ("threads_at_once.c", "64"))
TRACED = {"threads_at_once.c"}
OTHER_THREADS = (("thread_names.c",), ("pause_threads.c", "other"), ("sections_of_threads.cpp",),
                 ("asio_either.cpp", "300", "3"), ("asio_echo.cpp", "200", "3"))


@pytest.mark.slow
@pytest.mark.timeout(2400)
class Memory(SanitizerTest):
    """Takes minutes, because the library is built once more."""

    @classmethod
    def setUpClass(cls):
        cls.folder = build_folder("sanitized", MEMORY)

    def check_programs(self, programs):
        self.make_library()
        libraries = " ".join(map(str, (library_of_compiler("libasan.so"), library_of_compiler("libubsan.so"),
                                       self.folder / ".libs" / "libvftrace_serial.so")))
        for source, flags, variables in programs:
            with self.subTest(source=source, **variables):
                program = compile_program(source, ("-O1", *flags))
                has_sanitizer = any(flag.startswith("-fsanitize") for flag in flags)
                expected = run([program], preload=not has_sanitizer, **variables)
                result = run([program], preload=False, LD_PRELOAD=libraries, **OPTIONS, **variables)
                self.assertEqual((result.status, result.stdout), (expected.status, expected.stdout), result.stderr)
                self.assert_quiet(result.stderr)
                if not has_sanitizer:  # file names contain process numbers
                    self.assertEqual(len(result.files()), len(expected.files()))

    def check_unit_tests(self):
        need_part("HAVE_UNIT_TESTS")
        # Objects that are older than a structure of the library have another layout of it.
        command(BUILD, *MAKE, "unit_tests")
        objects = [BUILD / name for name in objects_of_build("unit_tests")]
        # These objects also contain what headers define; the definitions that come first are linked.
        first = "-Wl,--whole-archive,libvftrace_core.a,libvftrace_tools.a,--no-whole-archive"
        (self.folder / "unit_tests").unlink(missing_ok=True)
        command(self.folder, "make", "-s", "-o", "libvftrace_tools.a", "unit_tests",
                f"unit_tests_OBJECTS={' '.join(map(str, objects))}", f"LDFLAGS={first}")
        result = subprocess.run([self.folder / "unit_tests"], cwd=scratch_folder(), env={**os.environ, **OPTIONS},
                                capture_output=True, text=True, errors="replace")
        self.assertEqual(result.returncode, 0, (result.stdout + result.stderr)[-6000:])
        self.assert_quiet(result.stderr)

    def test_unit_tests(self):
        """Takes minutes: see the class. The tools are those of the ordinary build."""
        tools = self.folder / "libvftrace_tools.a"
        tools.unlink(missing_ok=True)
        tools.symlink_to(BUILD / tools.name)
        self.check_unit_tests()

    @pytest.mark.full
    def test_unit_tests_of_tools(self):
        self.build_tools("libvftrace_tools.a")
        self.check_unit_tests()

    def build_tools(self, target):
        """The same, with the sanitizers for the tools too."""
        tools = self.folder / "libvftrace_tools.a"
        if tools.is_symlink():
            tools.unlink()
        command(self.folder, *MAKE, TOOLS, target)

    def test_library_in_programs(self):
        self.check_programs(SOME_PROGRAMS)

    @pytest.mark.full
    def test_library_in_other_programs(self):
        self.check_programs(OTHER_PROGRAMS)

    @pytest.mark.full
    def test_commands(self):
        need_part("BUILD_TOOLS")
        self.build_tools("vftrace")
        program = compile_program("thread_nested.c", ("-O1", "-pthread"))
        trace = run([program], VFTR_SAMPLING_ACTIVE="yes").folder
        vfd, = trace.glob("*.vfd")
        profile, = trace.glob("*_all.json")
        ranks, threads = (HERE / "profiles" / name for name in ("halo_4_ranks.json", "threads.json"))
        formats = ("chrome", "csv", "callgrind", "collapsed", "speedscope")
        for words in (*(("report", file) for file in (profile, ranks, threads)), ("diff", profile, profile),
                      ("merge", "--runs", "sum", profile, profile, "-o", "merged.json"), ("filter", ranks), ("dump", vfd),
                      ("info", vfd, profile), *(("export", "--format", form, vfd) for form in formats)):
            with self.subTest(words=words):
                said = [subprocess.run([made, *words], cwd=scratch_folder(), env=clean_environment(**OPTIONS),
                                       capture_output=True, text=True, errors="replace")
                        for made in (COMMAND, self.folder / "vftrace")]
                self.assert_quiet(said[1].stderr)
                self.assertEqual(*((one.returncode, one.stdout, one.stderr) for one in said))


@pytest.mark.slow
@pytest.mark.timeout(2400)
class Threads(SanitizerTest):
    """Takes minutes, because the library is built once more."""

    @classmethod
    def setUpClass(cls):
        cls.folder = build_folder("sanitized-threads", THREADS)
        # The sanitizer calls these before it has started.
        command(cls.folder, "make", "-s", f"CXXFLAGS={OPTIMISED}",
                *(f"src/runtime/{room}/libvftrace_runtime_a-{name}.o" for room, name in BEFORE_THE_SANITIZER))

    def build(self, rooms_of_build):
        """The library, with objects of the ordinary build for these rooms of core."""
        for name in objects_of_build("libvftrace_core_a"):
            room = re.match(r"(?:src/core/|build-aux/unity/libvftrace_core_a-core_)([a-z]+)", name)
            made = self.folder / name
            if room and room[1] in rooms_of_build:
                made.parent.mkdir(parents=True, exist_ok=True)
                made.unlink(missing_ok=True)
                made.symlink_to(BUILD / name)
            elif made.is_symlink():
                made.unlink()
        self.make_library()

    def check_programs(self, programs):
        for source, *arguments in programs:
            with self.subTest(source=source, arguments=arguments):
                added = ASIO if source.startswith("asio") else ()
                program = compile_program(source, ("-O1", "-g", "-pthread", "-fsanitize=thread", *added))
                # At the end, traces are read while threads that continue may write.
                traced = {"VFTR_SAMPLING_ACTIVE": "yes"} if source in TRACED else {}
                process = subprocess.run([program, *arguments], cwd=scratch_folder(), capture_output=True, text=True,
                                         env=clean_environment(LD_PRELOAD=self.folder / ".libs" / "libvftrace_serial.so",
                                                               VFTR_WAITING_ACTIVE="on", **traced))
                alone = run([program, *arguments], preload=False, VFTR_OFF="yes")
                self.assertEqual((process.returncode, process.stdout), (alone.status, alone.stdout), process.stderr)
                self.assert_quiet(process.stderr)

    def test_library_in_programs(self):
        """Takes minutes: see the class. Rooms that work in one thread, at the end, are those of the ordinary build."""
        self.build(AT_THE_END)
        self.check_programs(SOME_THREADS)

    @pytest.mark.full
    def test_library_in_other_programs(self):
        self.build(())
        self.check_programs(OTHER_THREADS)
