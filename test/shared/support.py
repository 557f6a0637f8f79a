"""What the program tests share: compiling a program, running it with and without the library, reading logs."""
import functools
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile
import unittest

from built_once import build_once
from profile_sums import wrong_times

HERE = pathlib.Path(__file__).resolve().parents[1]
SOURCE = HERE.parent
BUILD = pathlib.Path(os.environ.get("VFTRACE_TEST_BUILD", SOURCE / "build"))
LIBRARY = BUILD / ".libs" / "libvftrace.so"
COMMAND = BUILD / "vftrace"
CORE, RUNTIME, RUNTIME_SOURCES = (SOURCE / "src" / wing for wing in ("core", "runtime", "runtime/sources"))
# For programs of tests that compile the library's own sources.
INCLUDE_RUNTIME = tuple(f"-I{folder}" for folder in (CORE, RUNTIME, RUNTIME_SOURCES))
PROGRAMS = HERE / "programs"
# Whether both layers of the tests run (run_tests.py --all).
EVERYTHING = bool(os.environ.get("VFTRACE_TEST_EVERYTHING"))
SCRATCH = pathlib.Path(os.environ.get("VFTRACE_TEST_SCRATCH", BUILD / "test-scratch"))

COMPILERS = {".c": "gcc", ".cpp": "g++", ".F90": "gfortran"}
CLANG = {"gcc": "clang", "g++": "clang++"}

# The flags with which gcc generates hooks in prologues, as the wrappers do.
PROLOGUES = (f"-specs={SOURCE / 'scripts' / 'prologue-hooks.specs'}",
             "-fno-optimize-sibling-calls")


def some_of(values, few):
    """All values in the second layer (run_tests.py --all), otherwise a few that are spread evenly over them."""
    values = list(values)
    if EVERYTHING or len(values) <= few:
        return values
    return [values[i * len(values) // few] for i in range(few)]


def need(program):
    """Skips the test if a program that it uses is not installed."""
    if not shutil.which(program):
        raise unittest.SkipTest(f"{program} is not installed")


# A program that calls the library's functions itself is linked to the library.
LINK_LIBRARY = (f"-L{LIBRARY.parent}", "-lvftrace", "-lm", f"-Wl,-rpath,{LIBRARY.parent}")


def installed_libraries(pattern):
    """Paths of the libraries that the loader knows whose file names match."""
    known = subprocess.run(["sh", "-c", "PATH=$PATH:/sbin:/usr/sbin ldconfig -p"], capture_output=True, text=True).stdout
    return re.findall(rf"=> (\S+/{pattern})$", known, re.M)


def need_part(part):
    """Skips the test if configure left a part out: HAVE_FORTRAN, HAVE_LIBDW, BUILD_TOOLS."""
    if f'S["{part}_TRUE"]=""' not in (BUILD / "config.status").read_text():
        raise unittest.SkipTest(f"built without: {part}")


def need_fast_clock():
    """Skips the test if the library must take the time from clock_gettime, which costs more."""
    try:
        source = pathlib.Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
        name = source.read_text().strip()
    except OSError:
        return  # the library queries the processor instead
    if platform.machine() == "x86_64" and not name.startswith(("tsc", "kvm-clock", "hyperv")):
        raise unittest.SkipTest(f"the clock source is {name}")


@functools.cache
def digest_of_headers():
    """Identifies the contents of the library's headers and of those that the programs share."""
    digest = hashlib.sha1()
    for path in sorted((*(SOURCE / "include").rglob("*.*"), *PROGRAMS.glob("*.h*"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def compile_program(name, flags=("-O1",), compiler=None, instrument=True, link=None, output=None):
    """Compiles test/programs/NAME and returns the executable; done once for the same arguments.

    Programs that include vftrace.h are linked to the library."""
    source = PROGRAMS / name
    compiler = compiler or COMPILERS[source.suffix]
    need(compiler)
    command = [compiler, *flags]
    if instrument:
        command.append("-finstrument-functions")
    if compiler in ("g++", "clang++"):
        command += ["-std=c++20", "-finstrument-functions-exclude-file-list=/usr/include"] \
            if compiler == "g++" and instrument else ["-std=c++20"]
    if link is None:
        link = LINK_LIBRARY if "vftrace.h" in source.read_text() else ()
    command += ["-I", str(SOURCE / "include"), str(source), *map(str, link)]
    archives = [f"{path.stat().st_mtime_ns}" for path in map(pathlib.Path, map(str, link))
                if path.suffix == ".a" and path.exists()]
    stamp = hashlib.sha1(" ".join([*command, *archives, digest_of_headers(), source.read_text()]).encode())
    stamp = stamp.hexdigest()[:12]
    return build_once(command, SCRATCH / "bin" / stamp / (output or source.stem))


def metrics_except_process(profile):
    """Names of a profile's metrics, except those of the process and its host, which every profile has."""
    always = ("process.", "io.", "processors.", "waiting.")
    return [metric["name"] for metric in profile["metrics"] if not metric["name"].startswith(always)]


class Result:
    """A finished run: what it printed, and the logs in its folder."""

    def __init__(self, process, folder):
        self.status = process.returncode
        self.stdout = process.stdout
        self.stderr = process.stderr
        self.folder = folder
        self.check_sums()

    def check_sums(self):
        """The times of every profile in the folder are consistent."""
        for path in self.folder.glob("*_all.json"):
            if not path.is_file():
                continue  # /dev/full never ends
            try:
                profile = json.loads(path.read_text(errors="surrogateescape"))
            except ValueError:
                continue  # tests that damage files read them in their own way
            if profile.get("nodes"):
                wrong = list(wrong_times(profile))
                assert not wrong, "\n".join([f"{path.name}: times do not agree", *wrong])

    def files(self):
        return sorted(path.name for path in self.folder.iterdir())

    def text(self, suffix="_all.log"):
        logs = [path for path in self.folder.iterdir() if path.name.endswith(suffix)]
        assert len(logs) == 1, f"expected one *{suffix}, found {self.files()}; {self.stderr}"
        return logs[0].read_text(errors="surrogateescape")

    def profile(self):
        return json.loads(self.text("_all.json"))

    def rows(self, title="Runtime profile"):
        """The rows of a table in the log as dictionaries of text."""
        return table_rows(self.text(), title)

    def paths(self):
        """All call paths of the JSON: {"leaf<main<init": node}."""
        profile = self.profile()
        functions, nodes = profile["functions"], profile["nodes"]
        result = {}
        for node in nodes:
            names, step = [], node
            while True:
                names.append(functions[step["function"]]["display"])
                if step["parent"] is None:
                    break
                step = nodes[step["parent"]]
            result["<".join(names)] = node
        return result

    def calls(self):
        return {path: node["calls"] for path, node in self.paths().items()}


def words_of(text):
    """The lines of a text without the column widths and rules of its tables, because logs and
    commands align names differently."""
    return [re.sub(r"[ -]+", " ", line).strip() for line in text.strip().split("\n")]


def table_rows(text, title):
    lines = text.splitlines()
    start = lines.index(title)
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")]
             for line in lines[start + 1:] if line.startswith("|")]
    end = next((i for i, line in enumerate(lines[start + 1:]) if not line.startswith(("+", "|"))),
               len(lines))
    count = sum(1 for line in lines[start + 1:start + 1 + end] if line.startswith("|"))
    return [dict(zip(cells[0], row)) for row in cells[1:count]]


def scratch_folder():
    SCRATCH.mkdir(parents=True, exist_ok=True)
    return pathlib.Path(tempfile.mkdtemp(dir=SCRATCH))


def clean_environment(**variables):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("VFTR_", "VFTRACE_", "LD_PRELOAD"))}
    # A statically linked library looks for the command vftrace in PATH.
    environment["PATH"] = f"{BUILD}:{environment.get('PATH', '')}"
    environment["XDG_CACHE_HOME"] = str(SCRATCH / "cache")  # of the compiler wrappers
    if "LD_PRELOAD" in variables:  # see run()
        environment["VFTR_OVERHEAD_BUDGET"] = "0"
    environment.update({name: str(value) for name, value in variables.items()
                        if value is not None})
    return environment


def run(command, preload=True, timeout=120, config=None, folder=None, stdin=None, **variables):
    """Runs a command in a folder of its own with the library preloaded. No hooks are removed unless
    the variables say so, because how many are removed depends on the machine."""
    folder = folder or scratch_folder()
    environment = clean_environment(**{"VFTR_OVERHEAD_BUDGET": 0, **variables})
    if preload:
        environment["LD_PRELOAD"] = str(LIBRARY)
    if config is not None:
        path = folder / "config.json"
        path.write_text(config if isinstance(config, str) else json.dumps(config))
        environment["VFTR_CONFIG"] = str(path)
    process = subprocess.run([str(part) for part in command], cwd=folder, env=environment,
                             capture_output=True, text=True, errors="surrogateescape",
                             timeout=timeout, stdin=stdin or subprocess.DEVNULL)
    return Result(process, folder)


def instructions_of(program, *arguments, **variables):
    """The number of instructions that a profiled run executes. Every call is timed and the budget
    removes no hooks, because its reviews depend on time, not on the number of calls."""
    need("valgrind")
    need_fast_clock()
    folder = scratch_folder()
    result = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=out", program, *arguments],
                 folder=folder, **{"VFTR_JSON": "no", "VFTR_TIMING": "exact", **variables})
    if "unhandled dwarf2" in result.stderr:
        raise unittest.SkipTest("this valgrind cannot read the compiler's debug information")
    if result.status != 0:
        raise AssertionError(result.stderr)
    counted = re.search(r"^(?:summary|totals): (\d+)", (folder / "out").read_text(), re.M)
    return int(counted[1])


def blank_numbers(text):
    """Text with every number replaced, to compare layout."""
    return re.sub(r"\d+", "#", text)


class ProgramTest(unittest.TestCase):
    """Adds the check that each profiled program must pass: it behaves as it does alone."""
    maxDiff = None

    def profile(self, command, expect_stderr="", **arguments):
        command = command if isinstance(command, (list, tuple)) else [command]
        alone = run(command, preload=False, VFTR_OFF="yes")
        profiled = run(command, **arguments)
        self.assertEqual(profiled.status, alone.status, profiled.stderr)
        self.assertEqual(profiled.stdout, alone.stdout)
        if expect_stderr is not None:
            said = profiled.stderr.removeprefix(alone.stderr)
            if expect_stderr:
                self.assertRegex(said, expect_stderr)
            else:
                self.assertEqual(said, "")
        return profiled
