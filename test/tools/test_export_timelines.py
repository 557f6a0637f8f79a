"""vftrace export: traces as perfetto, chrome, speedscope and otf2, checked by separate readers."""
import collections
import json
import shutil
import struct
import subprocess

from command_support import CommandTest, command
from support import HERE, need, scratch_folder
from vfd_files import FUNCTION, GPU, MPI, OPENMP, REGION, THREAD, Vfd

NASTY = b"a\"b\\c\x01\n\xff\xfe{}\xc3"
NASTY_TEXT = "a\"b\\c\x01\n\ufffd\ufffd{}\ufffd"


def rank_trace(rank, **options):
    """main calls work twice and communicates with the other of two ranks; there are also a thread and an OpenMP worker."""
    vfd = Vfd(rank, 2, host=f"node{rank}", start_ns=1_000_000_000 + rank * 500_000,
              clock=(rank and 2, 0, -400_000 * rank, 100, 1_000_000, -399_500 * rank, 100),
              **options)
    vfd.counters = [("Cycles", "1")]
    main = vfd.stack(0, "main", FUNCTION, "heat.c", 42)
    work = vfd.stack(main, "work")
    nasty = vfd.stack(work, NASTY, REGION)
    send = vfd.stack(main, "MPI_Send", MPI)
    receive = vfd.stack(main, "MPI_Recv", MPI)
    threads = vfd.stack(main, "[thread]", THREAD)
    task = vfd.stack(threads, "task")
    parallel = vfd.stack(main, "omp parallel @heat.c:7", OPENMP)
    loop = vfd.stack(parallel, "omp for @heat.c:8", OPENMP)
    thread, worker = vfd.thread(0, "reader"), vfd.thread(0, openmp=True)
    vfd.enter(main, 1000, readings=[10])
    for begin in (2000, 10_000):
        vfd.enter(work, begin, readings=[20])
        vfd.enter(nasty, begin + 1000, readings=[30])
        vfd.exit(nasty, begin + 1500, readings=[40])
        vfd.exit(work, begin + 2000, readings=[50])
    vfd.enter(send, 20_000, readings=[60])
    vfd.message(0, 1 - rank, 7, 20_001, 20_500, send)
    vfd.exit(send, 21_000, readings=[60])
    vfd.enter(receive, 22_000, readings=[60])
    vfd.message(1, 1 - rank, 7, 22_001, 150_000, receive, count=2)
    vfd.message(1, 1 - rank, 9, 22_002, 150_001, task, thread=thread)  # was never sent
    vfd.exit(receive, 160_000, readings=[60])
    vfd.exit(main, 900_000, readings=[70])
    vfd.exit(0, 999_000, readings=[80])
    vfd.enter(task, 5000, thread, [1])
    vfd.exit(task, 300_000, thread, [2])
    vfd.enter(loop, 6000, worker, [1])  # the end of this call is missing
    vfd.gaps = [(thread, 0, 40_000, 50_000, 12)]
    return vfd


def gpu_trace(rank):
    """The same, with the work of two streams of a GPU; in the second stream, pieces overlap."""
    vfd = rank_trace(rank)
    launch = vfd.stack(1, "cudaLaunchKernel", GPU)
    ends = vfd.samples[0][-2:]  # of main and init
    del vfd.samples[0][-2:]
    vfd.enter(launch, 899_000, readings=[70])
    vfd.exit(launch, 899_500, readings=[70])
    vfd.samples[0] += ends
    first, second = vfd.track(0, 1, 7, "H200"), vfd.track(0, 1, 8, "H200")
    vfd.device_work(first, 2500, 4500, work=1, size=800)
    vfd.device_work(second, 3000, 6000, 899_000, launch, 0, kernel=NASTY)
    vfd.device_work(second, 4000, 5000, 899_000, launch, 0, kernel="add")
    vfd.device_work(second, 5000, 7000, kernel="add")
    vfd.device_work(second, 7000, 7000, kernel="add")
    vfd.device_work(first, 1_200_000, 1_300_000, work=8, size=10)
    return vfd


def expected_work(rank):
    """{lane: pieces}"""
    def shifted(*pieces):
        return [(name, on_rank_0(begin, rank), on_rank_0(end, rank), 0)
                for name, begin, end in pieces]
    return {"GPU 0 stream 7": shifted(("copy host to device", 2500, 4500),
                                      ("memset", 1_200_000, 1_300_000)),
            "GPU 0 stream 8": shifted((NASTY_TEXT, 3000, 6000), ("add", 7000, 7000)),
            "GPU 0 stream 8 (2)": shifted(("add", 4000, 5000), ("add", 5000, 7000))}


# Maps rank 1's time t: it starts half a millisecond later by its own clock, which is 0.4 to 0.3995 ms ahead.
def on_rank_0(ns, rank):
    return ns + (100_000 + ns // 2000 if rank else 0)


def calls_of(events):
    """[(name, begin, end, depth)] of what begins and ends: (is_begin, ns, name)."""
    calls, open_calls, last = [], [], None
    for is_begin, ns, name in events:
        assert last is None or ns >= last, f"{name} at {ns} after {last}"
        last = ns
        if is_begin:
            open_calls.append((name, ns))
        else:
            begun, begin = open_calls.pop()
            assert name is None or name == begun
            calls.append((begun, begin, ns, len(open_calls)))
    assert not open_calls
    return sorted(calls, key=lambda call: (call[1], call[3]))


def expected_calls(rank, thread):
    def shifted(*calls):
        return [(name, on_rank_0(begin, rank), on_rank_0(end, rank), depth)
                for name, begin, end, depth in calls]
    if thread == 1:
        return shifted(("task", 5000, 300_000, 0))
    if thread == 2:
        return shifted(("omp for @heat.c:8", 6000, 1_000_000, 0))
    return shifted(("init", 0, 999_000, 0), ("main", 1000, 900_000, 1),
                   ("work", 2000, 4000, 2), (NASTY_TEXT, 3000, 3500, 3),
                   ("work", 10_000, 12_000, 2), (NASTY_TEXT, 11_000, 11_500, 3),
                   ("MPI_Send", 20_000, 21_000, 2), ("MPI_Recv", 22_000, 160_000, 2))


# ---- protobuf ----------------------------------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """{number: [values]} of a message; length-delimited ones are bytes."""
    result, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif key & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length
        else:
            raise AssertionError(f"wire type {key & 7}")
        result.setdefault(key >> 3, []).append(value)
    return result


class PerfettoTrace:
    def __init__(self, data):
        self.tracks, self.events = {}, []  # by uuid; (track, time, type, name, category, event)
        interned, default = {}, {}
        for packet in map(fields, fields(data)[1]):
            if 60 in packet:
                track = fields(packet[60][0])
                self.tracks[track[1][0]] = track
                continue
            sequence = packet[10][0]
            if packet[13][0] & 1:
                interned[sequence], default[sequence] = {}, None
            if 59 in packet:
                default[sequence] = fields(fields(packet[59][0])[11][0])[11][0]
            for kind, entries in fields(packet.get(12, [b""])[0]).items():
                for entry in map(fields, entries):
                    interned[sequence][kind, entry[1][0]] = entry[2][0].decode()
            if 11 in packet:
                event = fields(packet[11][0])
                names = interned[sequence]
                self.events.append((
                    event.get(11, [default[sequence]])[0], packet[8][0], event[9][0],
                    names[2, event[10][0]] if 10 in event else None,
                    names[1, event[3][0]] if 3 in event else None, event))

    def thread_track(self, rank, thread):
        """The number of a main thread is that of its process, which is the rank + 1."""
        for uuid, track in self.tracks.items():
            if 4 in track:
                info = fields(track[4][0])
                if (info[1][0], info[2][0]) == (rank + 1, rank + 1 + 2 * thread):
                    return uuid
        raise AssertionError("no such track")


class ExportTimelines(CommandTest):
    def setUp(self):
        super().setUp()
        self.folder = scratch_folder()
        self.files = [rank_trace(rank).write(self.folder / f"heat_{rank}.vfd")
                      for rank in (0, 1)]

    def export(self, format_name, *arguments, remarks=None):
        result = command("export", "--format", format_name, "-o", "-", *arguments)
        self.assertEqual(result.status, 0, result.stderr)
        if remarks is not None:
            self.assertEqual(result.stderr, remarks)
        return result.stdout

    def export_bytes(self, format_name, *files):
        target = self.folder / "exported"
        result = command("export", "--format", format_name, "-o", target, *files)
        self.assertEqual((result.status, result.stdout), (0, f"{target}\n"), result.stderr)
        return target.read_bytes()

    MEASURED = "vftrace: clock differences between ranks, measured through MPI, were removed\n"

    def test_perfetto(self):
        if "built without libprotozero" in command("export", "--help").stdout:
            self.skipTest("built without libprotozero-dev")
        trace = PerfettoTrace(self.export_bytes("perfetto", *self.files))
        flows = {}
        for rank in (0, 1):
            for thread in range(3):
                uuid = trace.thread_track(rank, thread)
                mine = [event for event in trace.events if event[0] == uuid]
                calls = calls_of([(kind == 1, ns, name) for _, ns, kind, name, _, _ in mine
                                  if kind in (1, 2)])
                self.assertEqual(calls, expected_calls(rank, thread))
                for _, ns, kind, name, category, event in mine:
                    if kind == 3:
                        self.assertEqual(category, "message")
                        for number, sent in ((47, True), (48, False)):
                            for flow in event.get(number, []):
                                flows.setdefault(flow, {})[sent] = (rank, name, ns)
            parent = trace.tracks[trace.tracks[trace.thread_track(rank, 1)][5][0]]
            self.assertEqual(fields(parent[3][0])[6], [f"rank {rank} (node{rank})".encode()])
        categories = {event[3]: event[4] for event in trace.events if event[2] == 1}
        self.assertEqual((categories["work"], categories["MPI_Send"], categories[NASTY_TEXT],
                          categories["omp for @heat.c:8"], categories["events are missing"]),
                         ("function", "mpi", "region", "openmp", "gap"))
        self.assertEqual(sorted(sorted(flow.values()) for flow in flows.values()),
                         sorted(sorted([(rank, "send", on_rank_0(20_001, rank)),
                                        (1 - rank, "receive", on_rank_0(150_000, 1 - rank))])
                                for rank in (0, 1)))
        # The message without a sender has no flow.
        alone = [event for event in trace.events if event[2] == 3 and not {47, 48} & set(event[5])]
        self.assertEqual([event[3] for event in alone], ["receive", "receive"])
        counters = [fields(track[8][0])[6] for track in trace.tracks.values() if 8 in track]
        self.assertEqual(counters, 6 * [[b"1"]])
        readings = [event[5][30][0] for event in trace.events if event[2] == 4]
        self.assertEqual(readings[:4], [10, 20, 30, 40])

    def test_chrome(self):
        trace = json.loads(self.export("chrome", *self.files, remarks=self.MEASURED))
        events = trace["traceEvents"]
        for rank in (0, 1):
            for thread in range(3):
                calls = [(event["ph"] == "B", round(event["ts"] * 1000), event.get("name"))
                         for event in events
                         if event["ph"] in "BE" and (event["pid"], event["tid"]) == (rank, thread)]
                self.assertEqual(calls_of(calls), expected_calls(rank, thread))
                open_calls = []  # readers identify the call to close by its name
                for begins, _, name in calls:
                    if begins:
                        open_calls.append(name)
                    else:
                        self.assertEqual(open_calls.pop(), name)
        flows = {}
        for event in events:
            if event["ph"] in "sf":
                flows.setdefault(event["id"], []).append(
                    (event["ph"], event["pid"], round(event["ts"] * 1000)))
        self.assertEqual(sorted(map(sorted, flows.values())),
                         sorted([("f", 1 - rank, on_rank_0(150_000, 1 - rank)),
                                 ("s", rank, on_rank_0(20_001, rank))] for rank in (0, 1)))
        messages = [event for event in events if event["ph"] == "i" and event["cat"] == "message"]
        self.assertEqual(len(messages), 6)
        self.assertEqual(messages[0]["args"], {"peer": 1, "tag": 7, "bytes": 80, "ns": 499,
                                               "type": "MPI_DOUBLE"})
        self.assertEqual([event["tid"] for event in messages].count(1), 2)
        names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        self.assertEqual(names[1, 1], "reader (thread 1)")
        self.assertEqual(names[1, 2], "OpenMP worker 2")
        gaps = [event for event in events if event.get("cat") == "gap"]
        self.assertEqual([gap["args"]["events"] for gap in gaps], [12, 12])

    def check_speedscope(self, text):
        """The requirements of speedscope's schema, and the order that its importer checks."""
        file = json.loads(text)
        self.assertEqual(file["$schema"],
                         "https://www.speedscope.app/file-format-schema.json")
        frames = file["shared"]["frames"]
        for frame in frames:
            self.assertIsInstance(frame["name"], str)
            self.assertLessEqual(set(frame), {"name", "file", "line", "col"})
        self.assertEqual(len({json.dumps(frame) for frame in frames}), len(frames))
        for profile in file["profiles"]:
            self.assertEqual(profile["unit"], "nanoseconds")
            self.assertLessEqual(profile["startValue"], profile["endValue"])
            if profile["type"] == "evented":
                calls_of([(event["type"] == "O", event["at"], event["frame"])
                          for event in profile["events"]])
                for event in profile["events"]:
                    self.assertIn(event["type"], "OC")
                    self.assertLessEqual(profile["startValue"], event["at"])
                    self.assertLessEqual(event["at"], profile["endValue"])
                    self.assertLess(event["frame"], len(frames))
            else:
                self.assertEqual(profile["type"], "sampled")
                self.assertEqual(len(profile["samples"]), len(profile["weights"]))
                self.assertEqual(sum(profile["weights"]), profile["endValue"])
                for frame in sum(profile["samples"], []):
                    self.assertLess(frame, len(frames))
        return file

    def test_speedscope_of_traces(self):
        file = self.check_speedscope(self.export("speedscope", *self.files))
        names = [frame["name"] for frame in file["shared"]["frames"]]
        self.assertEqual([profile["name"] for profile in file["profiles"]],
                         [f"rank {rank} (node{rank}), {thread}" for rank in (0, 1) for thread in
                          ("main thread", "reader (thread 1)", "OpenMP worker 2")])
        for i, profile in enumerate(file["profiles"]):
            calls = calls_of([(event["type"] == "O", event["at"], names[event["frame"]])
                              for event in profile["events"]])
            self.assertEqual(calls, expected_calls(i // 3, i % 3))
        self.assertIn({"name": "main", "file": "heat.c", "line": 42}, file["shared"]["frames"])

    def test_speedscope_of_a_profile(self):
        source = HERE / "profiles" / "halo_4_ranks.json"
        file = self.check_speedscope(self.export("speedscope", source, remarks=""))
        nodes = json.loads(source.read_text())["nodes"]
        self.assertEqual(sum(file["profiles"][0]["weights"]),
                         sum(max(node["exclusive_ns"], 0) for node in nodes))

    def test_otf2(self):
        need("otf2-print")
        if "built without libotf2" in command("export", "--help").stdout:
            self.skipTest("built without libotf2-trace-dev")
        target = self.folder / "heat.otf2"
        result = command("export", "--format", "otf2", *self.files)
        self.assertEqual((result.status, result.stdout), (0, f"{target}\n"), result.stderr)
        reader = subprocess.run(["otf2-print", target / "traces.otf2"], text=True,
                                capture_output=True, check=True)
        self.assertEqual(reader.stderr, "")
        printed = reader.stdout
        # EVENT  location  time  what, with the region in quotation marks
        calls, messages = {}, []
        for line in printed.splitlines():
            words = line.split()
            if words[:1] in (["ENTER"], ["LEAVE"]):
                name = line[line.index('"') + 1:line.rindex('"')]
                calls.setdefault(int(words[1]), []).append(
                    (words[0] == "ENTER", int(words[2]), name))
            elif words[:1] in (["MPI_SEND"], ["MPI_RECV"]):
                messages.append((words[0], int(words[1]), int(words[2])))
        shown = NASTY_TEXT.replace("\x01", "\\x01").replace("\n", "\\n")
        for rank in (0, 1):
            for thread in range(3):
                self.assertEqual(calls_of(calls[3 * rank + thread]),
                                 [(name.replace(NASTY_TEXT, shown), *rest)
                                  for name, *rest in expected_calls(rank, thread)])
        self.assertEqual(sorted(messages), sorted(
            event for rank in (0, 1) for event in (
                ("MPI_SEND", 3 * rank, on_rank_0(20_001, rank)),
                ("MPI_RECV", 3 * rank, on_rank_0(150_000, rank)),
                ("MPI_RECV", 3 * rank + 1, on_rank_0(150_001, rank)))))
        self.assertEqual(printed.count("MEASUREMENT_ON_OFF"), 4)
        self.assertIn("METRIC", printed)
        self.fails("export", "--format", "otf2", *self.files, message="already exists")
        self.fails("export", "--format", "otf2", "-o", "-", *self.files,
                   message="cannot be written to standard output")

    def otf2(self, *files):
        """The output of otf2-print for an export, by the first word of its lines, and the export."""
        need("otf2-print")
        if "built without libotf2" in command("export", "--help").stdout:
            self.skipTest("built without libotf2-trace-dev")
        target = self.folder / "exported.otf2"
        result = command("export", "--format", "otf2", "-o", target, *files)
        self.assertEqual(result.status, 0, result.stderr)
        lines = []
        for options in ([], ["-G"]):
            reader = subprocess.run(["otf2-print", *options, target / "traces.otf2"], text=True,
                                    capture_output=True, check=True)
            self.assertEqual(reader.stderr, "")
            lines += [line.split() for line in reader.stdout.splitlines() if line.strip()]
        by_word = {}
        for word, *rest in lines:
            by_word.setdefault(word, []).append(rest)
        return by_word, target

    def collective_traces(self):
        """Of two ranks: an Allreduce, a Bcast and a persistent Bcast, whose root also sends to
        itself, a Put, and a Get_accumulate."""
        for rank in (0, 1):
            vfd = Vfd(rank, 2)
            names = ("MPI_Allreduce", "mpi_bcast", "MPI_Start", "MPI_Put", "MPI_Get_accumulate")
            for number, name in enumerate(names):
                stack, at = vfd.stack(0, name, MPI), 1000 * (number + 1)
                vfd.enter(stack, at)
                def message(receives, peer):
                    vfd.message(receives, peer, -1, at, at + 500, stack)
                if number == 0:
                    for peer in (0, 1):
                        message(0, peer)
                        message(1, peer)
                elif number < 3:
                    for peer in ((0, 1) if rank == 0 else ()):
                        message(0, peer)
                    if rank == 1:
                        message(1, 0)
                else:
                    message(0, 0)
                    if number == 4:
                        message(1, 0)
                vfd.exit(stack, at + 600)
            yield vfd.write(self.folder / f"collectives_{rank}.vfd")

    def test_collectives_have_as_many_receives_as_sends(self):
        """The message to itself that is counted for the root of a broadcast has no counterpart."""
        files = list(self.collective_traces())
        events = json.loads(self.export("chrome", *files))["traceEvents"]
        reported = collections.Counter(event["name"].split()[0] for event in events
                                   if event["ph"] == "i" and event["cat"] == "message")
        flows = collections.Counter(event["ph"] for event in events
                                    if event["ph"] in "sf" and event["cat"] == "message")
        one_sided = 2 * 2, 2
        self.assertEqual((reported["send"], reported["receive"]),
                         (4 + 2 * 1 + one_sided[0], 4 + 2 * 1 + one_sided[1]))
        self.assertEqual(flows, {"s": 6, "f": 6})
        events, _ = self.otf2(*files)
        self.assertEqual([len(events[word]) for word in ("MPI_SEND", "MPI_RECV")], [6, 6])
        self.assertEqual([len(events[word]) for word in ("RMA_PUT", "RMA_GET")], [4, 2])
        self.assertEqual(len(events["RMA_OP_COMPLETE_BLOCKING"]), 6)
        self.assertEqual(len(events["RMA_WIN"]), 1)

    def test_otf2_has_locations_for_ranks_that_are_there(self):
        """The export of the trace of one of 32,513 ranks has only the ranks that the trace mentions."""
        vfd = Vfd(4711, 32513)
        send = vfd.stack(0, "MPI_Send", MPI)
        vfd.enter(send, 1000)
        vfd.message(0, 32000, 3, 1000, 1500, send)
        vfd.exit(send, 2000)
        events, target = self.otf2(vfd.write(self.folder / "alone.vfd"))
        self.assertEqual(len(events["LOCATION"]), 2)
        self.assertEqual(len(events["LOCATION_GROUP"]), 2)
        self.assertIn("4711", " ".join(events["LOCATION_GROUP"][0]))
        self.assertIn("32000 (no trace)", " ".join(events["LOCATION_GROUP"][1]))
        self.assertEqual(len(events["MPI_SEND"]), 1)
        self.assertLess(sum(1 for _ in target.rglob("*")), 12)

    def gpu_files(self):
        return [gpu_trace(rank).write(self.folder / f"gpu_{rank}.vfd") for rank in (0, 1)]

    def test_chrome_gpu(self):
        events = json.loads(self.export("chrome", *self.gpu_files()))["traceEvents"]
        names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        for rank in (0, 1):
            lanes = {}
            for event in events:
                if event["ph"] == "X" and event["pid"] == rank:
                    begin, ns = round(event["ts"] * 1e3), round(event["dur"] * 1e3)
                    lanes.setdefault(names[rank, event["tid"]], []).append(
                        (event["name"], begin, begin + ns, 0))
            self.assertEqual(lanes, expected_work(rank))
        arguments = [event["args"] for event in events if event["ph"] == "X"]
        self.assertEqual(arguments[:2], [{"bytes": 800}, {"path": "init;main;cudaLaunchKernel"}])
        arrows = [(event["ph"], event["pid"], round(event["ts"] * 1e3)) for event in events
                  if event.get("cat") == "launch"]
        self.assertEqual(sorted(arrows),
                         sorted((kind, rank, on_rank_0(ns, rank)) for rank in (0, 1)
                                for kind, ns in (("s", 899_000), ("s", 899_000), ("f", 3000),
                                                 ("f", 4000))))

    def test_perfetto_gpu(self):
        if "built without libprotozero" in command("export", "--help").stdout:
            self.skipTest("built without libprotozero-dev")
        trace = PerfettoTrace(self.export_bytes("perfetto", *self.gpu_files()))
        for rank in (0, 1):
            process = trace.tracks[trace.thread_track(rank, 0)][5][0]
            lanes = {}
            for uuid, track in trace.tracks.items():
                if track.get(5, [0])[0] != process or 2 not in track:
                    continue
                events = [(kind == 1, ns, name) for owner, ns, kind, name, _, _ in trace.events
                          if owner == uuid]
                lanes[track[2][0].decode()] = calls_of(events)
            self.assertEqual(lanes, expected_work(rank))
        flows = {}
        for _, ns, kind, name, category, event in trace.events:
            for flow in event.get(47, []):
                if category != "message":
                    flows.setdefault(flow, []).append((name, category))
        self.assertEqual([sorted(flow) for flow in flows.values()],
                         2 * [[(NASTY_TEXT, "gpu kernel"), ("add", "gpu kernel"),
                               ("cudaLaunchKernel", "gpu")]])
        notes = [[fields(note) for note in event[5].get(4, [])] for event in trace.events
                 if event[4] == "gpu copy"]
        self.assertEqual([note[3] for piece in notes for note in piece], [[800], [800]])

    def test_speedscope_gpu(self):
        file = self.check_speedscope(self.export("speedscope", *self.gpu_files()))
        names = [frame["name"] for frame in file["shared"]["frames"]]
        for rank in (0, 1):
            lanes = {}
            for profile in file["profiles"]:
                process, _, thread = profile["name"].partition(", ")
                if process == f"rank {rank} (node{rank})" and thread.startswith("GPU"):
                    lanes[thread] = calls_of([(event["type"] == "O", event["at"],
                                               names[event["frame"]])
                                              for event in profile["events"]])
            self.assertEqual(lanes, expected_work(rank))

    def test_otf2_gpu(self):
        need("otf2-print")
        if "built without libotf2" in command("export", "--help").stdout:
            self.skipTest("built without libotf2-trace-dev")
        target = self.folder / "gpu.otf2"
        self.assertEqual(command("export", "--format", "otf2", *self.gpu_files()).status, 0)

        def printed(*options):
            reader = subprocess.run(["otf2-print", *options, target / "traces.otf2"], text=True,
                                    capture_output=True, check=True)
            self.assertEqual(reader.stderr, "")
            return reader.stdout
        locations = {}
        for line in printed("-G").splitlines():
            if "ACCELERATOR_STREAM" in line:
                lane, group = line.split('"')[1], line.split('"')[3]
                locations[int(line.split()[1])] = (int(group[-1]), lane)
                self.assertRegex(group, "^GPU 0 of rank [01]$")
        calls = {}
        for line in printed().splitlines():
            words = line.split()
            if words[:1] in (["ENTER"], ["LEAVE"]) and int(words[1]) in locations:
                calls.setdefault(locations[int(words[1])], []).append(
                    (words[0] == "ENTER", int(words[2]), line[line.index('"') + 1:line.rindex('"')]))
        shown = NASTY_TEXT.replace("\x01", "\\x01").replace("\n", "\\n")
        self.assertEqual({lane: calls_of(events) for lane, events in calls.items()},
                         {(rank, lane): [(name.replace(NASTY_TEXT, shown), *rest)
                                         for name, *rest in pieces]
                          for rank in (0, 1) for lane, pieces in expected_work(rank).items()})

    def test_clocks(self):
        self.files[1] = rank_trace(1).write(self.folder / "heat_1.vfd")
        vfd = rank_trace(1, start_unix_ns=1_700_000_000 * 10**9 + 5000)
        vfd.clock = (*vfd.clock[:2], *7 * (0,))
        vfd.write(self.files[1])

        def begin_of_rank_1():
            result = command("export", "--format", "chrome", "-o", "-", *self.files)
            events = json.loads(result.stdout)["traceEvents"]
            return result.stderr, [event["ts"] for event in events if event["ph"] == "B" and
                                   event["pid"] == 1 and event["name"] == "init"]
        said, begin = begin_of_rank_1()
        self.assertIn("time of day", said)
        self.assertEqual(begin, [5])
        vfd.run = ("heat", "", "node0", "")
        vfd.write(self.files[1])
        said, begin = begin_of_rank_1()
        self.assertIn("ran on one host", said)
        self.assertEqual(begin, [500])

    def test_wrong_sources(self):
        zero, one = self.files
        copy = shutil.copy(zero, self.folder / "copy.vfd")
        self.fails("export", "--format", "chrome", zero, copy,
                   message="are both the trace of rank 0")
        other = Vfd(1, 3).write(self.folder / "other.vfd")
        self.fails("export", "--format", "chrome", zero, other,
                   message="is from a run with 2 processes")
        later = rank_trace(1, start_unix_ns=1_800_000_000 * 10**9).write(self.folder / "later.vfd")
        self.fails("export", "--format", "chrome", zero, later, message="different runs")
        profile = HERE / "profiles" / "halo_4_ranks.json"
        self.fails("export", "--format", "chrome", profile, message="is made from traces")
        self.fails("export", "--format", "speedscope", profile, zero, message="together")
        self.fails("export", "--format", "speedscope", profile, profile, message="at a time")
        self.fails("export", "--format", "flame", zero, message='"flame" is not a format; the formats are perfetto')
        self.fails("export", "--format", "chrome", self.folder / "none.vfd", message="none.vfd")
        self.fails("export", "--format", "chrome", "-o", zero, zero, one, message="would be overwritten by the output")
        self.fails("export", "--format", "chrome", "-o", self.folder / "no" / "x", zero, one,
                   message="No such file")
        self.assertIn("traces of 1 of 2 ranks are missing, the first being that of rank 0",
                      command("export", "--format", "chrome", "-o", "/dev/null", one).stderr)
        damaged = self.folder / "damaged.vfd"
        damaged.write_bytes(zero.read_bytes().replace(struct.pack("=iiq", 1, 1, 900_000),
                                                      struct.pack("=iiq", 1, 99, 900_000)))
        for target, file, message in (("x.json", damaged, "damaged.vfd"),
                                      ("/dev/full", zero, "/dev/full: No space left")):
            result = command("export", "--format", "chrome", "-o", self.folder / target, file, one)
            self.assertEqual((result.status, result.stdout), (2, ""))
            self.assertIn(message, result.stderr)
        self.assertFalse([path.name for path in self.folder.iterdir() if "x.json" in path.name])

    def test_default_names(self):
        for files, name in ((self.files, "heat.trace.json"),
                            (self.files[:1], "heat_0.trace.json")):
            result = command("export", "--format", "chrome", *files)
            self.assertEqual(result.stdout, f"{self.folder / name}\n")
            json.loads((self.folder / name).read_text())

    def test_help_lists_all_formats(self):
        printed = command("export", "--help").stdout
        for name in ("perfetto", "chrome", "speedscope", "otf2"):
            self.assertRegex(printed, rf"\n  {name} .*\S\n")
