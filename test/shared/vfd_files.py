"""Writes vfd files for tests, sample by sample: version 3 with our extension. src/core/vfd/vfd_format.hpp
describes the bytes."""
import struct

ENTER, EXIT, MESSAGE = 0, 1, 2
ROOT, FUNCTION, REGION, MPI, PAUSE, THREAD, OPENMP, GPU = range(8)
MAGIC = b"VFDEXT\n\1"
NONE = 0xffffffff
SEND, RECEIVE, BARRIER, ALL_TO_ALL, ONE_TO_ALL, ALL_TO_ONE, PREFIX, NEIGHBOURS = range(8)
COMPLETED_BY_ANOTHER = 16


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def with_nul(text):
    text = as_bytes(text)
    return struct.pack("=i", len(text) + 1) + text + b"\0"


def counted(text):
    text = as_bytes(text)
    return struct.pack("=I", len(text)) + text


def packed(*numbers):
    """7 bits per byte, the lowest first."""
    out = bytearray()
    for number in numbers:
        while number >= 128:
            out.append(number & 127 | 128)
            number >>= 7
        out.append(number)
    return bytes(out)


class Vfd:
    def __init__(self, rank=0, processes=1, runtime_s=1e-3, interval_ns=0, host="node1",
                 application="heat", start_ns=1_000_000_000, start_unix_ns=1_700_000_000 * 10**9,
                 clock=None):
        self.rank, self.processes = rank, processes
        self.runtime_s, self.interval_ns = runtime_s, interval_ns
        self.run = (application, f"./{application} 100", host, "{}")
        # start, measured, (own time, offset, error) twice
        self.clock = (start_unix_ns, start_ns, *(clock or (0,) * 7))
        self.functions, self.stacks = [], []
        self.threads, self.samples = [], []
        self.counters, self.gaps = [], []
        self.tracks, self.kernels, self.work = [], [], []
        self.task_moments, self.left_out_events = {}, {}  # by thread
        self.messages = 0
        self.communicators, self.operations = [], []
        self.stack(-1, "init", ROOT)
        self.thread()

    def stack(self, parent, name, kind=FUNCTION, file="", line=0):
        self.functions.append(struct.pack("=IIQI", kind, NONE, 0, line) + counted(name) +
                              counted("") + counted(file))
        self.stacks.append((parent, name))
        return len(self.stacks) - 1

    def thread(self, parent=-1, name="", openmp=False):
        self.threads.append((parent, 4000 + len(self.threads), openmp, name))
        self.samples.append([])
        return len(self.threads) - 1

    def enter(self, stack, ns, thread=0, readings=()):
        self.sample(ENTER, stack, ns, thread, readings)

    def exit(self, stack, ns, thread=0, readings=()):
        self.sample(EXIT, stack, ns, thread, readings)

    def sample(self, kind, stack, ns, thread, readings):
        self.samples[thread].append(struct.pack(f"=iiq{len(self.counters)}q", kind, stack, ns,
                                                *readings))

    def message(self, receives, peer, tag, start, end, stack, thread=0, count=10, datatype=13,
                type_bytes=8):
        self.samples[0].append(struct.pack("=7iqq2i", MESSAGE, receives, peer, datatype, count,
                                           type_bytes, tag, start, end, stack, thread))
        self.messages += 1

    def track(self, device, context, stream, name):
        self.tracks.append((device, context, stream, name))
        return len(self.tracks) - 1

    def device_work(self, track, start, end, call=-1, stack=-1, thread=-1, kernel=None, work=0,
                    size=0):
        """Adds a piece of work; they must come in the order of their starts. `kernel`: its name."""
        number = NONE
        if kernel is not None:
            if kernel not in self.kernels:
                self.kernels.append(kernel)
            number = self.kernels.index(kernel)
        self.work.append((start, end, call, size, track, stack, thread, work, number))

    def task_moment(self, what, task, stack, ns, thread=0):
        self.task_moments.setdefault(thread, []).append(struct.pack("=IqQI", stack, ns, task, what))

    def left_out(self, stack, ns, events, thread=0):
        """Events before the sample at `ns` that the interval left out; `stack` was open throughout."""
        self.left_out_events.setdefault(thread, []).append(struct.pack("=IqQ", stack, ns, events))

    def communicator(self, identity, size, ranks=()):
        self.communicators.append(struct.pack("=Q", identity) + packed(size, len(ranks)) +
                                  packed(*(rank + 1 for rank in ranks)))
        return len(self.communicators) - 1

    def operation(self, what, start, end, stack, peer=-1, enter=None, wait_stack=None, thread=0,
                  wait_thread=None, communicator=0, tag=0, size=8, number=0):
        """Adds an operation; they may start in any order. `enter`: the start of the call that
        completed it, if that is another call; `peer`: the peer or the root; `number`: that of a
        collective."""
        head, completion = what, b""
        if enter is not None:
            head += COMPLETED_BY_ANOTHER
            completion = packed(enter - start, stack if wait_stack is None else wait_stack,
                                thread if wait_thread is None else wait_thread)
        rest = packed(number) if what >= BARRIER else packed(tag, size)
        self.operations.append((start, packed(head), packed(end - start) + completion +
                                packed(stack, thread, communicator, peer + 1) + rest))

    def operations_section(self):
        payload, latest = b"", 0
        for start, head, rest in sorted(self.operations, key=lambda one: one[0]):
            payload += head + packed(start - latest) + rest
            latest = start
        return payload

    def bytes(self):
        head = struct.pack("=i", 3) + with_nul("Vftrace 3.0.0") + struct.pack("=i", 25) + \
            2 * b"Sat Nov 21 01:33:13 2026\0"
        samples = b"".join(self.samples[0])
        stacks = b"".join(struct.pack("=i", parent) + with_nul(name)
                          for parent, name in self.stacks)
        threads = b"".join(struct.pack("=i", thread[0]) for thread in self.threads)
        counters = b"".join(with_nul(name) + with_nul(name.lower())
                            for name, unit in self.counters)
        begin = len(head) + 80
        offsets = [begin, begin + len(samples), begin + len(samples) + len(stacks),
                   begin + len(samples) + len(stacks) + len(threads)]
        head += struct.pack("=qiiidIIIII4q", self.interval_ns, self.processes, self.rank,
                            len(self.threads), self.runtime_s,
                            len(self.samples[0]) - self.messages, self.messages,
                            len(self.stacks), len(self.counters), 0, *offsets)
        file = head + samples + stacks + threads + counters
        extension = len(file)

        def section(number, detail, payload):
            return struct.pack("=IIQ", number, detail, len(payload)) + payload

        file += MAGIC + section(1, 0, b"".join(map(counted, self.run)))
        thread_info = b""
        for (parent, number, openmp, name), its in zip(self.threads, self.samples):
            count = len(its) - (self.messages if its is self.samples[0] else 0)
            thread_info += struct.pack("=iiIQ", parent, number, openmp, count) + counted(name)
        file += section(2, 0, thread_info)
        for thread, its in enumerate(self.samples[1:], 1):
            file += section(3, thread, b"".join(its))
        file += section(4, 0, struct.pack("=qqi6q", *self.clock))
        file += section(6, 0, b"".join(self.functions))
        file += section(7, 0, struct.pack(f"={len(self.stacks)}I", *range(len(self.stacks))))
        if self.counters:
            file += section(8, 0, b"".join(counted(unit) for name, unit in self.counters))
        if self.gaps:
            file += section(9, 0, b"".join(struct.pack("=IIqqQ", *gap) for gap in self.gaps))
        if self.tracks:
            tracks = struct.pack("=Q", 0)
            for number, (device, context, stream, name) in enumerate(self.tracks):
                pieces = sum(one[4] == number for one in self.work)
                tracks += struct.pack("=IIIQ", device, context, stream, pieces) + counted(name)
            file += section(10, 0, tracks)
            file += section(11, 0, b"".join(counted(name) + counted("") for name in self.kernels))
            file += section(12, 0, b"".join(struct.pack("=3qQI2i2I", *one) for one in self.work))
        for thread, its in self.task_moments.items():
            file += section(15, thread, b"".join(its))
        for thread, its in self.left_out_events.items():
            file += section(18, thread, b"".join(its))
        if self.communicators:
            file += section(16, 0, b"".join(self.communicators))
            file += section(17, 0, self.operations_section())
        return file + struct.pack("=q", extension) + MAGIC

    def write(self, path):
        path.write_bytes(self.bytes())
        return path
