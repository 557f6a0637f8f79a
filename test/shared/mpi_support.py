"""What the MPI tests share: the installed MPIs, compiling and running with them, what a program
reports about itself (see mpi/programs/expect.h), and what the profile shows."""
import collections
import functools
import hashlib
import os
import shutil
import subprocess
import time
import unittest

from built_once import build_once
from support import (BUILD, COMMAND, HERE, LIBRARY, SCRATCH, SOURCE, Result, clean_environment,
                     need, need_part, scratch_folder)

PROGRAMS = HERE / "mpi" / "programs"
COMPILERS = {".c": "mpicc", ".cpp": "mpicxx", ".F90": "mpifort"}

# The ways in which a program gets the library.
PRELOAD = "vftrace run under the launcher"
PRELOAD_LAUNCHER = "vftrace run before the launcher"
LINKED = "linked with -lvftrace"
STATIC = "linked with libvftrace.a"


class Family:
    """An MPI: the names of its compilers and launcher. If several MPIs are installed, its commands
    have the suffix of its name; if there is only one, the command is checked to be from this
    MPI."""

    def __init__(self, name, suffix, launcher_says, launcher_options, **environment):
        self.name = name
        self.suffix = suffix
        self.launcher_says = launcher_says
        self.launcher_options = launcher_options
        self.environment = environment

    @functools.lru_cache(maxsize=None)
    def command(self, program):
        """The path of mpicc, mpifort or mpirun, or None."""
        path = shutil.which(program + self.suffix)
        if path or not shutil.which("mpirun"):
            return path
        version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
        return shutil.which(program) if self.launcher_says in version else None

    def need(self, *programs):
        for program in programs:
            if not self.command(program):
                raise unittest.SkipTest(f"{self.name} is not installed ({program})")

    def launch(self, ranks):
        return [self.command("mpirun"), *self.launcher_options, "-n", str(ranks)]


OPEN_MPI = Family("Open MPI", ".openmpi", "Open MPI", ["--oversubscribe", "--bind-to", "none"],
                  OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  OMPI_MCA_btl_vader_single_copy_mechanism="none")
MPICH = Family("MPICH", ".mpich", "HYDRA", [])


def _compile(command, sources, name):
    """Runs a compiler once for the same arguments and sources; returns the file."""
    text = "".join(path.read_text() for path in sources)
    headers = "".join(path.read_text() for path in sorted(PROGRAMS.glob("*.h")))
    stamp = hashlib.sha1((" ".join(map(str, command)) + text + headers).encode()).hexdigest()[:12]
    return build_once(command, SCRATCH / "bin" / stamp / name)


def compile_mpi(family, name, instrument=True, how=PRELOAD, flags=(), link=(), output=None):
    """Compiles test/mpi/programs/NAME with an MPI's compiler and returns the executable."""
    source = PROGRAMS / name
    compiler = COMPILERS[source.suffix]
    family.need(compiler, "mpirun")
    need("gcc")
    command = [family.command(compiler), "-O1", "-w", *flags]
    if instrument:
        command.append("-finstrument-functions")
    expect = _compile(["gcc", "-O1", "-fPIC", "-c", PROGRAMS / "expect.c"], [PROGRAMS / "expect.c"],
                      "expect.o")
    command += ["-I", PROGRAMS, "-I", SOURCE / "include", source, expect, "-pthread"]
    if how == STATIC or (how == LINKED and compiler == "mpifort" and not instrument):
        # Linkers that omit unneeded libraries would omit the MPI, because the archive has its
        # functions too, and the library, because a Fortran program does not refer to it.
        command.append("-Wl,--no-as-needed")
    elif how == LINKED:
        command.append("-Wl,--as-needed")
    if how == LINKED:
        command += [f"-L{LIBRARY.parent}", "-lvftrace", "-lm", f"-Wl,-rpath,{LIBRARY.parent}"]
    elif how == STATIC:
        command += ["-Wl,--whole-archive", BUILD / "libvftrace.a", "-Wl,--no-whole-archive",
                    "-lelf", "-lm"]
    return _compile([*command, *link], [source], output or source.stem)


class MpiResult(Result):
    """A finished MPI run: what its ranks reported and expected, and the profile if there is one."""

    def __init__(self, process, folder, ranks, seconds):
        super().__init__(process, folder)
        self.ranks = ranks
        self.seconds = seconds

    def reported(self):
        """What each rank reported, by rank."""
        return {rank: (self.folder / f"reported.{rank}").read_text()
                for rank in range(self.ranks) if (self.folder / f"reported.{rank}").exists()}

    def warnings(self):
        """vftrace's lines on stderr."""
        return [line for line in self.stderr.splitlines() if "vftrace" in line]

    def expected_lines(self):
        for rank in range(self.ranks):
            for line in (self.folder / f"expected.{rank}").read_text().splitlines():
                yield rank, line.split()

    def expected_messages(self):
        """Lines of text as recorded_messages() returns them, from the ranks' expectations."""
        totals, pairs = collections.Counter(), collections.Counter()
        for rank, (kind, *words) in self.expected_lines():
            figures = list(map(int, words[-4:])) if kind != "calls" else []
            for key, figure in zip(FIGURES, figures):
                if kind == "total":
                    totals[words[0], key] += figure
                else:
                    pairs[rank, int(words[0]), words[1], key] += figure
        return _message_lines(totals, pairs)

    def expected_calls(self):
        calls = collections.Counter()
        for _, (kind, *words) in self.expected_lines():
            if kind == "calls":
                calls[words[0]] += int(words[1])
        return dict(calls)

    def recorded_messages(self, profile=None):
        """The messages in the profile: by function, and by rank, peer and function."""
        profile = profile or self.profile()
        totals, pairs = collections.Counter(), collections.Counter()
        for node in profile["nodes"]:
            _add(totals, (name_of(profile, node),), node.get("messages", {}))
        for entry in profile.get("communication", []):
            name = name_of(profile, profile["nodes"][entry["node"]])
            _add(pairs, (entry["rank"], entry["peer"], name), entry)
        return _message_lines(totals, pairs)

    def calls_by_name(self):
        """{function: calls} of the MPI functions."""
        profile, calls = self.profile(), collections.Counter()
        for node in profile["nodes"]:
            if profile["functions"][node["function"]]["kind"] == "mpi":
                calls[name_of(profile, node)] += node["calls"]
        return dict(calls)


FIGURES = ("sent", "bytes sent", "received", "bytes received")


def name_of(profile, node):
    return profile["functions"][node["function"]]["name"]


def _add(counter, key, directions):
    for direction in ("sent", "received"):
        figures = directions.get(direction, {"messages": 0, "bytes": 0})
        counter[(*key, direction)] += figures["messages"]
        counter[(*key, f"bytes {direction}")] += figures["bytes"]


def _message_lines(totals, pairs):
    """Sorted text, for a readable difference: one line per function and per pair."""
    def lines(counter, title):
        for key in sorted({key[:-1] for key in counter}):
            figures = [counter[(*key, figure)] for figure in FIGURES]
            if any(figures):
                yield (f"{title(*key)}: sent {figures[0]} messages, {figures[1]} bytes; "
                       f"received {figures[2]} messages, {figures[3]} bytes")

    return [*lines(totals, lambda function: function),
            *lines(pairs, lambda rank, peer, function: f"rank {rank} and {peer}, {function}")]


def run_mpi(family, program, ranks, how=None, config=None, arguments=(), timeout=60, **variables):
    """Runs a program on some ranks in a folder of its own. how: None runs it alone."""
    family.need("mpirun")
    command = [*family.launch(ranks), str(program), *map(str, arguments)]
    if how in (PRELOAD, PRELOAD_LAUNCHER):
        need_part("BUILD_TOOLS")
        at = 0 if how == PRELOAD_LAUNCHER else len(command) - 1 - len(arguments)
        command[at:at] = [str(COMMAND), "run", "--"]
    if how is None:
        variables["VFTR_OFF"] = "yes"
    return launch_mpi(family, command, ranks, config, timeout, **variables)


def launch_mpi(family, command, ranks, config=None, timeout=60, folder=None, **variables):
    """Runs a command that starts this many ranks."""
    folder = folder or scratch_folder()
    environment = clean_environment(**{"VFTR_OVERHEAD_BUDGET": 0, **family.environment, **variables})
    for key, value in (config or {}).items():
        environment["VFTR_" + key.replace(".", "_").upper()] = str(value)
    start = time.monotonic()
    process = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True,
                             errors="surrogateescape", timeout=timeout, stdin=subprocess.DEVNULL)
    return MpiResult(process, folder, ranks, time.monotonic() - start)


class MpiTest(unittest.TestCase):
    """Adds the check that each profiled program must pass: it behaves as it does alone. The tests
    of a family are a class that names the family."""
    maxDiff = None
    family = None

    @classmethod
    def setUpClass(cls):
        os.makedirs(SCRATCH, exist_ok=True)

    def setUp(self):
        self.family.need("mpicc", "mpirun")

    def profile(self, name, ranks, instrument=True, how=PRELOAD, arguments=(), config=None,
                expect_warning=None, flags=(), launcher_complains=False):
        """Runs a program alone and profiled, and compares its output and results. Returns
        the profiled run. expect_warning: what one of our lines on stderr must match; by default
        there must be none. launcher_complains: the launcher reports processes that end badly, with
        a text and a status that differ from run to run."""
        alone = self.alone(name, ranks, tuple(arguments), tuple(flags))
        program = compile_mpi(self.family, name, instrument, how, flags)
        profiled = run_mpi(self.family, program, ranks, how, config, arguments)
        if alone.stdout.startswith("skipped: "):
            self.skipTest(alone.stdout.split(": ", 1)[1].splitlines()[0])
        if not launcher_complains:
            self.assertEqual(profiled.status, alone.status, profiled.stderr)
            self.assertEqual(sorted(profiled.stdout.splitlines()),
                             sorted(alone.stdout.splitlines()))
        self.assertEqual(profiled.reported(), alone.reported())
        if expect_warning is not None:
            self.assertRegex("\n".join(profiled.warnings()), expect_warning)
        else:
            self.assertEqual(profiled.warnings(), [])
        return profiled

    def alone(self, name, ranks, arguments=(), flags=()):
        """The run without vftrace, made once for all tests of this process."""
        return _alone(self.family, name, ranks, arguments, flags)

    def check_messages(self, result):
        """The profile has the messages that the program really sent, and no others."""
        profile = result.profile()
        self.assertEqual(result.recorded_messages(profile), result.expected_messages())
        calls = result.calls_by_name()
        expected_calls = result.expected_calls()
        self.assertEqual({name: calls.get(name) for name in expected_calls}, expected_calls)
        self.check_consistency(profile)

    def check_consistency(self, profile):
        """The histogram and the matrix count the same messages, and times are plausible."""
        for direction in ("sent", "received"):
            in_matrix = [entry[direction] for entry in profile.get("communication", [])
                         if direction in entry]
            self.assertEqual(sum(size[direction] for size in profile.get("message_sizes", [])),
                             sum(figures["messages"] for figures in in_matrix))
            for figures in in_matrix:
                self.assertGreater(figures["time_ns"], 0)
                self.assertEqual(figures["bandwidth_sum"] > 0, figures["bytes"] > 0)
        for node in profile["nodes"]:
            if "messages" in node:
                self.assertEqual(profile["functions"][node["function"]]["kind"], "mpi")
        ranks = profile["run"]["ranks"]
        self.assertEqual([rank["rank"] for rank in profile["ranks"]], list(range(ranks)))


@functools.lru_cache(maxsize=None)
def _alone(family, name, ranks, arguments, flags):
    program = compile_mpi(family, name, instrument=False, flags=flags)
    return run_mpi(family, program, ranks, arguments=arguments)
