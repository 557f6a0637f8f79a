"""vftrace recover and traces: the data written by a process that dies are converted to a vfd
file."""
import random
import resource
import signal
import subprocess
import time

import pytest

from command_support import CommandTest, command
from support import COMMAND, LIBRARY, clean_environment, compile_program, scratch_folder, some_of
from trace_support import ENTER, EVERY_CALL, EXIT, Vfd

MAIN = "main<init"
STEP = "step<main<init"
LEAF = "leaf<step<main<init"
PATTERN = [(ENTER, STEP), (ENTER, LEAF), (EXIT, LEAF), (ENTER, LEAF), (EXIT, LEAF), (EXIT, STEP)]
MOST_MISSING_NS = 1.5e9  # the writer's second, and what a busy machine adds


class Traced:
    """trace_pattern in the background, in a folder of its own."""

    def __init__(self, *arguments, tree=True, limit=None, **variables):
        self.folder = scratch_folder()
        self.trees = self.folder / "trees"
        self.trees.mkdir()
        self.program = compile_program("trace_pattern.c")
        environment = clean_environment(LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=self.trees,
                                        VFTR_TREE_FILE_ACTIVE="yes" if tree else "no",
                                        **EVERY_CALL, **variables)
        set_limit = limit and (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.start = time.monotonic()
        self.process = subprocess.Popen([self.program, *map(str, arguments)], cwd=self.folder,
                                        env=environment, stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, preexec_fn=set_limit)

    def kill_after(self, seconds):
        time.sleep(seconds)
        self.process.send_signal(signal.SIGKILL)
        self.lifetime_ns = (time.monotonic() - self.start) * 1e9
        self.stderr = self.process.communicate()[1]

    def wait(self):
        self.stderr = self.process.communicate(timeout=60)[1]
        return self.process.returncode

    def wait_for_trace(self):
        while not self.traces():
            assert self.process.poll() is None
            time.sleep(0.01)

    def traces(self):
        return sorted(self.folder.glob("*.tmpvfd"))

    def vfd(self):
        return Vfd(self.folder / "trace_pattern_0.vfd")

    def names(self):
        return sorted(path.name for path in self.folder.iterdir() if path.is_file())


class RecoveredTraces(CommandTest):
    def check_events(self, vfd):
        """They begin with main and follow the pattern, in order of time, up to the exit of init."""
        self.assertEqual(vfd.times, sorted(vfd.times))
        kinds = [event[:2] for event in vfd.events]
        self.assertEqual(kinds[0], (ENTER, MAIN))
        self.assertEqual(kinds[-1], (EXIT, "init"))
        for i, event in enumerate(kinds[1:-1]):
            self.assertEqual(event, PATTERN[i % len(PATTERN)], f"event {i + 1} of {len(kinds)}")
        self.assertEqual(vfd.gaps, [])

    def recover(self, *arguments, **options):
        result = command("recover", *arguments, **options)
        self.assertEqual((result.status, result.stderr), (0, ""), result.stdout)
        return result

    @pytest.mark.slow
    def test_kill_at_random_moments(self):
        moments = [random.Random(20).uniform(0.02, 1.9) for _ in range(20)]
        for moment in some_of(moments, 6):
            with self.subTest(seconds=moment):
                run = Traced(tree=False)
                run.kill_after(moment)
                self.assertEqual(run.stderr, "")
                if not run.traces():
                    self.assertLess(run.lifetime_ns, MOST_MISSING_NS)
                    continue
                self.recover(*run.traces())
                self.assertEqual(run.names(), ["trace_pattern_0.vfd"])
                vfd = run.vfd()
                self.check_events(vfd)
                self.assertGreater(vfd.events[-2][2], run.lifetime_ns - MOST_MISSING_NS)
                self.assertLess(vfd.events[-1][2], run.lifetime_ns)

    def test_messages_and_kept_files(self):
        run = Traced(tree=False)
        run.wait_for_trace()
        trace, = run.traces()
        listed = self.recover("--list", "--directory", run.folder).stdout
        self.assertRegex(listed, rf"\b{run.process.pid}  running .* trace_pattern +{trace}\n")
        self.fails("recover", trace, message=f"process {run.process.pid} is still running")
        run.kill_after(0)
        listed = self.recover("--list", "--directory", run.folder).stdout
        self.assertRegex(listed, rf"\b{run.process.pid}  dead .* trace_pattern +{trace}\n")
        vfd = run.folder / "trace_pattern_0.vfd"
        result = self.recover("--keep", trace)
        self.assertTrue(result.stdout.startswith(
            f"trace_pattern (process {run.process.pid}):\n  {vfd}\n"), result.stdout)
        self.assertTrue(trace.exists())
        # Times differ because a second reading of the clock changes its estimated rate.
        first = [event[:2] for event in run.vfd().events]
        vfd.unlink()
        other = scratch_folder()
        self.recover("--keep", "--output", other, trace)
        self.assertEqual([event[:2] for event in Vfd(other / vfd.name).events], first)
        self.recover("--all", "--directory", run.folder)
        self.assertEqual(run.names(), [vfd.name])
        self.assertEqual([event[:2] for event in run.vfd().events], first)

    def test_a_tree_file_leads_to_its_trace(self):
        run = Traced()
        run.wait_for_trace()
        run.kill_after(0.1)
        tree, = run.trees.iterdir()
        result = self.recover(tree)
        self.assertIn(str(run.folder / "trace_pattern_0.vfd"), result.stdout)
        self.assertEqual(run.names(), ["trace_pattern_0.vfd", "trace_pattern_all.json",
                                       "trace_pattern_all.log"])
        self.assertEqual(list(run.trees.iterdir()), [])
        self.check_events(run.vfd())

    def test_a_signal_loses_nothing(self):
        run = Traced(int(signal.SIGSEGV), 300, VFTR_TREE_FILE_COPY_INTERVAL="0")
        self.assertEqual(run.wait(), -signal.SIGSEGV, run.stderr)
        self.assertIn("trace_pattern_0.vfd", run.names())
        self.assertEqual(run.traces(), [])
        vfd = run.vfd()
        self.check_events(vfd)
        # The process died between two steps.
        self.assertEqual(vfd.events[-2][:2], (EXIT, STEP))

    def test_damaged_and_cut_traces(self):
        run = Traced(tree=False)
        run.wait_for_trace()
        run.kill_after(0.5)
        trace, = run.traces()
        sound = trace.read_bytes()
        self.recover("--keep", trace)
        events = run.vfd().events
        wanted = set(events[:-1])
        chance = random.Random(3)
        recovered = 0
        for i in range(20):
            content = bytearray(sound)
            if i % 2:
                del content[chance.randrange(len(content)):]
            else:
                for _ in range(3):
                    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
            trace.write_bytes(content)
            result = command("recover", "--keep", trace)
            self.assertIn(result.status, (0, 2), result.stderr)
            if result.status == 0:
                recovered += 1
                vfd = run.vfd()
                self.assertEqual(vfd.times, sorted(vfd.times))
                self.assertEqual(vfd.events[-1][:2], (EXIT, "init"))
                if i % 2:  # in a shortened trace the remaining events are those of the whole one, apart from their times
                    kinds = [event[:2] for event in vfd.events[:-1]]
                    self.assertEqual(kinds, [event[:2] for event in events[:len(kinds)]])
            else:
                self.assertRegex(result.stderr, r"\Avftrace: .*\n\Z")
        self.assertGreater(recovered, 10)
        self.assertGreater(len(wanted), 100)

    def test_not_a_trace(self):
        folder = scratch_folder()
        for content in (b"", b"VFTC", b"VFTC" + bytes(60), b"\3\0\0\0 something else" * 100):
            (folder / "a.tmpvfd").write_bytes(content)
            self.fails("recover", folder / "a.tmpvfd", message="a.tmpvfd: ", status=2)
        self.fails("recover", folder / "none.tmpvfd", message="No such file", status=2)

    def test_the_disk_is_full(self):
        limit = 1_200_000  # the amount that is written in a few seconds
        run = Traced(tree=False, limit=limit)
        run.wait_for_trace()
        size, unchanged = 0, 0
        while unchanged < 25:
            time.sleep(0.1)
            now = run.traces()[0].stat().st_size
            size, unchanged = now, unchanged + 1 if now == size else 0
        self.assertIsNone(run.process.poll(), "the program does not notice")
        run.kill_after(0)
        self.assertRegex(run.stderr, r"\Avftrace: the trace ends at this point: .*File too large\n\Z")
        trace, = run.traces()
        self.assertLessEqual(trace.stat().st_size, limit)

        def set_limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        vfd = run.folder / "trace_pattern_0.vfd"
        failed = subprocess.run([COMMAND, "recover", trace], capture_output=True, text=True,
                                env=clean_environment(), preexec_fn=set_limit)
        self.assertEqual(failed.returncode, 2)
        self.assertRegex(failed.stderr, rf"\Avftrace: {vfd}: cannot be written: File too large "
                                        rf"\(the trace is kept: {trace}\)\n\Z")
        self.assertEqual(run.names(), [trace.name])
        self.recover(trace)
        self.check_events(run.vfd())
