"""GPU work in traces: without a GPU, on the stand-ins for CUDA and CUPTI. Each piece of work is in
the vfd file, exact to the nanosecond, on its stream, with the path that launched it."""
import collections
import json
import random
import struct

from command_support import command
from gpu_support import WORKS, GpuFigures, GpuTest, compile_gpu, read_truth, standin_environment
from mpi_support import MPICH, OPEN_MPI, PRELOAD, run_mpi
from support import need_part, run, scratch_folder
from trace_support import ENTER, EVERY_CALL, Vfd, vfd_of
from vfd_files import Vfd as VfdFile

NO_STREAM = 0xffffffff
NAMES = ("kernel", "host-to-device", "device-to-host", "device-to-device", "peer-to-peer",
         "host-to-host", "migrated-to-device", "migrated-to-host", "memset")
assert sorted(NAMES) == sorted(WORKS.values())


def stream_of(one):
    """As for tracks: migrations of managed memory do not have a stream."""
    if one.work.startswith("migrated"):
        return (one.device, 0, NO_STREAM)
    return (one.device, one.context, one.stream)


def expected(truth):
    """All pieces, with times from the first start on."""
    first = min(one.start for one in truth)
    return sorted((stream_of(one), one.work, one.kernel.strip("-"), one.start - first,
                   one.end - one.start, one.bytes) for one in truth)


def traced(vfd):
    first = min(one.start for one in vfd.work)
    return sorted(((one.device, one.context, one.stream), NAMES[one.work], one.kernel or "",
                   one.start - first, one.end - one.start, one.bytes) for one in vfd.work)


class GpuTraceTest(GpuTest):
    maxDiff = 4000

    def trace(self, name, *arguments, **options):
        result = self.profile_gpu(name, *arguments, **EVERY_CALL, **options)
        return result, vfd_of(result)

    def check_work(self, vfd, truth):
        self.assertEqual(traced(vfd), expected(truth))
        starts = [one.start for one in vfd.work]
        self.assertEqual(starts, sorted(starts))
        pieces = collections.Counter((one.device, one.context, one.stream) for one in vfd.work)
        self.assertEqual([track[:4] for track in vfd.tracks],
                         [(*stream, count) for stream, count in sorted(pieces.items())])
        for device, *_, name in vfd.tracks:
            self.assertEqual(name, f"Stand-in GPU {device}")
        self.assertEqual(vfd.missing_work, 0)
        begins = {(thread, path, ns) for thread, events in ((0, vfd.events), *vfd.threads.items())
                  for kind, path, ns in events if kind == ENTER}
        # All except calls that waited for room in the trace or opened another piece of the buffer.
        others = [one for one in vfd.work
                  if one.call >= 0 and (one.thread, one.path, one.call) not in begins]
        self.assertLessEqual(len(others), len(vfd.gaps) + len(vfd.work) // 10000)

    def check_paths(self, result, vfd):
        """The numbers of pieces by path and work are those of the profile."""
        in_trace = collections.Counter((one.path.replace("*", ""), one.name, NAMES[one.work])
                                       for one in vfd.work if one.path)
        in_profile = {(path, kernel, work): count
                      for (path, kernel, work), (count, _, _) in GpuFigures(result).sums().items()
                      if path != "init"}
        self.assertEqual(dict(in_trace), in_profile)

    def check_trace(self, name, *arguments, **options):
        result, vfd = self.trace(name, *arguments, **options)
        self.check_work(vfd, result.truth)
        self.check_paths(result, vfd)
        return vfd


class Work(GpuTraceTest):
    def test_programs(self):
        for program, options in (("vector_add.c", {}), ("two_streams.c", {}),
                                 ("graph_launch.c", {}), ("managed_memory.c", {}),
                                 ("gpu_threads.c", {}), ("driver_calls.c", {}),
                                 ("several_devices.c", {"STANDIN_DEVICES": 3})):
            with self.subTest(program):
                self.check_trace(program, **options)
        for program in ("vector_add.c", "graph_launch.c", "gpu_threads.c"):
            with self.subTest(f"{program} in real time"):
                self.check_trace(program, STANDIN_CLOCK="real")

    def test_disorder(self):
        for script in ("reverse", "per-buffer=3,reverse", "late,reverse,per-buffer=7,unknown-kinds",
                       "driver-ids"):
            for program in ("two_streams.c", "gpu_threads.c", "managed_memory.c"):
                with self.subTest(f"{script}, {program}"):
                    self.check_trace(program, script=script)

    def test_many(self):
        vfd = self.check_trace("empty_kernels.c", 100000, 10000)
        self.assertEqual(len(vfd.kernels), 1)

    def test_times_are_on_the_clock_of_the_process(self):
        """In real time: work begins 5 us after its call, or when the one before has ended."""
        _, vfd = self.trace("vector_add.c", STANDIN_CLOCK="real")
        for one in vfd.work:
            self.assertGreater(one.start - one.call, 3000)
            self.assertLess(one.start - one.call, 50e6)
            self.assertLess(one.end, vfd.events[-1][2] + 1e6)

    def test_kernel_names(self):
        result, vfd = self.trace("kernel_names.cpp")
        self.check_work(vfd, result.truth)
        self.assertTrue(any("stencil<" in demangled for _, demangled in vfd.kernels), vfd.kernels)

    def test_unknown_calls(self):
        _, vfd = self.trace("empty_kernels.c", 1000, script="unknown-ids=4")
        self.assertEqual(collections.Counter(one.path and one.call >= 0 for one in vfd.work),
                         {True: 750, None: 250})

    def test_paused(self):
        _, vfd = self.trace("gpu_paused.c")
        self.assertEqual(len(vfd.work), 12)

    def test_interval(self):
        """Work is in the trace, whatever the sampling interval."""
        result = self.profile_gpu("two_streams.c", VFTR_SAMPLING_ACTIVE="yes",
                                  VFTR_SAMPLING_SAMPLE_INTERVAL="10")
        self.check_work(vfd_of(result), result.truth)

    def test_no_gpu_no_sections(self):
        result = self.profile_gpu("vector_add.c", VFTR_CUDA_ACTIVE="no", **EVERY_CALL)
        self.assertFalse({10, 11, 12} & set(vfd_of(result).sections))


class Ends(GpuTraceTest):
    def test_killed(self):
        """Delivered records are in the trace; the dying process makes the file itself."""
        program = compile_gpu("gpu_killed.c")
        result = run([program, 15], **EVERY_CALL, **standin_environment(script="per-buffer=100"))
        self.assertEqual(result.status, -15)
        self.assertGreaterEqual(len(vfd_of(result).work), 900)

    def test_killed_for_good(self):
        need_part("BUILD_TOOLS")
        truth = scratch_folder()
        result = run([compile_gpu("gpu_killed.c"), 9, 3], STANDIN_TRUTH=truth, **EVERY_CALL,
                     **standin_environment())
        self.assertEqual(result.status, -9)
        trace, = result.folder.glob("*.tmpvfd")
        self.assertIn("GPU work", command("info", trace).stdout)
        sound = trace.read_bytes()
        recovered = command("recover", "--keep", trace)
        self.assertEqual((recovered.status, recovered.stderr), (0, ""))
        file = result.folder / "gpu_killed_0.vfd"
        self.check_work(Vfd(file), read_truth(truth))
        # Whichever byte of the device's records is wrong, the rest is correct.
        at = sound.index(b"\x03\x03\x00\x00") if b"\x03\x03\x00\x00" in sound else len(sound) // 2
        for place in range(at, len(sound), max(1, (len(sound) - at) // 25)):
            damaged = bytearray(sound)
            damaged[place] ^= 0x55
            trace.write_bytes(damaged)
            again = command("recover", "--keep", trace)
            self.assertIn(again.status, (0, 2), again.stderr)
            if again.status == 0:
                self.assertLessEqual({(one.end - one.start, one.kernel) for one in Vfd(file).work},
                                     {(100, "empty")})

    def test_fork(self):
        for program, pieces in (("gpu_fork.c", [0, 11]), ("gpu_fork_first.c", [6, 9])):
            with self.subTest(program):
                result = self.profile_gpu(program, **EVERY_CALL)
                self.assertEqual(sorted(len(Vfd(path).work)
                                        for path in result.folder.glob("*.vfd")), pieces)

    def slow_disk(self, *arguments, **variables):
        program = compile_gpu("gpu_slow_disk.c", link=("-rdynamic", "-ldl"))
        result = run([program, *arguments], VFTR_SAMPLING_OUTBUFFER_SIZE="1", **variables,
                     **EVERY_CALL, **standin_environment())
        self.assertEqual(result.status, 0, result.stderr)
        return result, vfd_of(result)

    def test_waiting_loses_nothing(self):
        result, vfd = self.slow_disk(200000)
        self.assertEqual((len(vfd.work), vfd.missing_work), (200000, 0))
        self.assertEqual(GpuFigures(result).totals(), {"kernel": (200000, 20000000, 0)})

    def test_dropping_is_counted(self):
        result, vfd = self.slow_disk(100000, "stuck", VFTR_SAMPLING_WHEN_FULL="drop")
        self.assertEqual(len(vfd.work) + vfd.missing_work, 100000)
        self.assertGreater(vfd.missing_work, 50000)
        self.assertRegex(result.text(),
                         f"{vfd.missing_work} pieces of GPU work are missing in the trace")
        self.assertEqual(GpuFigures(result).totals(), {"kernel": (100000, 10000000, 0)})
        need_part("BUILD_TOOLS")
        said = command("info", next(result.folder.glob("*.vfd"))).stdout
        self.assertRegex(said, rf"Dropped GPU work: +{vfd.missing_work}\n")


class Tools(GpuTraceTest):
    def setUp(self):
        super().setUp()
        need_part("BUILD_TOOLS")

    def test_dump(self):
        result, vfd = self.trace("two_streams.c")
        file, = result.folder.glob("*.vfd")
        printed = command("dump", file).stdout
        self.assertIn("   0: GPU 0 stream 13 (Stand-in GPU 0), 9 pieces of work\n", printed)
        lines = printed.partition("\nGPU work:\n")[2].splitlines()
        self.assertEqual(len(lines), len(vfd.work))
        for line, one in zip(lines, vfd.work):
            name = one.kernel or {1: "copy host to device", 2: "copy device to host",
                                  8: "memset"}[one.work]
            size = "" if one.kernel else f" {one.bytes} bytes"
            self.assertRegex(line, rf"^ +{round(one.start / 1e3) / 1e6:.6f} track {one.stream - 13} "
                                   rf"{one.end - one.start} ns {name}{size} of ")
            self.assertTrue(line.endswith(" of " + one.path), line)
        middle = vfd.work[9].start / 1e9
        some = command("dump", file, "--from", middle).stdout
        self.assertLess(some.count(" track "), len(lines))
        self.assertNotIn("GPU work", command("dump", file, "--no-samples").stdout)
        facts, = json.loads(command("info", "--json", file).stdout)
        self.assertEqual([(track["name"], track["pieces"]) for track in facts["gpu_tracks"]],
                         [("GPU 0 stream 13", 9), ("GPU 0 stream 14", 10)])

    def test_chrome(self):
        result, vfd = self.trace("graph_launch.c")
        file, = result.folder.glob("*.vfd")
        events = json.loads(command("export", "-f", "chrome", "-o", "-", file).stdout)["traceEvents"]
        names = {event["tid"]: event["args"]["name"] for event in events
                 if event["ph"] == "M" and event["name"] == "thread_name"}
        slices = [event for event in events if event["ph"] == "X"]
        self.assertEqual([(names[event["tid"]], round(event["ts"] * 1e3), round(event["dur"] * 1e3),
                           event["args"].get("bytes", 0), event["args"]["path"])
                          for event in slices],
                         [(f"GPU 0 stream {one.stream}", one.start, one.end - one.start, one.bytes,
                           ";".join(one.path.replace("*", "").split("<")[::-1]))
                          for one in vfd.work])
        arrows = collections.defaultdict(list)
        for event in events:
            if event["ph"] in "sf":
                arrows[event["id"]].append((event["ph"], event["tid"], round(event["ts"] * 1e3)))
        self.assertEqual([[("s", one.thread, one.call), ("f", event["tid"], one.start)]
                          for one, event in zip(vfd.work, slices)], list(arrows.values()))


    def test_damaged(self):
        """One line, and exit status 2."""
        def file(**wrong):
            vfd = VfdFile()
            main = vfd.stack(0, "main")
            vfd.enter(main, 1000)
            vfd.exit(main, 5000)
            vfd.exit(0, 6000)
            track = vfd.track(0, 1, 7, "H200")
            vfd.device_work(track, 1000, 2000, kernel="add")
            values = {"track": track, "start": 1500, "end": 2500, "call": 1200, "stack": main,
                      "thread": 0, "kernel": "add"}
            vfd.device_work(**{**values, **wrong})
            return vfd

        path = scratch_folder() / "gpu.vfd"

        def refuses(content, message):
            path.write_bytes(content)
            result = command("dump", path)
            self.assertEqual(result.status, 2, message)
            self.assertRegex(result.stderr, rf"\Avftrace: {path}: .*{message}.*\n\Z")

        path.write_bytes(file().bytes())
        self.assertEqual(command("dump", path).status, 0)
        for wrong, message in (
                ({"track": 1}, "its size differs|track 1 does not exist"),
                ({"stack": 2}, "stack 2 does not exist"), ({"stack": -2}, "stack -2"),
                ({"thread": 1}, "thread 1 does not exist"), ({"thread": -2}, "thread -2"),
                ({"work": 9}, "work of kind 9"), ({"start": 999}, "out of time order"),
                ({"end": 1499}, "ends before it starts"), ({"call": -2}, "out of time order")):
            refuses(file(**wrong).bytes(), message)
        more = file()
        more.work[1] = (*more.work[1][:-1], 1)
        refuses(more.bytes(), "kernel 1 does not exist")
        whole = file().bytes()
        piece = struct.pack("=IIQ", 12, 0, 104)
        self.assertEqual(whole.count(piece), 1)
        refuses(whole.replace(piece, struct.pack("=IIQ", 12, 0, 1 << 60)), "longer than the file")
        refuses(whole.replace(piece, struct.pack("=IIQ", 99, 0, 104)), "0 pieces of work of track 0")
        for count in (0, 3, 1 << 62):
            refuses(whole.replace(struct.pack("=IIIQ", 0, 1, 7, 2),
                                  struct.pack("=IIIQ", 0, 1, 7, count)), "its size differs")
        chance = random.Random(5)
        begin = whole.index(b"VFDEXT")
        for _ in range(60):
            damaged = bytearray(whole)
            damaged[chance.randrange(begin, len(whole))] ^= 1 << chance.randrange(8)
            path.write_bytes(damaged)
            for arguments in (("dump",), ("export", "-f", "chrome", "-o", "-")):
                result = command(*arguments, path)
                self.assertIn(result.status, (0, 2), result.stderr)


class Ranks(GpuTraceTest):
    def check_family(self, family):
        family.need("mpicc", "mpirun")
        need_part("BUILD_TOOLS")
        program = compile_gpu("gpu_ranks.c", compiler=family.command("mpicc"))
        truth = scratch_folder()
        result = run_mpi(family, program, 2, PRELOAD, STANDIN_DEVICES=2, STANDIN_TRUTH=truth,
                         STANDIN_CLOCK="real", **EVERY_CALL, **standin_environment())
        self.assertEqual((result.status, result.stdout), (0, "3\n"), result.stderr)
        files = sorted(result.folder.glob("*.vfd"))
        truth = read_truth(truth)
        for rank, file in enumerate(files):
            self.check_work(Vfd(file), [one for one in truth if one.device == rank])
        # On the common clock, the pieces of both ranks are as far apart as they really were.
        events = json.loads(command("export", "-f", "chrome", "-o", "-", *files).stdout)
        slices = [event for event in events["traceEvents"] if event["ph"] == "X"]
        begin = {rank: min(event["ts"] for event in slices if event["pid"] == rank)
                 for rank in (0, 1)}
        true_begin = {rank: min(one.start for one in truth if one.device == rank)
                      for rank in (0, 1)}
        self.assertAlmostEqual(begin[1] - begin[0], (true_begin[1] - true_begin[0]) / 1e3, delta=50)

    def test_open_mpi(self):
        self.check_family(OPEN_MPI)

    def test_mpich(self):
        self.check_family(MPICH)
