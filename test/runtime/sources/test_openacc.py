"""OpenACC in the profile: from a program that plays the role of the run-time library, so that each
event is known, and from GCC's library, which runs constructs on the host if there is no GPU."""
import functools
import subprocess

from command_support import command
from gpu_support import STANDIN, _compile
from mpi_support import MPICH, OPEN_MPI, PRELOAD, run_mpi
from support import (COMMAND, INCLUDE_RUNTIME, LINK_LIBRARY, ProgramTest, need, need_part, run,
                     scratch_folder, table_rows, words_of)

SUMMARY = "--OpenACC Summary--"
DETAILS = "--OpenACC Detailed Event Summary-- (regionID: row of the table above)"
TIMES = ("t_compute [s]", "t_data [s]", "t_wait [s]")
BYTES = ("Host -> Device [B]", "Device -> Host [B]", "On Device [B]")


@functools.lru_cache(maxsize=None)
def player(compiler="gcc", *flags):
    need(compiler)
    return _compile([compiler, "-O1", "-g", "-finstrument-functions", STANDIN / "openacc_player.c",
                     "-pthread", "-ldl", *flags], "openacc_player")


@functools.lru_cache(maxsize=None)
def acc_heat(*flags, instrument=True):
    need("gcc")
    hooks = ["-finstrument-functions"] if instrument else []
    return _compile(["gcc", "-O1", "-g", "-fopenacc", *hooks, STANDIN / "programs" / "acc_heat.c",
                     *flags], "acc_heat")


def table(text, title=SUMMARY):
    """The rows of the table of constructs, with the devices below its title."""
    lines = [line for line in text.splitlines() if not line.startswith("Registered GPUs")]
    return table_rows("\n".join(lines), title)


def regions(text):
    return {(row["Position"], row["Function"]): tuple(int(row[key]) for key in BYTES)
            for row in table(text)}


def events(result):
    """{path: calls} of the events of OpenACC."""
    functions = result.profile()["functions"]
    return {path: node["calls"] for path, node in result.paths().items()
            if functions[node["function"]]["kind"] == "gpu"}


def moved(result):
    """{path: {kind: (count, bytes)}}"""
    profile, paths = result.profile(), result.paths()
    names = {node["id"]: path for path, node in paths.items()}
    return {names[node["node"]]: {kind: (node[kind]["count"], node[kind]["bytes"])
                                  for kind in node if kind != "node"}
            for node in profile.get("offload", {}).get("nodes", [])}


def line(text, beginning):
    return next(line for line in text.splitlines() if line.startswith(beginning))


STEP = {  # events of one step(), below it
    "openacc_12_30_enter_data": 1,
    "openacc_12_30_alloc<openacc_12_30_enter_data": 2,
    "openacc_12_30_create<openacc_12_30_enter_data": 2,
    "openacc_12_30_enqueue_upload<openacc_12_30_enter_data": 2,
    "openacc_14_18_compute_construct": 1,
    "openacc_14_18_enqueue_launch<openacc_14_18_compute_construct": 1,
    "openacc_wait<openacc_14_18_compute_construct": 1,
    "openacc_20_20_update": 1,
    "openacc_20_20_enqueue_download<openacc_20_20_update": 1,
    "openacc_12_30_exit_data": 1,
    "openacc_12_30_delete<openacc_12_30_exit_data": 1,
    "openacc_12_30_free<openacc_12_30_exit_data": 1}
MOVED = {
    "openacc_12_30_alloc<openacc_12_30_enter_data": {"on_device": (2, 8192)},
    "openacc_12_30_enqueue_upload<openacc_12_30_enter_data": {"host_to_device": (2, 5000)},
    "openacc_20_20_enqueue_download<openacc_20_20_update": {"device_to_host": (1, 800)}}


def steps(count, caller):
    return {f"{path}<step<{caller}": calls * count for path, calls in STEP.items()}


def moved_by_steps(count, caller):
    return {f"{path}<step<{caller}": {kind: (count * number, count * size)
                                      for kind, (number, size) in kinds.items()}
            for path, kinds in MOVED.items()}


class Player(ProgramTest):
    def play(self, name, **options):
        return self.profile([player(), name], **options)

    def test_registration(self):
        """24 kinds of starts, ends and moments are registered, once, however often a library asks."""
        result = run([player(), "registrations"])
        self.assertEqual((result.stdout, result.stderr), ("24\n", ""))
        for variable in ("VFTR_OPENACC_ACTIVE", "VFTR_OFF"):
            value = "yes" if variable == "VFTR_OFF" else "no"
            self.assertEqual(run([player(), "registrations"], **{variable: value}).stdout, "0\n")

    def test_every_event(self):
        result = self.play("all", config={"openacc": {"show_event_details": True}})
        self.assertEqual(events(result), {
            **steps(3, "all<main<init"),
            "openacc_device_init<all<main<init": 1,
            "openacc_device_shutdown<all<main<init": 1,
            "openacc_7_7_enqueue_launch<wait_for_queue<all<main<init": 1,
            "openacc_7_7_wait<wait_for_queue<all<main<init": 1})
        self.assertEqual(moved(result), moved_by_steps(3, "all<main<init"))
        self.assertEqual(result.profile()["offload"]["devices"],
                         [{"rank": 0, "model": "openacc", "host": False, "number": 0}])
        self.check_places(result)
        self.check_tables(result.text())

    def check_places(self, result):
        paths, functions = result.paths(), result.profile()["functions"]

        def place(path):
            function = functions[paths[path]["function"]]
            return tuple(function.get(key) for key in ("file", "line", "symbol", "offset"))
        self.assertEqual(place("openacc_14_18_compute_construct<step<all<main<init"),
                         ("src/solver.c", 14, "step", f"{3 << 32 | 18 << 8 | 16:x}"))
        self.assertEqual(place("openacc_7_7_wait<wait_for_queue<all<main<init"),
                         ("src/queue.cpp", 7, "_ZN4grid5queue4waitEi", f"{3 << 32 | 7 << 8 | 24:x}"))
        self.assertEqual(place("openacc_device_init<all<main<init")[:3], (None, None, None))

    def check_tables(self, text):
        self.assertEqual(line(text, "Registered GPUs"), "Registered GPUs: 1")
        self.assertEqual(regions(text), {
            ("solver.c - 14", "step"): (0, 0, 0),
            ("solver.c - 12", "step"): (15000, 0, 24576),
            ("solver.c - 20", "step"): (0, 2400, 0),
            ("queue.cpp - 7", "grid::queue::wait"): (0, 0, 0),
            ("-", "all"): (0, 0, 0)})
        rows = {row["Position"]: [float(row[key]) for key in TIMES] for row in table(text)}
        compute, data, wait = rows["solver.c - 14"]
        self.assertGreaterEqual(compute, 0.030)
        self.assertGreaterEqual(wait, 0.015)
        self.assertEqual(data, 0)
        self.assertGreaterEqual(rows["solver.c - 12"][1], 0.006)
        self.assertEqual(table(text)[0]["Position"], "solver.c - 14")  # most time first
        # Rows of events add up to those of constructs, and to the summary.
        details = table_rows(text, DETAILS)
        for number, row in enumerate(table(text), 1):
            own = [event for event in details if event["regionID"] == str(number)]
            for key in TIMES:
                self.assertAlmostEqual(sum(float(event[key.replace(" ", "")]) for event in own),
                                       float(row[key]), delta=0.0006 * (len(own) + 1))
            self.assertEqual(sum(int(event["Bytes"]) for event in own),
                             sum(int(row[key]) for key in BYTES))
        waits = [row for row in details if row["event"] == "24" and row["#Calls"] == "3"]
        self.assertEqual([(row["Source File"], row["Function"]) for row in waits],
                         [("solver.c (14 - 18)", "step")])
        self.assertIn(("solver.c (14 - 18)", "16"),
                      [(row["Source File"], row["event"]) for row in details])
        ids = text[text.index("OpenACC event ids:"):].splitlines()
        self.assertEqual([row.split() for row in ids[4:18]], [
            ["1", "device_init"], ["3", "device_shutdown"], ["6", "create"], ["7", "delete"],
            ["8", "alloc"], ["9", "free"], ["10", "enter_data"], ["12", "exit_data"],
            ["14", "update"], ["16", "compute_construct"], ["18", "enqueue_launch"],
            ["20", "enqueue_upload"], ["22", "enqueue_download"], ["24", "wait"]])
        ratios = text[text.index("OpenACC ratio of memcpy / kernel calls:"):].splitlines()
        self.assertRegex(ratios[1], r"^step<all \(STID \d+\): 6 in, 3 out$")
        self.assertRegex(ratios[2], r"^    openacc_14_18_enqueue_launch \(STID \d+\): 3 launches, "
                                    r"2.000 in and 1.000 out per launch$")
        total = float(line(text, "Total OpenACC time:").split()[-2])
        self.assertGreaterEqual(total, 0.05)
        self.assertIn("   OpenACC callbacks:", text)

    def test_ends_that_are_missing(self):
        """Open constructs are closed with their callers, and ends without a start have no effect."""
        below = "forgotten_ends<missing<main<init"
        self.assertEqual(events(self.play("missing")), {
            **steps(1, "missing<main<init"),
            f"openacc_3_9_compute_construct<{below}": 4,
            f"openacc_3_9_enqueue_upload<openacc_3_9_compute_construct<{below}": 4,
            f"openacc_3_9_wait<{below}": 20,
            f"openacc_3_9_enqueue_launch<openacc_3_9_wait<{below}": 4})

    def test_structures_that_are_shorter(self):
        """If words and places are missing, events nest nevertheless; nothing is read beyond the end."""
        result = self.play("short")
        calls = events(result)
        placed = {path: number for path, number in steps(1, "without_words<main<init").items()
                  if "openacc_wait" not in path}
        self.assertEqual({path: calls[path] for path in placed}, placed)
        self.assertEqual(calls["openacc_compute_construct<step<without_words<main<init"], 2)
        self.assertEqual(calls["openacc_alloc<openacc_enter_data<step<without_words<main<init"], 4)
        # Two steps without places, but with their bytes.
        self.assertEqual(regions(result.text())["-", "step"], (10000, 1600, 16384))

    def test_threads_and_devices(self):
        result = self.play("threads")
        path = ("openacc_5_6_enqueue_upload<openacc_5_6_compute_construct<on_device<[thread]<"
                "threads<main<init")
        self.assertEqual(events(result)[path], 400)
        self.assertEqual(moved(result)[path], {"host_to_device": (400, 4000)})
        self.assertEqual(line(result.text(), "Registered GPUs"), "Registered GPUs: 2")
        self.assertEqual(regions(result.text()), {("threads.c - 5", "on_device"): (4000, 0, 0)})

    def test_pause(self):
        result = self.play("paused")
        self.assertEqual(regions(result.text()), {("p.c - 1", "paused"): (101, 0, 0)})

    def test_fork(self):
        result = self.profile([player(), "fork"], expect_stderr=None)
        logs = sorted(path for path in result.folder.iterdir() if path.name.endswith("all.log"))
        self.assertEqual(len(logs), 2, result.files())
        in_step = {("solver.c - 12", "step"): (5000, 0, 8192), ("solver.c - 14", "step"): (0, 0, 0),
                   ("solver.c - 20", "step"): (0, 800, 0)}
        own = {("f.c - 1", "forks"): (0, 0, 0)}
        self.assertEqual(sorted((regions(log.read_text()) for log in logs), key=len),
                         [in_step, {**in_step, **own}])

    def test_copies_of_texts(self):
        """Equal texts at other addresses denote the same place; equal line numbers elsewhere do not."""
        result = self.play("copies")
        functions = result.profile()["functions"]
        calls = {}
        for node in result.profile()["nodes"]:
            function = functions[node["function"]]
            if function["kind"] == "gpu":
                self.assertEqual(function["name"], "openacc_4_4_update")
                calls[function["file"], function["symbol"]] = node["calls"]
        self.assertEqual(calls, {("copy.c", "copies"): 10, ("copy.c", "others"): 1,
                                 ("other/copy.c", "copies"): 1})
        self.assertEqual(sorted((row["Position"], row["Function"])
                                for row in table(result.text())),
                         [("copy.c - 4", "copies"), ("copy.c - 4", "copies"),
                          ("copy.c - 4", "others")])


class Options(ProgramTest):
    def test_nothing_is_recorded(self):
        result = self.profile([player(), "all"], VFTR_OPENACC_ACTIVE="no")
        self.assertEqual(events(result), {})
        self.assertNotIn("OpenACC", result.text().partition("configuration")[0])
        self.assertNotIn("offload", result.profile())

    def test_table(self):
        log = self.profile([player(), "all"], VFTR_OPENACC_SHOW_TABLE="no").text()
        self.assertNotIn(SUMMARY, log)
        self.assertIn("Total OpenACC time:", log)
        log = self.profile([player(), "all"]).text()
        self.assertNotIn(DETAILS, log)
        self.assertNotIn("OpenACC event ids", log)

    def test_order(self):
        def order(column, ascending="no"):
            log = self.profile([player(), "all"], VFTR_OPENACC_SORT_TABLE_COLUMN=column,
                               VFTR_OPENACC_SORT_TABLE_ASCENDING=ascending).text()
            return [row["Position"] for row in table(log)]
        self.assertEqual(order("time")[0], "solver.c - 14")
        self.assertEqual(order("memcpy")[0], "solver.c - 12")
        self.assertEqual(order("calls")[:2], ["solver.c - 12", "solver.c - 14"])
        self.assertEqual(order("calls", "yes")[3:], ["solver.c - 14", "solver.c - 12"])
        self.assertEqual(order("none")[::-1], order("none", "yes"))

    def test_separate(self):
        result = self.profile([player(), "all"], config={
            "openacc": {"show_event_details": True}, "profile_table": {"separate": True}})
        self.assertIn("openacc_player_all_accprof.log", result.files())
        own = result.text("_all_accprof.log")
        self.assertIn(SUMMARY, own)
        self.assertIn("OpenACC event ids:", own)
        self.assertNotIn(SUMMARY, result.text("player_all.log"))


class Tools(ProgramTest):
    def setUp(self):
        need_part("BUILD_TOOLS")

    def test_report(self):
        result = self.profile([player(), "all"], config={"openacc": {"show_event_details": True}})
        file = result.folder / "openacc_player_all.json"
        printed = command("report", "--offload", file)
        self.assertEqual((printed.status, printed.stderr), (0, ""))
        log = result.text()
        tables = log[log.index(SUMMARY):log.index("OpenACC ratio")]
        self.assertIn("\n".join(words_of(tables)), "\n".join(words_of(printed.stdout)))
        self.assertIn("OpenACC event ids:", printed.stdout)

    def test_sum_of_runs(self):
        files = [self.profile([player(), "all"]).folder / "openacc_player_all.json"
                 for _ in range(2)]
        folder = scratch_folder()
        merged = command("merge", "--runs", "mean", "--output", folder / "mean.json", *files)
        self.assertEqual((merged.status, merged.stderr), (0, ""))
        printed = command("report", "--offload", folder / "mean.json").stdout
        self.assertEqual(regions(printed)["solver.c - 12", "step"], (15000, 0, 24576))
        self.assertEqual(line(printed, "Registered GPUs"), "Registered GPUs: 1")

    def test_killed(self):
        """The tree file gives the same profile."""
        trees = scratch_folder()
        result = run([player(), "killed"], VFTR_TREE_FILE_DIRECTORY=trees)
        self.assertEqual(result.status, -9)
        said = command("recover", *trees.iterdir(), folder=result.folder)
        self.assertEqual(said.status, 0, said.stderr)
        self.assertEqual(moved(result), moved_by_steps(2, "killed<main<init"))
        self.assertEqual(regions(result.text()), {
            ("solver.c - 12", "step"): (10000, 0, 16384), ("solver.c - 14", "step"): (0, 0, 0),
            ("solver.c - 20", "step"): (0, 1600, 0), ("solver.c - 50", "killed"): (0, 0, 0)})


class Gcc(ProgramTest):
    """A real run-time library. It does not report positions, and does not move data on the host."""

    CONSTRUCTS = {
        "openacc_device_init<solve<main<init": 1,
        "openacc_enter_data<solve<main<init": 2,
        "openacc_exit_data<solve<main<init": 2,
        "openacc_update<solve<main<init": 2,
        "openacc_compute_construct<smooth<solve<main<init": 10}

    def check(self, result):
        self.assertEqual({path: number for path, number in events(result).items()
                          if "openacc_wait" not in path}, self.CONSTRUCTS)
        self.assertEqual(line(result.text(), "Registered GPUs"),
                         "Registered GPUs: 0 (constructs ran on the host)")
        self.assertEqual(regions(result.text()), {("-", "solve"): (0, 0, 0),
                                                  ("-", "smooth"): (0, 0, 0)})

    def test_preloaded(self):
        self.check(self.profile(acc_heat()))

    def test_linked(self):
        self.check(self.profile(acc_heat(*LINK_LIBRARY), preload=False))

    def test_command(self):
        need_part("BUILD_TOOLS")
        self.check(self.profile([COMMAND, "run", "--", acc_heat()], preload=False))

    def test_library_of_the_user(self):
        """ACC_PROFLIB is left alone, and vftrace is called nevertheless."""
        need_part("BUILD_TOOLS")
        self.check(self.profile([COMMAND, "run", "--", acc_heat()], preload=False,
                                ACC_PROFLIB="/lib/x86_64-linux-gnu/libm.so.6",
                                expect_stderr=None))

    def test_openmp_alone(self):
        """Its run-time library is the same, and has nothing to report."""
        need("gcc")
        program = _compile(["gcc", "-O1", "-fopenmp", "-finstrument-functions",
                            STANDIN / "programs" / "acc_heat.c"], "plain")
        self.assertEqual(events(self.profile(program)), {})

    def test_header(self):
        need("g++")
        header = subprocess.run(["g++", "-E", "-x", "c++", "-"], input="#include <acc_prof.h>",
                                capture_output=True, text=True)
        if header.returncode != 0:
            self.skipTest("no acc_prof.h")
        result = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", "-w", *INCLUDE_RUNTIME,
                                 STANDIN / "acc_prof_layout.cpp"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)


class Mpi(ProgramTest):
    def check_family(self, family):
        family.need("mpicc", "mpirun")
        need_part("BUILD_TOOLS")
        program = player(family.command("mpicc"), "-DWITH_MPI")
        result = run_mpi(family, program, 3, PRELOAD, arguments=["ranks"],
                         config={"logfile_for_ranks": "all"})
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(events(result), steps(6, "ranks<main<init"))
        self.assertEqual(moved(result), moved_by_steps(6, "ranks<main<init"))
        self.assertEqual(line(result.text(), "Registered GPUs"), "Registered GPUs: 3")
        self.assertEqual(regions(result.text())["solver.c - 12", "step"], (30000, 0, 49152))
        self.assertRegex(result.text(), r"\): 12 in \(4.00 a rank\), 6 out \(2.00 a rank\)\n")
        for rank in range(3):
            own = regions(result.text(f"player_{rank}.log"))
            self.assertEqual(own["solver.c - 20", "step"], (0, 800 * (rank + 1), 0))

    def test_open_mpi(self):
        self.check_family(OPEN_MPI)

    def test_mpich(self):
        self.check_family(MPICH)
