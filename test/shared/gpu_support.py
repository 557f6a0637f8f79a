"""What the GPU tests share: the stand-ins for CUDA and CUPTI (see gpu/standin_cuda.h), programs
that run on them, and the GPU figures of a profile."""
import functools
import hashlib

from built_once import build_once
from support import (HERE, LINK_LIBRARY, SCRATCH, SOURCE, ProgramTest, need, run,
                     scratch_folder)

STANDIN = HERE / "gpu"
PROGRAMS = STANDIN / "programs"
# Sources of the libraries, and the names that the versions of CUDA give them.
CUDA = ("standin_cudart.c", "standin_streams.c", "standin_driver.c", "standin_calls.c",
        "standin_device.c")
CUPTI = ("standin_cupti.c", "standin_activity.c", "standin_records.c")
RUNTIMES = {11: "libcudart.so.11.0", 12: "libcudart.so.12", 13: "libcudart.so.13"}
CUPTIS = {11: "libcupti.so.11.8", 12: "libcupti.so.12", 13: "libcupti.so.13"}
DRIVER = "libcuda.so.1"


def _compile(command, target):
    """Runs a compiler once for the same arguments and sources."""
    sources = sorted(path for path in STANDIN.rglob("*") if path.is_file())
    text = "".join(path.read_text() for path in sources) + " ".join(map(str, command))
    return build_once(command, SCRATCH / "gpu" / hashlib.sha1(text.encode()).hexdigest()[:12] / target)


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


@functools.lru_cache(maxsize=None)
def nvml_library():
    """Its values are in the file that STANDIN_GPUS names (gpu/standin_management.h)."""
    return _library("libnvidia-ml.so.1", ("standin_nvml.c",))


@functools.lru_cache(maxsize=None)
def rocm_smi_library(version):
    return _library(f"librocm_smi64.so.{version}", ("standin_rocm_smi.c",), f"-DSTANDIN_VERSION={version}")


def compile_gpu(name, cuda=RUNTIMES[13], compiler=None, instrument=True, link=()):
    """Compiles test/gpu/programs/NAME, linked to the stand-in for CUDA under one of its names."""
    compiler = compiler or {"c": "gcc", "cpp": "g++"}[name.rpartition(".")[2]]
    need(compiler)
    command = [compiler, "-O1", "-g", "-w", "-I", STANDIN, PROGRAMS / name, *([cuda_library(cuda)] if cuda else []),
               "-pthread", *link]
    if "vftrace.h" in (PROGRAMS / name).read_text():
        command += ["-I", SOURCE / "include", *LINK_LIBRARY]
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


WORKS = {(0, 1): "host-to-device", (0, 2): "device-to-host", (0, 8): "device-to-device",
         (0, 9): "host-to-host", (1, 0): "peer-to-peer", (2, 0): "memset", (3, 0): "kernel",
         (4, 1): "migrated-to-device", (4, 2): "migrated-to-host"}


class Work:
    """A piece of work that the stand-in has done."""

    def __init__(self, line):
        kind, copy, *numbers, self.kernel = line.split(maxsplit=8)
        self.work = WORKS[int(kind), int(copy)]
        self.device, self.context, self.stream, self.start, self.end, self.bytes = \
            map(int, numbers)


def read_truth(folder):
    """All work of all processes."""
    return [Work(line) for path in sorted(folder.glob("truth.*"))
            for line in path.read_text().splitlines()]


def _length(intervals):
    """Of the union of intervals."""
    length, end = 0, 0
    for first, last in sorted(intervals):
        length += max(0, last - max(first, end))
        end = max(end, last)
    return length


def expected_totals(truth):
    """{work: (count, ns, bytes)}"""
    totals = {}
    for one in truth:
        count, ns, size = totals.get(one.work, (0, 0, 0))
        totals[one.work] = (count + 1, ns + one.end - one.start, size + one.bytes)
    return totals


def expected_streams(truth):
    """{(device, context, stream): (kernels, copies, bytes, kernel ns, copy ns, span)}"""
    streams = {}
    for key in {(one.device, one.context, one.stream) for one in truth}:
        of_stream = [one for one in truth if (one.device, one.context, one.stream) == key and
                     not one.work.startswith("migrated")]
        kernels = [one for one in of_stream if one.work == "kernel"]
        copies = [one for one in of_stream if one.work != "kernel"]
        if of_stream:
            streams[key] = (len(kernels), len(copies), sum(one.bytes for one in copies),
                            sum(one.end - one.start for one in kernels),
                            sum(one.end - one.start for one in copies),
                            max(one.end for one in of_stream) - min(one.start for one in of_stream))
    return streams


def expected_devices(truth):
    """{device: (kernel ns, copy ns, overlap ns, span ns)}"""
    devices = {}
    for device in {one.device for one in truth}:
        kernels = [(one.start, one.end) for one in truth
                   if one.device == device and one.work == "kernel"]
        copies = [(one.start, one.end) for one in truth
                  if one.device == device and one.work != "kernel"]
        busy = _length(kernels + copies)
        both = kernels + copies
        devices[device] = (_length(kernels), _length(copies),
                           _length(kernels) + _length(copies) - busy,
                           max(end for _, end in both) - min(start for start, _ in both))
    return devices


class GpuFigures:
    """The GPU figures of a profile, by names instead of numbers."""

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
        # Devices that did nothing are in the profile too.
        self.devices = [device for device in gpu.get("devices", []) if device["span_ns"] > 0]

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

    def stream_figures(self):
        return {(stream["device"], stream["context"], stream["stream"]):
                tuple(stream[key] for key in ("kernels", "copies", "bytes", "kernel_ns", "copy_ns",
                                              "span_ns")) for stream in self.streams}

    def device_figures(self):
        return {device["number"]: tuple(device[key] for key in ("kernel_ns", "copy_ns",
                                                                "overlap_ns", "span_ns"))
                for device in self.devices}

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
        truth = scratch_folder()
        profiled = run([program, *arguments], config=config, STANDIN_TRUTH=truth, **environment)
        profiled.truth = read_truth(truth)
        self.assertEqual((profiled.status, profiled.stdout), (alone.status, alone.stdout),
                         profiled.stderr)
        self.assertEqual(alone.stderr, "")
        if expect_stderr:
            self.assertRegex(profiled.stderr, expect_stderr)
        elif expect_stderr is not None:
            self.assertEqual(profiled.stderr, "")
        return profiled

    def figures(self, name, *arguments, **options):
        result = self.profile_gpu(name, *arguments, **options)
        return GpuFigures(result), result.truth

    def check(self, name, *arguments, **options):
        """Sums, streams and devices agree with the stand-in's work to the nanosecond."""
        figures, truth = self.figures(name, *arguments, **options)
        self.assertEqual(figures.totals(), expected_totals(truth))
        self.check_streams_and_devices(figures, truth)
        return figures

    def check_streams_and_devices(self, figures, truth):
        self.assertEqual(figures.stream_figures(), expected_streams(truth))
        self.assertEqual(figures.device_figures(), expected_devices(truth))
