"""Reads vfd files for the tests, according to the description of the format and without our own
reader."""
import struct

ENTER, EXIT, MESSAGE = range(3)
TASK_MOMENTS = ("created", "run", "paused", "completed", "failed", "cancelled")
EVERY_CALL = {"VFTR_SAMPLING_ACTIVE": "yes", "VFTR_SAMPLING_SAMPLE_INTERVAL": "0"}
# With the interval from the start, which otherwise begins when the trace has become large.
THINNED = {"VFTR_SAMPLING_ACTIVE": "yes", "VFTR_SAMPLING_COMPLETE_SIZE": "0"}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def numbers(self, pattern):
        values = struct.unpack_from("<" + pattern, self.data, self.at)
        self.at += struct.calcsize("<" + pattern)
        return values

    def number(self, pattern="i"):
        return self.numbers(pattern)[0]

    def text(self, pattern="i"):
        length = self.number(pattern)
        value = self.data[self.at:self.at + length]
        assert len(value) == length, "text reaches beyond the file"
        self.at += length
        return value.removesuffix(b"\0").decode(errors="surrogateescape")


class DeviceWork:
    """A piece of work of a GPU, by names instead of numbers."""

    def __init__(self, vfd, at):
        (self.start, self.end, self.call, self.bytes, track, stack, self.thread, self.work,
         kernel) = struct.unpack_from("<3qQI2i2I", vfd.data, at)
        self.device, self.context, self.stream = vfd.tracks[track][:3]
        self.path = vfd.path(stack) if stack >= 0 else None
        self.kernel = self.name = None
        if kernel != 0xffffffff:
            self.kernel, demangled = vfd.kernels[kernel]
            self.name = (demangled or self.kernel).partition("(")[0]


class Vfd:
    """events: (ENTER|EXIT, path, ns) of thread 0; messages: dictionaries; both in the file's order.
    threads: {number: events} of the others, from the extension; work: what GPUs have done;
    call_samples: {thread: [(path, ns), ...]} in functions without hooks;
    left_out: {thread: [(innermost path that was open throughout, ns, events), ...]};
    task_moments: {thread: [(what, path, task, ns), ...]}."""

    def __init__(self, path):
        self.data = data = path.read_bytes()
        r = Reader(data)
        self.version, self.package = r.number(), r.text()
        length = r.number()
        self.dates = [data[r.at + i * length:r.at + (i + 1) * length - 1].decode() for i in range(2)]
        r.at += 2 * length
        (self.interval, self.ranks, self.rank, self.thread_count, self.runtime, functions, messages,
         stacks, self.counters, self.observables, self.samples_at, self.stacks_at, self.threads_at,
         self.hwprof_at) = r.numbers("q3id5I4q")
        assert self.samples_at == r.at, "samples do not follow the header"
        raw = self.read_samples(r, functions + messages)
        assert sum(event[0] == MESSAGE for event in raw) == messages
        assert r.at == self.stacks_at
        self.names, self.parents = [], []
        for _ in range(stacks):
            self.parents.append(r.number())
            self.names.append(r.text())
        assert r.at == self.threads_at
        self.paths = []
        for name, parent in zip(self.names, self.parents):
            assert parent < len(self.paths)
            self.paths.append(name + ("<" + self.paths[parent] if parent >= 0 else ""))
        self.thread_parents = [r.number() for _ in range(self.thread_count)]
        assert r.at == self.hwprof_at
        self.counter_names = [(r.text(), r.text()) for _ in range(self.counters)]
        self.observable_names = [(r.text(), r.text(), r.text()) for _ in range(self.observables)]
        self.events = [(kind, self.path(stack), ns) for kind, stack, ns, *_ in raw if kind != MESSAGE]
        self.readings = [rest[0] for kind, _, _, *rest in raw if kind != MESSAGE]
        self.messages = [rest[0] for kind, _, _, *rest in raw if kind == MESSAGE]
        self.times = [ns for _, _, ns, *_ in raw]
        self.threads, self.thread_names, self.gaps, self.sections, self.left_out = {}, {}, [], [], {}
        self.tracks, self.kernels, self.missing_work, self.work = [], [], 0, []
        self.call_samples, self.task_moments = {}, {}
        if r.at < len(data):
            self.read_extension(r)
        assert r.at == len(data), f"{len(data) - r.at} bytes left"

    def read_samples(self, r, count):
        result = []
        for _ in range(count):
            kind = r.number()
            assert kind in (ENTER, EXIT, MESSAGE), kind
            if kind == MESSAGE:
                values = r.numbers("6i2q2i")
                message = dict(zip(("received", "peer", "datatype", "count", "bytes", "tag", "start",
                                    "end", "stack", "thread"), values))
                result.append((kind, message["stack"], message["start"], message))
            else:
                stack, ns = r.numbers("iq")
                result.append((kind, stack, ns, r.numbers(f"{self.counters}q")))
        return result

    def read_extension(self, r):
        start = r.at
        assert self.data[r.at:r.at + 8] == b"VFDEXT\n\1"
        end = len(self.data) - 16
        assert struct.unpack_from("<q8s", self.data, end) == (start, b"VFDEXT\n\1")
        r.at += 8
        while r.at < end:
            section, detail, size = r.numbers("IIQ")
            begin = r.at
            self.sections.append(section)
            if section == 2:
                number = 0
                while r.at < begin + size:
                    _, _, _, _, length = r.numbers("iiIQI")
                    self.thread_names[number] = self.data[r.at:r.at + length].decode()
                    r.at += length
                    number += 1
            elif section == 3:
                events = self.read_samples(r, size // (16 + 8 * self.counters))
                self.threads[detail] = [(kind, self.path(stack), ns) for kind, stack, ns, _ in events]
            elif section == 4:
                self.clock = dict(zip(("unix", "monotonic", "measured", "begin", "begin_offset",
                                       "begin_error", "end", "end_offset", "end_error"),
                                      r.numbers("qqi6q")))
            elif section == 9:
                while r.at < begin + size:
                    self.gaps.append(dict(zip(("thread", "waited", "start", "end", "events"),
                                              r.numbers("IIqqQ"))))
            elif section == 10:
                self.missing_work = r.number("Q")
                while r.at < begin + size:
                    self.tracks.append((*r.numbers("IIIQ"), r.text("I")))
            elif section == 11:
                while r.at < begin + size:
                    self.kernels.append((r.text("I"), r.text("I")))
            elif section == 13:
                samples = [r.numbers("Iq") for _ in range(size // 12)]
                self.call_samples[detail] = [(self.path(stack), ns) for stack, ns in samples]
            elif section == 18:
                entries = [r.numbers("IqQ") for _ in range(size // 20)]
                self.left_out[detail] = [(None if stack == 0xffffffff else self.path(stack), ns, events)
                                         for stack, ns, events in entries]
            elif section == 15:
                moments = [r.numbers("IqQI") for _ in range(size // 24)]
                self.task_moments[detail] = [(TASK_MOMENTS[what], self.path(stack), task, ns)
                                             for stack, ns, task, what in moments]
            elif section == 12:
                work_at = range(begin, begin + size, 52)
            r.at = begin + size
        assert r.at == end
        if 12 in self.sections:
            self.work = [DeviceWork(self, at) for at in work_at]
        r.at += 16

    def path(self, stack):
        return self.paths[stack]


def vfd_of(result, suffix="_0.vfd"):
    files = [path for path in result.folder.iterdir() if path.name.endswith(suffix)]
    assert len(files) == 1, f"{result.files()}; {result.stderr}"
    return Vfd(files[0])


def count_samples(path):
    """Entries and exits of thread 0 in a large file that has nothing else among its samples."""
    data = path.read_bytes()
    at = Reader(data)
    at.number(), at.text()
    at.at += 4 + 2 * struct.unpack_from("<i", data, at.at)[0]
    (_, _, _, _, _, functions, messages, _, counters, _, samples_at, *_) = at.numbers("q3id5I4q")
    assert messages == counters == 0
    kinds = data[samples_at:samples_at + 16 * functions:16]
    return kinds.count(ENTER), kinds.count(EXIT)


def text_of(events):
    """["call main<init", "exit main<init"]: what happened, without times."""
    return [f"{'exit' if kind == EXIT else 'call'} {path}" for kind, path, _ in events]


def check_order(test, events):
    times = [ns for _, _, ns in events]
    test.assertEqual(times, sorted(times))


def check_nesting(test, events, ends_open=0):
    """Every call is below the one that is open, and every exit is that of the innermost one."""
    stack = []
    for kind, path, _ in events:
        if kind == ENTER:
            caller = stack[-1] if stack else "init"
            # Direct recursion stays on its path.
            test.assertTrue(path == caller or path.endswith("<" + caller), (path, caller))
            stack.append(path)
        elif stack:
            test.assertEqual(path, stack.pop())
        else:
            test.assertEqual(path, "init")
    test.assertEqual(len(stack), ends_open)


def calls_in(events):
    result = {}
    for kind, path, _ in events:
        if kind == ENTER:
            result[path] = result.get(path, 0) + 1
    return result
