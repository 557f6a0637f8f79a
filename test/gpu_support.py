"""What the GPU tests share: the stand-ins for CUDA and CUPTI (see gpu/standin_cuda.h), programs that
run on them, and what a profile says of GPUs."""
import functools
import hashlib
import subprocess
import threading
import unittest

from support import HERE, LIBRARY, SCRATCH, ProgramTest, need, run

STANDIN = HERE / "gpu"
PROGRAMS = STANDIN / "programs"
# Sources of the libraries, and the names under which the versions of CUDA have them.
CUDA = ("standin_cudart.c", "standin_streams.c", "standin_driver.c", "standin_calls.c",
        "standin_device.c")
CUPTI = ("standin_cupti.c", "standin_activity.c", "standin_records.c")
RUNTIMES = {11: "libcudart.so.11.0", 12: "libcudart.so.12", 13: "libcudart.so.13"}
CUPTIS = {11: "libcupti.so.11.8", 12: "libcupti.so.12", 13: "libcupti.so.13"}
DRIVER = "libcuda.so.1"

_lock = threading.Lock()


def _compile(command, target):
    """Runs a compiler once for the same arguments and sources."""
    sources = sorted(path for path in STANDIN.rglob("*") if path.is_file())
    text = "".join(path.read_text() for path in sources) + " ".join(map(str, command))
    target = SCRATCH / "gpu" / hashlib.sha1(text.encode()).hexdigest()[:12] / target
    with _lock:
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            result = subprocess.run([*map(str, command), "-o", str(target)], capture_output=True,
                                    text=True)
            if result.returncode != 0:
                raise AssertionError(" ".join(map(str, command)) + "\n" + result.stderr)
    return target


def _library(name, sources, *flags):
    need("gcc")
    return _compile(["gcc", "-O2", "-g", "-w", "-fPIC", "-shared", f"-Wl,-soname,{name}", *flags,
                     *(STANDIN / source for source in sources), "-pthread", "-ldl"], name)


@functools.lru_cache(maxsize=None)
def cuda_library(name=RUNTIMES[13]):
    return _library(name, CUDA, "-fvisibility=hidden")


@functools.lru_cache(maxsize=None)
def cupti_library(name=CUPTIS[13]):
    return _library(name, CUPTI, "-Wl,-Bsymbolic")


def compile_gpu(name, cuda=RUNTIMES[13], compiler=None, instrument=True, link=()):
    """Compiles test/gpu/programs/NAME, linked to the stand-in for CUDA under a name of it."""
    compiler = compiler or {"c": "gcc", "cpp": "g++"}[name.rpartition(".")[2]]
    need(compiler)
    command = [compiler, "-O1", "-g", "-w", "-I", STANDIN, PROGRAMS / name, cuda_library(cuda),
               "-pthread", *link]
    if instrument:
        command[1:1] = ["-finstrument-functions"]
    return _compile(command, name.rpartition(".")[0])


def search_path(*libraries):
    return ":".join(str(library.parent) for library in libraries)


def standin_environment(version=13, cupti=True, cuda=None, script="", **variables):
    """The variables with which a program runs on the stand-ins."""
    libraries = [cuda_library(cuda or RUNTIMES[version])]
    if cupti:
        libraries.append(cupti_library(CUPTIS[version]))
    words = [word for word in (script, f"layout={version}") if word]
    return {"LD_LIBRARY_PATH": search_path(*libraries), "STANDIN_CUPTI": ",".join(words),
            **variables}


# The stand-in's times, in ns.
def copy_ns(size):
    return 1000 + size // 10


def set_ns(size):
    return 500 + size // 100


class GpuFigures:
    """What a profile says of GPUs, by names instead of numbers."""

    def __init__(self, result, profile=None):
        self.profile = profile or result.profile()
        self.paths = self._paths()
        gpu = self.profile.get("gpu", {})
        self.work = {}
        for work in gpu.get("work", []):
            kernel = None
            if "function" in work:
                kernel = self.profile["functions"][work["function"]]["display"]
            self.work[self.paths[work["node"]], kernel, work["work"]] = work
        self.streams = gpu.get("streams", [])
        self.devices = gpu.get("devices", [])

    def _paths(self):
        functions, paths = self.profile["functions"], []
        for node in self.profile["nodes"]:
            name = functions[node["function"]]["display"]
            paths.append(name if node["parent"] is None else f"{name}<{paths[node['parent']]}")
        return paths

    def calls(self):
        """{path: calls} of the calls of CUDA."""
        return {path: node["calls"] for path, node in zip(self.paths, self.profile["nodes"])
                if self.profile["functions"][node["function"]]["kind"] == "gpu"}

    def sums(self):
        """{(path, kernel, work): (count, ns, bytes)}"""
        return {key: (work["count"], work["time_ns"], work.get("bytes", 0))
                for key, work in self.work.items()}

    def totals(self):
        """{work: (count, ns, bytes)}"""
        totals = {}
        for (_, _, kind), figures in self.sums().items():
            old = totals.get(kind, (0, 0, 0))
            totals[kind] = tuple(a + b for a, b in zip(old, figures))
        return totals


class GpuTest(ProgramTest):
    """A program of test/gpu/programs, alone and profiled, on the stand-ins."""

    def profile_gpu(self, name, *arguments, version=13, cupti=True, cuda=None, script="",
                    expect_stderr="", config=None, instrument=True, **variables):
        program = compile_gpu(name, cuda or RUNTIMES[version], instrument=instrument)
        environment = standin_environment(version, cupti, cuda, script, **variables)
        alone = run([program, *arguments], preload=False, VFTR_OFF="yes", **environment)
        profiled = run([program, *arguments], config=config, **environment)
        self.assertEqual((profiled.status, profiled.stdout), (alone.status, alone.stdout),
                         profiled.stderr)
        self.assertEqual(alone.stderr, "")
        if expect_stderr:
            self.assertRegex(profiled.stderr, expect_stderr)
        elif expect_stderr is not None:
            self.assertEqual(profiled.stderr, "")
        return profiled

    def figures(self, name, *arguments, **options):
        return GpuFigures(self.profile_gpu(name, *arguments, **options))
