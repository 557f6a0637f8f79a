"""Views of the report page for data that other commands add to profiles, profiles of other
versions, and pages in Firefox."""
import collections
import json
import math

import pytest

from command_support import command
from firefox import Firefox
from model_runs import write_runs
from page_profiles import write_profile
from page_support import Page, drive
from support import need_part, scratch_folder
from test_page import FOUR_RANKS, THREADS, PageTest, seconds
from vfd_files import Vfd

# By number in halo_4_ranks.json.
EXCHANGE, WAITALL, COMPUTE, ALLREDUCE, RECV = 3, 6, 7, 8, 10
STATES = [(0, WAITALL, "late-sender", 10, 90_000_000, 20_000_000), (1, ALLREDUCE, "all-to-all", 50, 40_000_000, 3_000_000),
          (2, ALLREDUCE, "all-to-all", 50, 55_000_000, 9_000_000), (3, RECV, "wrong-order", 1, 2_000_000, 2_000_000)]
CAUSES = [(0, COMPUTE, "all-to-all", ALLREDUCE, 95_000_000), (1, EXCHANGE, "wrong-order", RECV, 2_000_000), (3, COMPUTE, "late-sender", WAITALL, 90_000_000)]
CRITICAL = [(0, COMPUTE, 1_200_000_000, 300_000_000), (3, EXCHANGE, 60_000_000, 0), (3, COMPUTE, 500_000_000, 100_000_000)]


def add_waits(profile):
    profile["waits"] = {
        "states": [dict(zip(("rank", "node", "pattern", "waits", "time_ns", "longest_ns"), row)) for row in STATES],
        "causes": [dict(zip(("rank", "node", "pattern", "waiting_node", "time_ns"), row)) for row in CAUSES],
        "critical_path": [dict(zip(("rank", "node", "time_ns", "imbalance_ns"), row)) for row in CRITICAL]}


class Waiting(PageTest):
    """The view of wait states and of the critical path."""

    def test_figures(self):
        page = self.page(self.edited(add_waits))
        results = drive(page, [
            ["open", "#view=waits"], ["texts", "[data-part=wait-facts] b"], ["table", "wait-kinds"], ["table", "wait-states"], ["table", "wait-causes"], ["table", "critical"],
            ["table", "wait-ranks"], ["click", "[data-choice=critical-rank]"], ["table", "critical"], ["saved", "[data-csv=wait-states]"]])
        facts, kinds, states, causes, critical, ranks, by_rank, csv = (results[i] for i in (1, 2, 3, 4, 5, 6, 8, 9))
        self.assertEqual(facts, ["187 ms", "2.3 %", "1.76 s", "22.7 %"])
        self.assertEqual([(row[0], seconds(row[1]), row[3], row[5]) for row in kinds["rows"]],
                         [("all-to-all", 0.095, "100", "2"), ("late-sender", 0.09, "10", "1"), ("wrong-order", 0.002, "1", "1")])
        self.assertEqual([(row[0], row[2], seconds(row[3]), seconds(row[5]), row[6]) for row in states["rows"]],
                         [("MPI_Allreduce", "all-to-all", 0.095, 0.009, "0.05500 (2)"), ("MPI_Waitall", "late-sender", 0.09, 0.02, "0.09000 (0)"),
                          ("MPI_Recv", "wrong-order", 0.002, 0.002, "0.00200 (3)")])
        self.assertEqual([(row[0], row[1], seconds(row[3]), row[4]) for row in causes["rows"]],
                         [("0", "compute", 0.095, "MPI_Allreduce"), ("3", "compute", 0.09, "MPI_Waitall"), ("1", "exchange", 0.002, "MPI_Recv")])
        self.assertEqual([(row[0], row[2], seconds(row[3]), row[4], seconds(row[5]), row[6]) for row in critical["rows"]],
                         [("compute", "2", 1.7, "96.6", 0.4, "23.5"), ("exchange", "1", 0.06, "3.4", 0.0, "0.0")])
        self.assertEqual({row[0]: tuple(seconds(cell) for cell in row[2:6]) for row in ranks["rows"]},
                         {"0": (0.09, 0.095, 1.2, 0.3), "1": (0.04, 0.002, 0, 0), "2": (0.055, 0, 0, 0), "3": (0.002, 0.09, 0.56, 0.1)})
        self.assertEqual([(row[2], seconds(row[3])) for row in by_rank["rows"]], [("0", 1.2), ("3", 0.5), ("3", 0.06)])
        self.assertEqual(csv.splitlines()[1], "MPI_Allreduce,main,all-to-all,0.095,100,0.009,0.055,2")

    def test_choosing(self):
        """Selecting a row narrows the tables and selects in other views; a finding about waiting leads to this view."""
        page = self.page(self.edited(add_waits))
        findings = Page(page.read_text()).of_kind("profile")[0].head["findings"]
        rules = [one["rule"] for finding in findings for one in (finding, *finding.get("effects", []))]
        rule = next((rule for rule in rules if "wait" in rule or "late" in rule), None)
        self.assertIsNotNone(rule, rules)
        results = drive(page, [
            ["open", "#view=waits"], ["click", "[data-choice=wait-late-sender]"], ["table", "wait-states"], ["table", "wait-causes"],
            ["press", "[data-table=wait-states] .table-body", "ArrowDown"], ["hash"], ["text", ".path"],
            ["click", "[data-choice=waits_of-rank]"], ["table", "wait-causes"], ["click", "[data-choice=waits_of-all]"],
            ["click", "[data-choice=wait-]"], ["click", "[data-choice=causes_of-path]"], ["table", "wait-causes"],
            ["click", "#tab-flame"], ["text", "[data-status=flame]"], ["open", "#view=waits&wait=all-to-all&rank=2&waits_of=rank"], ["table", "wait-states"],
            ["evaluate", "[...document.querySelectorAll('canvas, [role=grid], select, input')].every((one) => one.ariaLabel)"],
            ["open", ""], ["click", f"[data-rule={rule}] button"], ["hash"]])
        self.assertEqual([row[0] for row in results[2]["rows"]], ["MPI_Waitall"])
        self.assertEqual([row[:2] for row in results[3]["rows"]], [["3", "compute"]])
        self.assertRegex(results[5], r"path=\d+.*rank=0|rank=0.*path=\d+")
        self.assertIn("MPI_Waitall", results[6])
        self.assertEqual(results[8]["count"], 0)  # no rank waited for rank 0 in this way
        self.assertEqual([row[4] for row in results[12]["rows"]], ["MPI_Waitall"])
        self.assertIn("MPI_Waitall", results[14])
        self.assertEqual([seconds(row[3]) for row in results[16]["rows"]], [0.055])
        self.assertTrue(results[17])
        self.assertIn("view=waits", results[20])


def times(n, p):
    return {"main": 0.5, "solve<main": (10, 1e-5 * n * n / p + 0.01), "exchange<solve<main": (10, 2e-3 * p + 1e-3)}


class Models(PageTest):
    """The view of scaling models."""

    def setUp(self):
        super().setUp()
        self.folder = scratch_folder()

    def document(self, *options):
        need_part("HAVE_EIGEN")
        points = [{"n": n, "p": p} for n in (100, 200, 400, 800, 1600) for p in (1, 2, 4, 8, 16)]
        self.files = write_runs(self.folder, points, times, noise=0.01, ranks="p")
        result = command("model", "--format", "json", "--predict", "n=6400,p=64", *options, *self.files)
        self.assertEqual(result.status, 0, result.stderr)
        path = self.folder / "heat.models.json"
        path.write_text(result.stdout)
        return path, json.loads(result.stdout)

    def test_without_one_formula(self):
        """Rows where no formula fits or two do, the findings, and the interval."""
        need_part("HAVE_EIGEN")

        def strange(n):
            return {"main": 0.5, "steep<main": math.exp(n / 4), "step<main": 50 if n > 10 else 1, "even<main": 0.1 * n}
        files = write_runs(self.folder, [{"n": n} for n in (4, 8, 12, 16, 20)], strange, repetitions=3, noise=0.01)
        path = self.folder / "strange.models.json"
        path.write_text(command("model", "--format", "json", "--metric", "time_excl", *files).stdout)
        models = json.loads(path.read_text())["metrics"][0]
        results = drive(self.page(files[-1], path), [
            ["open", "#view=models"], ["table", "models"], ["evaluate", "[...document.querySelectorAll('[data-part=model-finding]')].map((one) => one.textContent)"],
            ["open", "#view=models&model=steep<main<init"], ["text", "[data-part=formula]"],
            ["evaluate", "document.querySelector('[data-canvas=growth-model]').ariaLabel"],
            ["open", "#view=models&model=even<main<init"], ["evaluate", "document.querySelector('[data-canvas=growth-model]').ariaLabel"]])
        notes = {row[0]: row[-1] for row in results[1]["rows"]}
        self.assertIn("no formula", notes["steep<main<init"])
        self.assertIn("two formulas", notes["step<main<init"])
        self.assertEqual(notes["even<main<init"], "")
        self.assertEqual(results[2], models["findings"])
        self.assertTrue(any(finding.startswith("steep<main<init: no formula fits") for finding in results[2]))
        self.assertIn("no formula fits; grows at least like n^", results[4])
        self.assertIn("at least", results[5])
        self.assertIn("95 % interval", results[7])

    def test_figures(self):
        path, models = self.document()
        page = self.page(self.files[-1], path)
        metric = models["metrics"][0]
        results = drive(page, [
            ["open", "#view=models"], ["table", "models"], ["text", "[data-part=formula]"], ["text", "[data-part=models]"], ["press", "[data-table=models] .table-body", "ArrowDown"],
            ["text", "[data-part=formula]"], ["hash"], ["text", ".path"], ["press", "[data-canvas=growth-model]", "End"], ["text", "[data-status=growth-model]"],
            ["saved", "[data-csv=growth-model]"], ["click", "[data-choice=over-p]"], ["click", "[data-line=growth-model-0]"], ["hash"],
            ["click", "[data-choice=axes-linear]"], ["click", f"[data-choice=of-{models['metrics'][1]['metric']}]"], ["table", "models"],
            ["evaluate", "document.querySelector('[data-canvas=growth-model]').ariaLabel"]])
        rows = [metric["program"], *metric["paths"]]
        self.assertEqual([row[0] for row in results[1]["rows"]], ["(whole program)", *(row["path"] for row in metric["paths"])])
        for row, model in zip(results[1]["rows"], rows):
            self.assertEqual(row[1:3], [model["formula"], model["order"]])
            for cell, key in zip(row[3:7], ("at_largest", "predicted", "predicted_from", "predicted_to")):
                self.assertAlmostEqual(float(cell), model[key], delta=0.00006)
            self.assertAlmostEqual(float(row[7]), model["predicted"] / model["at_largest"], delta=0.006)
        self.assertIn(metric["program"]["formula"], results[2])
        self.assertIn("n = 6,400, p = 64", results[3])
        first = metric["paths"][0]
        self.assertIn(first["formula"], results[5])
        self.assertIn("model=", results[6])
        self.assertRegex(results[6], r"path=\d+")
        self.assertIn(first["function"], results[7])
        self.assertIn("n: 6,400", results[9])
        self.assertIn("predicted for n = 6,400, p = 64", results[9])
        head, *lines = results[10].splitlines()
        column = next(i for i, name in enumerate(head.split(",")) if name.startswith("predicted") or name.startswith('"predicted'))
        self.assertGreater(column, 1)
        measured = {float(line.split(",")[0]) for line in lines}
        self.assertLessEqual({100.0, 200.0, 400.0, 800.0, 1600.0, 6400.0}, measured)
        self.assertIn("growth-model-hidden=0", results[13])
        self.assertEqual(results[16]["count"], 1 + len(models["metrics"][1]["paths"]))
        self.assertIn("Arrow keys", results[17])

    def test_anonymous(self):
        path, models = self.document()
        self.assertTrue(any("/" in run["file"] for run in models["runs"]))
        block, = self.read(FOUR_RANKS, path, options=["--anonymous"]).of_kind("models")
        self.assertNotIn(str(self.folder), json.dumps(block.head))
        self.assertEqual(block.head["label"], "models 1")

    def test_damaged_documents(self):
        document = {"format": "vftrace-models", "version": 1, "parameters": ["n"], "runs": [], "largest": {}, "target": {}, "metrics": []}

        def written(text):
            path = self.folder / "models.json"
            path.write_text(text)
            return path

        block, = self.read(FOUR_RANKS, written(json.dumps(document))).of_kind("models")
        self.assertEqual(block.head["models"], document)
        for text, message in ((json.dumps(document)[:-20], "is not a complete document of models"), (json.dumps({**document, "runs": None}), "is not a complete document of models"),
                              (json.dumps({**document, "metrics": [1]}), "is not a complete document of models"), (json.dumps({**document, "version": 2}), "is not version 1")):
            with self.subTest(text=text):
                self.fails("report", "--html", FOUR_RANKS, written(text), message=message)
        self.fails("report", "--html", written(json.dumps(document)), message="is a document of models")
        self.fails("report", "--html", FOUR_RANKS, written('{"format": "something else"}'), message="not a vftrace profile")


class Devices(PageTest):
    """Lanes of GPUs in the timeline."""

    def trace(self, rank=0, ranks=1):
        vfd = Vfd(rank=rank, processes=ranks, runtime_s=1e-3)
        main = vfd.stack(0, "main")
        launch = vfd.stack(main, "cudaLaunchKernel")
        vfd.enter(main, 1000)
        for at in (10_000, 30_000):
            vfd.enter(launch, at)
            vfd.exit(launch, at + 5000)
        vfd.exit(main, 900_000)
        streams = [vfd.track(0, 1, stream, "GPU") for stream in (7, 13)]
        vfd.device_work(streams[0], 20_000, 60_000, call=10_000, stack=launch, thread=0, kernel="add_kernel")
        vfd.device_work(streams[0], 40_000, 80_000, call=30_000, stack=launch, thread=0, kernel="add_kernel")  # overlaps
        vfd.device_work(streams[1], 50_000, 60_000, work=1, size=4096)
        path = scratch_folder() / f"gpu_{rank}.vfd"
        path.write_bytes(vfd.bytes())
        return path

    def test_lanes(self):
        block, = self.read(FOUR_RANKS, self.trace(), ).of_kind("trace")
        lanes = [lane["label"] for lane in block.list("lanes")]
        self.assertEqual(lanes[1:], ["GPU 0 stream 7", "GPU 0 stream 7 (2)", "GPU 0 stream 13"])
        functions = block.list("functions")
        work = [(lanes[call["lane"]], functions[call["function"]]["name"], functions[call["function"]]["kind"], call["begin_ns"], call["ns"], call["depth"], call["bytes"],
                 functions[call["launcher"]]["name"] if call["launcher"] >= 0 else None) for call in block.list("calls") if call["lane"] > 0]
        self.assertEqual(work, [("GPU 0 stream 7", "add_kernel", "gpu kernel", 20_000, 40_000, 0, 0, "cudaLaunchKernel"),
                                ("GPU 0 stream 7 (2)", "add_kernel", "gpu kernel", 40_000, 40_000, 0, 0, "cudaLaunchKernel"),
                                ("GPU 0 stream 13", "copy host to device", "gpu copy", 50_000, 10_000, 0, 4096, None)])
        self.assertEqual({call["launcher"] for call in block.list("calls") if call["lane"] == 0}, {-1})

    def test_of_several_ranks(self):
        block, = self.read(FOUR_RANKS, self.trace(0, 2), self.trace(1, 2), options=["--anonymous"]).of_kind("trace")
        lanes = block.list("lanes")
        self.assertEqual([lane["rank"] for lane in lanes], [0] * 4 + [1] * 4)
        self.assertEqual([lane["label"] for lane in lanes][4:6], ["rank 1", "rank 1, GPU 0 stream 7"])

    def test_in_the_browser(self):
        results = drive(self.page(FOUR_RANKS, self.trace()), [
            ["open", "#view=timeline&from=0&to=100000"], ["texts", ".legend span"], ["move_to", "[data-canvas=timeline]", 0.52, 26 + 15 + 6 + 7], ["text", ".tip"], ["table", "in-sight"],
            ["fill", "input[type=search]", "add_"], ["table", "in-sight"]])
        self.assertLessEqual({"GPU kernel", "GPU copy"}, set(results[1]))
        self.assertIn("add_kernel", results[3])
        self.assertIn("launched by cudaLaunchKernel", results[3])
        self.assertIn("GPU 0 stream 7", results[3])
        self.assertEqual({row[0]: row[1:] for row in results[4]["rows"]}["copy host to device"], ["1", "10.0 \u00b5s"])
        self.assertEqual([row[:2] for row in results[6]["rows"]], [["add_kernel", "2"]])


class Memory(PageTest):
    def test_flame_graph_and_tables(self):
        """Boxes have the bytes of a path and all below it; what is shown can be chosen, and is in the address."""
        def edit(profile):
            profile["metrics"] = [{"name": f"heap.{name}", "title": name, "unit": "B", "reduction": "sum", "part": "exclusive"}
                                  for name in ("allocated", "calls", "at_peak")]
            profile["metrics"].append({"name": "heap.live_at", "title": "Live memory", "unit": "B", "reduction": "max", "part": "point"})
            leaf = max(profile["nodes"], key=lambda node: node["exclusive_ns"])
            leaf["metrics"] = [[0, 300 * 2**20], [1, 12345], [2, 100 * 2**20]]
            profile["series"] = [{"metric": 3, "rank": 0, "time_ns": [10**9, 2 * 10**9], "values": [2**20, 3 * 2**20]}]

        results = drive(self.page(self.edited(edit)), [
            ["open", "#view=memory"], ["move_to", "[data-canvas=memory]", 0.5, 5], ["text", ".tip"], ["table", "memory_by_path"],
            ["open", "#view=memory&memory=calls"], ["move_to", "[data-canvas=memory]", 0.5, 5], ["text", ".tip"], ["texts", "h3"],
            ["open", "#view=memory&memory=live"], ["texts", ".foot"]])
        self.assertIn("100 MiB, 100.0 % of the whole", results[2])
        self.assertEqual([row[0] for row in results[3]["rows"]], ["100"])
        self.assertIn("12,345", results[6])
        self.assertIn("Over time", results[7])
        self.assertIn("There is none.", results[9])


class Plots(PageTest):
    """Lines over an axis: values by keyboard, hidden lines, CSV, and all of this state in the address."""

    def test_values_over_time(self):
        def edit(profile):
            profile["metrics"] = [{"name": "memory.resident", "title": "Resident memory", "unit": "B", "reduction": "max", "part": "point"}]
            profile["series"] = [{"metric": 0, "rank": rank, "time_ns": [10**9, 2 * 10**9, 3 * 10**9], "values": [(rank + 1) * 2**20, 3 * 2**20, 4 * 2**20]} for rank in (0, 1)]

        results = drive(self.page(self.edited(edit)), [
            ["open", "#view=time"], ["texts", ".legend bdi"], ["press", "[data-canvas=series]", "ArrowRight"], ["text", "[data-status=series]"],
            ["press", "[data-canvas=series]", "End"], ["text", "[data-status=series]"], ["click", "[data-line=series-1]"], ["hash"], ["text", "[data-status=series]"],
            ["saved", "[data-csv=series]"], ["move_to", "[data-canvas=series]", 0.5, 100], ["text", ".tip"],
            ["open", "#view=time&series-hidden=0"], ["press", "[data-canvas=series]", "Home"], ["text", "[data-status=series]"]])
        self.assertEqual(results[1], ["rank 0", "rank 1"])
        self.assertRegex(results[3], r"\[s\]: 1\. rank 0: 1; rank 1: 2\Z")
        self.assertRegex(results[5], r"\[s\]: 3\. rank 0: 4; rank 1: 4\Z")
        self.assertIn("series-hidden=1", results[7])
        self.assertRegex(results[8], r"rank 0: 4\Z")
        self.assertEqual(results[9].splitlines()[1:], ["1,1,2", "2,3,3", "3,4,4"])
        self.assertIn("rank 0: 3", results[11])
        self.assertRegex(results[14], r"\[s\]: 1\. rank 1: 2\Z")


class Metrics(PageTest):
    """The operating system's figures of processes and hosts, which logs do not have."""

    def test_of_processes_and_hosts(self):
        def edit(profile):
            profile["metrics"] = [{"name": name, "title": title, "unit": unit, "reduction": "sum", "part": "point", "scope": scope}
                                  for name, title, unit, scope in (("process.user", "User time", "ns", "rank"), ("processors.stolen", "Stolen", "ns", "host"))]
            profile["rank_metrics"] = [{"rank": rank, "metric": 0, "value": (rank + 1) * 10**9} for rank in range(4)]
            profile["host_metrics"] = [{"host": "node0", "metric": 1, "value": 25 * 10**7}]

        results = drive(self.page(self.edited(edit)), [["open", "#view=metrics"], ["texts", "h3"], ["table", "process_ranks"], ["table", "processors_hosts"]])
        self.assertLessEqual({"Process", "Processors of hosts"}, set(results[1]))
        self.assertEqual([row[:2] for row in results[2]["rows"]][0], ["3", "4.0000"])
        self.assertEqual(results[3]["rows"][0][0], "node0")


class OtherVersions(PageTest):
    """Profiles of versions of vftrace before and after this one."""

    def views(self, page):
        """The views that have a tab; each is opened."""
        tabs, shown = drive(page, [["open", ""], ["evaluate", "[...document.querySelectorAll('[role=tab]')].map((tab) => tab.id.slice(4))"], ["evaluate", """(async () => {
            const views = [];
            for (const tab of document.querySelectorAll("[role=tab]")) {
                tab.click();
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                views.push(document.querySelector("[data-view]").dataset.view);
            }
            return views;
        })()"""]])[1:]
        self.assertEqual(shown, tabs)
        return tabs

    def test_older(self):
        """From the first version: only lists of functions and paths, no ranks, no symbols."""
        def edit(profile):
            for name in ("ranks", "communication", "message_sizes", "modules"):
                del profile[name]
            profile.update(metrics=[], generator="vftrace 3.0.0-alpha", modules=[])
            profile["run"].update(ranks=1, uses_mpi=False)
            for function in profile["functions"]:
                for name in ("symbol", "module", "offset", "file", "line"):
                    function.pop(name, None)
            for node in profile["nodes"]:
                for name in ("ranks", "messages"):
                    node.pop(name, None)

        page = self.page(self.edited(edit))
        self.assertEqual(self.views(page), ["overview", "functions", "flame", "sandwich"])
        rows = {row[0]: row for row in drive(page, [["open", "#view=functions"], ["table", "functions"]])[1]["rows"]}
        whole = json.loads(FOUR_RANKS.read_text())
        own = collections.Counter()
        for node in whole["nodes"]:
            own[whole["functions"][node["function"]]["display"]] += node["exclusive_ns"]
        for name, ns in own.items():
            self.assertAlmostEqual(seconds(rows[name][1]), ns / 1e9, delta=0.00051)

    def test_newer(self):
        """Unknown data are ignored."""
        def edit(profile):
            profile["entanglement"] = [{"rank": 0, "node": 1, "pairs": 3}]
            profile["quantum"] = {"states": [1, 2]}
            profile["run"]["qubits"] = 5
            for node in profile["nodes"]:
                node["spin"] = "up"
            profile["functions"][2]["generic"] = True

        self.assertEqual(self.views(self.page(self.edited(edit))), ["overview", "efficiency", "functions", "flame", "sandwich", "ranks", "communication"])
        self.fails("report", "--html", self.edited(lambda profile: profile.update(version=2)), message="has version 2 of the profile format")

    def test_log_of_vftrace_2(self):
        log = scratch_folder() / "heat_all.log"
        log.write_text("Vftrace 2.0.0\nRuntime profile for application: heat\nStart Date: Thu Nov 20 10:00:00 2025\n")
        self.fails("report", "--html", log, message="heat_all.json, which does not exist")


@pytest.mark.full
class PagesInFirefox(PageTest):
    """Pages in Debian's firefox-esr, if installed."""

    def test_views_figures_and_keys(self):
        made = scratch_folder() / "made_all.json"
        write_profile(made, 60, 8, functions=30, valued_paths=20, slow_rank=3, messages=True, scale=1e6)
        pages = [self.page(self.edited(add_waits, made)), self.page(THREADS, Devices.trace(self)), self.page(FOUR_RANKS, made)]
        with Firefox() as browser:
            seen = set()
            for page in pages:
                browser.open(page)
                tabs = browser.evaluate("return [...document.querySelectorAll('[role=tab]')].map((tab) => tab.id.slice(4))")
                for view in tabs:
                    browser.click(f"#tab-{view}")
                    shown = browser.evaluate("""return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done([
                        document.querySelector("[data-view]").dataset.view, document.querySelectorAll("[role=alert]").length,
                        document.querySelectorAll("[role=gridcell], .fact").length > 0 || document.querySelector("canvas") !== null,
                        [...document.querySelectorAll("canvas")].every((one) => one.dataset.ms !== undefined && one.height > 0)]))))""")
                    self.assertEqual(shown, [view, 0, True, True])
                seen.update(tabs)
            self.assertLessEqual({"waits", "threads", "timeline", "ranks", "communication", "compare", "scaling", "flame"}, seen)
            profile = json.loads(FOUR_RANKS.read_text())
            browser.open(self.page(FOUR_RANKS), "#view=functions")
            rows = browser.evaluate("""return [...document.querySelectorAll('[data-table=functions] [role=row][aria-selected]')].map((row) =>
                [...row.querySelectorAll('[role=gridcell]')].map((cell) => cell.textContent))""")
            own = collections.Counter()
            for node in profile["nodes"]:
                own[profile["functions"][node["function"]]["display"]] += node["exclusive_ns"]
            self.assertEqual({row[0] for row in rows}, set(own))
            for row in rows:
                self.assertAlmostEqual(seconds(row[1]), own[row[0]] / 1e9, delta=0.00051)
            browser.press("[data-table=functions] .table-body", "ArrowDown")
            self.assertIn("function=", browser.evaluate("return location.hash"))
            browser.press("body", "]")
            self.assertIn("view=flame", browser.evaluate("return location.hash"))
            browser.press("[data-canvas=flame]", "ArrowDown")
            self.assertIn("path=", browser.evaluate("return location.hash"))
            self.assertEqual(browser.evaluate("return performance.getEntriesByType('resource').length"), 0)
