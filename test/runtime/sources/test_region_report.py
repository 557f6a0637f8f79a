"""The report of regions: markup, exact and sampled figures by host, energy, the file in GEOPM's format."""
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import subprocess
import unittest

try:
    import yaml
except ImportError as error:
    raise unittest.SkipTest("python3-yaml is not installed") from error

from gpu_support import nvml_library
from mpi_support import LINKED, MPICH, OPEN_MPI, MpiTest, compile_mpi, launch_mpi, run_mpi
from support import (BUILD, COMMAND, LIBRARY, LINK_LIBRARY, ProgramTest, clean_environment, compile_program, need_part, run,
                     scratch_folder)
from test_ends import folder_with_trees
from test_hosts import RANGE, zone
from test_sections_languages import fortran_program

HINTS = ("network", "ignore", "compute", "memory", "io", "serial", "parallel", "unknown", "unset")
# By this time (ms) the sampler has started.
START = 500


def processors(folder, count=2, packages=1):
    for number in range(count):
        path = folder / "devices" / "system" / "cpu" / f"cpu{number}" / "topology"
        path.mkdir(parents=True)
        (path / "physical_package_id").write_text(f"{number * packages // count}\n")
        (path / "core_id").write_text(f"{number}\n")


def machine():
    """One processor with memory, with the counters of both."""
    folder = scratch_folder()
    processors(folder)
    return folder, zone(folder, "0", "package-0", 1000000), zone(folder, "0:0", "dram", 0)


def empty_machine():
    folder = scratch_folder()
    processors(folder)
    return folder


def wanted(folder=None, **more):
    return {"VFTR_REGION_REPORT_ACTIVE": "yes", "VFTR_REGION_REPORT_INTERVAL": "0.002",
            "VFTR_ENERGY_SYSTEM_FILES": str(folder or empty_machine()), **more}


def program(flags=()):
    return compile_program("region_steps.c", flags=("-O1", "-pthread", *flags), instrument=False)


def report_of(folder, name="*.report.yaml"):
    file, = pathlib.Path(folder).glob(name)
    return yaml.load(file.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


class Report:
    def __init__(self, file):
        self.whole = file
        (self.host, of_host), *rest = file["Hosts"].items()
        assert not rest
        self.order = [row["region"] for row in of_host["Regions"]]
        self.regions = {row["region"]: row for row in of_host["Regions"]}
        self.unmarked, self.epoch, self.application = (
            of_host.get(f"{name} Totals") for name in ("Unmarked", "Epoch", "Application"))


class Steps(ProgramTest):
    def steps(self, *words, stderr="", config=None, **variables):
        result = run([program(), *map(str, words)], preload=False, config=config, **wanted(**variables))
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "done\n", stderr))
        return result

    def report(self, *words, **variables):
        return Report(report_of(self.steps(*words, **variables).folder))


class Figures(Steps):
    def test_keys_and_their_order(self):
        folder, *_ = machine()
        result = self.steps("epoch", "+A", 60, "-A", "+B", 20, "-B", folder=folder)
        self.assertEqual(list(report_of(result.folder)), ["GEOPM Version", "Start Time", "Profile", "Agent", "Policy", "Hosts"])
        report = Report(report_of(result.folder))
        self.assertEqual(report.whole["Agent"], "monitor")
        self.assertEqual(report.whole["Profile"], "region_steps")
        figures = ["runtime (s)", "count", "sync-runtime (s)", "package-energy (J)", "dram-energy (J)", "power (W)",
                   *(f"time-hint-{hint} (s)" for hint in HINTS)]
        without_cycles = [key for key in report.regions["A"] if not key.startswith("frequency")]
        # Readers need all keys, also those of what cannot be read.
        gpu = ["gpu-energy (J)", "gpu-power (W)", "gpu-frequency (Hz)"]
        self.assertEqual(without_cycles, ["region", "hash", *figures, *gpu])
        self.assertTrue(all(math.isnan(report.regions["A"][key]) for key in gpu))
        self.assertEqual(report.order, ["A", "B"])
        self.assertEqual(report.regions["A"]["hash"], 0xd3d99e8b)
        for totals in (report.unmarked, report.epoch, report.application):
            self.assertEqual([key for key in totals if not key.startswith("frequency")][:len(figures)], figures)
        for totals in (report.epoch, report.application):
            self.assertEqual(totals["sync-runtime (s)"], totals["runtime (s)"])

    def test_agent_and_policy(self):
        whole = report_of(self.steps("+A", 5, "-A", GEOPM_AGENT="power_governor", GEOPM_POLICY="/etc/policy.json").folder)
        self.assertEqual((whole["Agent"], whole["Policy"]), ("power_governor", "/etc/policy.json"))

    def test_run_time_and_counts_are_those_of_the_tree(self):
        result = self.steps("+A", 30, "+B", 20, "-B", "-A", "+B", 10, "-B", "+B", 10, "-B")
        report = Report(report_of(result.folder))
        paths = result.paths()
        a, b = report.regions["A"], report.regions["B"]
        self.assertEqual((a["count"], b["count"]), (1, 2))
        self.assertAlmostEqual(a["runtime (s)"], 1e-9 * paths["A<init"]["inclusive_ns"], places=8)
        self.assertAlmostEqual(b["runtime (s)"], 1e-9 * paths["B<init"]["inclusive_ns"], places=8)

    def test_hints_are_those_of_the_innermost_region(self):
        report = self.report("hint=2:A", "hint=5:B", "hint=8:C", START, "+A", 100, "+B", 100, "-B", "+other", 60,
                             "-other", "-A", "+C", 80, "-C")
        a = report.regions["A"]
        hints = {hint: a[f"time-hint-{hint} (s)"] for hint in HINTS}
        self.assertAlmostEqual(sum(hints.values()), a["sync-runtime (s)"], places=6)
        self.assertEqual({hint for hint, seconds in hints.items() if seconds > 0.02}, {"compute", "io", "unknown"})
        self.assertGreater(report.regions["C"]["time-hint-ignore (s)"], 0.02)
        self.assertGreater(report.unmarked["time-hint-unset (s)"], 0.02)

    def test_a_hint_that_changes(self):
        report = self.report(START, "hint=2:A", "+A", 60, "-A", "hint=6:A", "+A", 60, "-A")
        a = report.regions["A"]
        self.assertGreater(a["time-hint-compute (s)"], 0.01)
        self.assertGreater(a["time-hint-serial (s)"], 0.01)

    def test_epochs(self):
        report = self.report(100, *["epoch", "+A", 20, "-A"] * 3, "hint=8:setup", "+setup", "epoch", "-setup", 20)
        self.assertEqual(report.epoch["count"], 3)  # not the one in a region to be ignored
        self.assertLess(report.epoch["runtime (s)"], report.application["runtime (s)"] - 0.08)
        self.assertIsNone(self.report("+A", 10, "-A").epoch)

    def test_epochs_by_a_region(self):
        report = self.report(*["+step", 10, "-step"] * 4, VFTR_REGION_REPORT_EPOCH_REGION="step")
        self.assertEqual((report.epoch["count"], report.regions["step"]["count"]), (4, 4))

    def test_without_samples(self):
        result = self.steps("+A", 20, "-A", VFTR_REGION_REPORT_INTERVAL="0")
        report = Report(report_of(result.folder))
        known = {key for key, value in report.regions["A"].items() if value == value}  # not .nan
        self.assertEqual(known, {"region", "hash", "runtime (s)", "count"})

    def test_threads_outside_all_regions_do_not_count(self):
        report = self.report("thread", START, "+A", 100, "-A")
        self.assertGreater(report.regions["A"]["sync-runtime (s)"], 0.05)

    def test_the_mean_of_several_threads(self):
        report = self.report(START, "threads", "+A", 100, "-A")
        a = report.regions["A"]
        self.assertEqual(a["count"], 1)
        self.assertAlmostEqual(a["runtime (s)"], 0.1, delta=0.05)

    def test_json_has_the_same_figures(self):
        folder, package, _ = machine()
        result = self.steps(START, "+A", 60, f"{package}=3000000", 60, "-A", folder=folder)
        report, profile = Report(report_of(result.folder)), result.profile()
        names = [metric["name"] for metric in profile["metrics"]]
        function = next(i for i, one in enumerate(profile["functions"]) if one["name"] == "A")
        region = next(row for row in profile["regions"] if row.get("function") == function)
        values = {names[row["metric"]]: row["value"] for row in profile["region_metrics"] if row["id"] == region["id"]}
        self.assertEqual(region["host"], report.host)
        self.assertAlmostEqual(1e-9 * region["runtime_ns"], report.regions["A"]["runtime (s)"], places=8)
        self.assertAlmostEqual(1e-9 * values["region.sync_runtime"], report.regions["A"]["sync-runtime (s)"], places=8)
        self.assertEqual(values["region.package_energy"], 2)
        power = next(one for one in profile["series"] if names[one["metric"]] == "region.power_at:packages")
        self.assertGreater(max(power["values"]), 10)
        self.assertLessEqual(len(power["values"]), 10000)

    def test_table(self):
        result = self.steps("+A", 60, "-A", "+MPI_Send", 1, "-MPI_Send")
        profile = next(result.folder.glob("*_all.json"))
        text = subprocess.run([COMMAND, "report", "--regions", profile], check=True, capture_output=True, text=True).stdout
        self.assertEqual(text.splitlines()[0], "Regions by host")
        self.assertIn("(unmarked)", text)
        self.assertIn("Regions by host", result.text())
        exported = subprocess.run([COMMAND, "export", "--format", "geopm", "-o", "-", profile], check=True, capture_output=True, text=True)
        self.assertEqual(yaml.safe_load(exported.stdout), report_of(result.folder))
        other = self.steps("+A", 1, "-A", VFTR_REGION_REPORT_ACTIVE="no")
        self.assertEqual(list(other.folder.glob("*.yaml")), [])
        said = subprocess.run([COMMAND, "report", "--regions", next(other.folder.glob("*_all.json"))], capture_output=True, text=True)
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("this run has neither a report of regions (see the option region_report.active) nor annotations", said.stderr)


class Energy(Steps):
    def test_joules_are_exact_even_if_a_counter_wraps(self):
        folder, package, dram = machine()
        package.write_text(f"{RANGE - 1000000}\n")
        report = self.report(START, "+A", 60, f"{package}=4000000", f"{dram}=250000", 60, "-A",
                             "+B", 60, f"{package}=4500000", 60, "-B", 60, f"{package}=4600000", 60, folder=folder)
        joules = {name: row["package-energy (J)"] for name, row in report.regions.items()}
        self.assertEqual(joules, {"A": 5, "B": 0.5})
        self.assertEqual(report.regions["A"]["dram-energy (J)"], 0.25)
        self.assertAlmostEqual(report.unmarked["package-energy (J)"], 0.1, places=9)
        self.assertAlmostEqual(report.application["package-energy (J)"], 5.6, places=9)
        a = report.regions["A"]
        self.assertAlmostEqual(a["power (W)"], 5 / a["sync-runtime (s)"], places=5)

    def test_energy_counts_from_the_start(self):
        """From the first event, not only when the thread that samples has started."""
        folder, package, _ = machine()
        report = self.report("+A", f"{package}=3000000", 60, "-A", folder=folder)
        self.assertAlmostEqual(report.application["package-energy (J)"], 2, places=9)

    def test_a_zone_that_disappears_reappears_or_restarts(self):
        folder, package, _ = machine()
        report = self.report(START, "+A", 60, f"{package}=", 60, "-A", "+B", 60, f"{package}=3000000", 60, "-B",
                             "+C", 60, f"{package}=500000", 60, "-C", folder=folder)
        joules = {name: row["package-energy (J)"] for name, row in report.regions.items()}
        self.assertEqual(joules, {"A": 0, "B": 2, "C": 0.5})

    def test_unreadable_sources_are_reported_once(self):
        folder, package, _ = machine()
        package.write_text("much\n")
        result = run([program(), "+A", "200", "-A"], preload=False, **wanted(folder))
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("region_report.active: ", result.stderr)
        self.assertIn("intel-rapl:0/energy_uj", result.stderr)
        report = Report(report_of(result.folder))
        self.assertTrue(math.isnan(report.regions["A"]["package-energy (J)"]))
        self.assertEqual(report.regions["A"]["dram-energy (J)"], 0)

    def test_signals_that_users_ask_for(self):
        folder, package, _ = machine()
        for name, variables in (("ours", {"VFTR_REGION_REPORT_SIGNALS": "CPU_ENERGY@package,TIME"}),
                                ("GEOPM's", {"GEOPM_REPORT_SIGNALS": "CPU_ENERGY@package,TIME"})):
            with self.subTest(name):
                package.write_text("1000000\n")
                report = self.report(START, "+A", 60, f"{package}=3000000", 60, "-A", folder=folder, **variables)
                a = report.regions["A"]
                self.assertEqual(a["CPU_ENERGY@package-0"], 2)
                self.assertAlmostEqual(a["TIME"], a["sync-runtime (s)"], delta=0.01)
        result = run([program(), "+A", "200", "-A"], preload=False, **wanted(VFTR_REGION_REPORT_SIGNALS="NO_SUCH_SIGNAL"))
        self.assertIn("NO_SUCH_SIGNAL", result.stderr)
        result = run([program(), "+A", "200", "-A"], preload=False, **wanted(VFTR_REGION_REPORT_SIGNALS="TIME@moon"))
        self.assertIn("region_report.signals: ", result.stderr)

    def test_call_paths_get_their_share_of_the_energy(self):
        folder, package, _ = machine()
        result = self.steps(START, "+A", 100, "+B", 100, f"{package}=3000000", 60, "-B", "-A", 60,
                            f"{package}=3700000", 60, folder=folder)
        paths = result.paths()
        text = subprocess.run([COMMAND, "report", "--energy", "--callpath", "--format", "csv", "--table", "profile",
                               next(result.folder.glob("*_all.json"))], check=True, capture_output=True, text=True).stdout
        rows = {row["callpath"]: row for row in csv.DictReader(text.splitlines())}
        energy = {path: float(next(value for key, value in row.items() if key.startswith("energy"))) for path, row in rows.items()}
        self.assertAlmostEqual(sum(energy.values()), 2.7, places=6)
        self.assertAlmostEqual(energy["A<init"] + energy["B<A<init"], 2, places=6)
        self.assertAlmostEqual(energy["B<A<init"] / energy["A<init"],
                               paths["B<A<init"]["exclusive_ns"] / paths["A<init"]["exclusive_ns"], places=3)
        self.assertAlmostEqual(energy["init"], 0.7, places=6)

    def test_runs_are_compared(self):
        profiles = []
        for joules in (1, 3):
            folder, package, _ = machine()
            result = self.steps(START, "+A", 60, f"{package}={1000000 * (joules + 1)}", 60, "-A", folder=folder)
            profiles.append(next(result.folder.glob("*_all.json")))
        said = subprocess.run([COMMAND, "diff", *profiles], capture_output=True, text=True).stdout
        self.assertRegex(said, r"region, whole run\n(.*\n){3}\| +1 \| +3 \|.* Package energy\[J\] ")
        self.assertRegex(said, r"\| Energy-delay product\[J s\] ")

    def test_gpus(self):
        file = scratch_folder() / "gpus"
        report = self.report(f"{file}=devices 1 energy0 1000", START, "+A", 60, f"{file}=devices 1 energy0 4500", 60, "-A",
                             STANDIN_GPUS=file, LD_LIBRARY_PATH=nvml_library().parent)
        self.assertEqual(report.regions["A"]["gpu-energy (J)"], 3.5)
        self.assertIn("gpu-power (W)", report.regions["A"])


class Files(Steps):
    def test_names(self):
        folder = scratch_folder()
        result = self.steps("+A", 5, "-A", GEOPM_REPORT=folder / "geopm.report", GEOPM_PROFILE="my: profile")
        self.assertEqual(list(result.folder.glob("*.yaml")), [])
        self.assertEqual(report_of(folder, "geopm.report")["Profile"], "my: profile")
        self.steps("+A", 5, "-A", GEOPM_REPORT=folder / "other", VFTR_REGION_REPORT_FILE=folder / "ours",
                   GEOPM_PROFILE="theirs", VFTR_REGION_REPORT_PROFILE="yes")
        self.assertEqual(report_of(folder, "ours")["Profile"], "yes")

    def test_names_of_regions_are_read_unchanged(self):
        names = ["a: b", "# no comment", "- item", 'say "x"', "two\nlines", "no", "1e5", "0x10", "null", "~", "[x]", "{x}",
                 "*a", "&a", "!t", "%d", "@at", "`tick", "tab\there", "back\\slash", "ümlaut", "\x1b[1m", " padded ",
                 "2026-11-24", "12:30:45", "key:", "<<", "=", "a #b", "'q'", "|", ">", "?", "-", "?x", "\x7f", "\u2028"]
        report = self.report(*(word for name in names for word in (f"+{name}", f"-{name}")))
        self.assertEqual(set(report.regions), set(names))

    def test_many_regions(self):
        words = "\n".join(f"+r{i}\n-r{i}" for i in range(10000)).split()
        report = self.report(*words)
        self.assertEqual(len(report.regions), 10000)
        self.assertEqual({row["count"] for row in report.regions.values()}, {1})

    def test_killed_in_a_region(self):
        folder, package, _ = machine()
        trees = folder_with_trees()
        environment = clean_environment(VFTR_TREE_FILE_DIRECTORY=trees / "trees", **wanted(folder))
        subprocess.run([program(), str(START), "+A", "60", f"{package}=3000000", "1200", "kill"], cwd=trees, env=environment)
        subprocess.run([COMMAND, "recover", *(trees / "trees").iterdir()], check=True, capture_output=True, cwd=trees)
        report = Report(report_of(trees))
        self.assertEqual(report.regions["A"]["package-energy (J)"], 2)
        self.assertEqual(report.regions["A"]["count"], 1)

    def test_a_child_of_fork_has_its_own_regions(self):
        result = run([program(), "+A", "20", "-A", "fork", "+B", "20", "-B"], preload=False, **wanted())
        self.assertEqual(result.status, 0)
        self.assertEqual(result.stdout, "done\ndone\n")
        self.assertEqual(result.stderr, "")
        self.assertEqual(Report(report_of(result.folder)).order, ["A"])  # the parent's is the only one
        children = [path for path in result.folder.glob("*_all.json") if '"name": "B"' in path.read_text()]
        self.assertEqual(len(children), 1)


class Markup(ProgramTest):
    def test_progress(self):
        """It is a metric of the region; without the library, GEOPM's functions need not be there."""
        result = run([compile_program("region_progress.c", instrument=False, link=LINK_LIBRARY)], preload=False)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "0\n", ""))
        profile = result.profile()
        names = [metric["name"] for metric in profile["metrics"]]
        progress = {profile["functions"][node["function"]]["display"]: value
                    for node in profile["nodes"] for metric, value in node.get("metrics", [])
                    if names[metric] == "region.progress"}
        self.assertEqual(progress, {"all": 100, "a quarter": 25, "loop": 50, "fraction": 70})

    def test_functions_of_geopm(self):
        flags = ("-O1", "-L", str(LIBRARY.parent), "-lvftrace", f"-Wl,-rpath,{LIBRARY.parent}")
        built = compile_program("region_geopm.c", flags=("-O1",), instrument=False, link=flags[1:])
        result = run([built], preload=False, **wanted())
        self.assertEqual((result.status, result.stderr), (0, ""))
        report = Report(report_of(result.folder))
        self.assertEqual({name: row["count"] for name, row in report.regions.items()}, {"stream": 3, "dgemm": 1})
        self.assertEqual(result.stdout, "0, unknown: ok\n")
        profiles = [json.loads(path.read_text()) for path in result.folder.glob("*_all.json")]
        children = [one for one in profiles if {f["name"] for f in one["functions"]} & {"stream", "dgemm"} == {"dgemm"}]
        self.assertEqual(len(children), 1)
        self.assertEqual(report.epoch["count"], 3)
        self.assertGreater(report.regions["stream"]["time-hint-memory (s)"], 0)
        self.assertGreater(report.regions["dgemm"]["time-hint-compute (s)"], 0)

    def test_geopms_library_is_called_too(self):
        real = compile_program("region_geopm_library.c", flags=("-O1", "-shared", "-fPIC"), instrument=False, link=(),
                               output="libgeopm.so")
        built = compile_program("region_geopm.c", flags=("-O1",), instrument=False,
                                link=("-Wl,--no-as-needed", str(real), f"-Wl,-rpath,{real.parent}"))
        alone = run([built], preload=False)
        profiled = run([built], **wanted())
        self.assertEqual((alone.status, alone.stdout), (profiled.status, profiled.stdout))
        self.assertIn("region stream 3\n", alone.stdout)
        self.assertEqual(Report(report_of(profiled.folder)).regions["stream"]["count"], 3)


    def test_fortran(self):
        result = run([fortran_program("region_report")], preload=False, **wanted())
        self.assertEqual((result.status, result.stderr), (0, ""))
        report = Report(report_of(result.folder))
        self.assertEqual(report.epoch["count"], 4)
        self.assertGreater(report.regions["sweep"]["time-hint-memory (s)"], 0)


class OpenMp(ProgramTest):
    def test_parallel_regions_and_workers(self):
        built = compile_program("region_openmp.c", flags=("-O1", "-fopenmp"), instrument=False)
        result = run([built], preload=False, OMP_NUM_THREADS="3", **wanted())
        self.assertEqual((result.status, result.stderr), (0, ""))
        report = Report(report_of(result.folder))
        marked = report.regions["A"]
        self.assertEqual(marked["count"], 1)
        # Workers wait during serial code of the region, and count as being in the region, like their master.
        self.assertGreater(marked["sync-runtime (s)"], 0.6 * marked["runtime (s)"])
        alone, = (row for name, row in report.regions.items() if name.startswith("omp parallel"))
        self.assertEqual(alone["count"], 1)
        self.assertGreater(alone["time-hint-parallel (s)"], 0)
        self.assertGreater(report.unmarked["sync-runtime (s)"], 0.05)


class Ranks:
    def steps(self, ranks, *words, **variables):
        need_part("BUILD_TOOLS")
        built = compile_mpi(self.family, "../../programs/region_steps.c", False, LINKED, ("-DWITH_MPI",))
        return run_mpi(self.family, built, ranks, LINKED, arguments=words, **wanted(**variables))

    def test_means_over_ranks(self):
        folder, package, _ = machine()
        result = self.steps(2, START, "+A", 50, "-A", "1:+A", "1:50", "1:-A", "barrier", "+B", 100,
                            f"0:{package}=3000000", 100, "barrier", "-B", folder=folder)
        self.assertEqual((result.status, result.warnings()), (0, []), result.stderr)
        report = Report(report_of(result.folder))
        self.assertEqual({name: report.regions[name]["count"] for name in ("A", "B")}, {"A": 1.5, "B": 1})
        profile = result.profile()
        names = [one["name"] for one in profile["functions"]]
        a = next(row for row in profile["regions"] if "function" in row and names[row["function"]] == "A")
        self.assertAlmostEqual(report.regions["A"]["runtime (s)"], 0.5e-9 * a["runtime_ns"], places=8)
        self.assertEqual(report.regions["B"]["package-energy (J)"], 2)
        self.assertIn("MPI_Init", report.regions)  # unnested, a region by itself
        self.assertGreater(report.regions["MPI_Init"]["time-hint-network (s)"], 0)
        self.assertEqual(self.left_over(), set())

    def test_started_by_shells(self):
        """Shells have the library too, but do not sample."""
        built = compile_mpi(self.family, "../../programs/region_steps.c", False, LINKED, ("-DWITH_MPI",))
        for how in (f"{built} {START} +A 100 -A; true", f"exec {built} {START} +A 100 -A"):
            with self.subTest(how.split()[0]):
                command = [*self.family.launch(2), "env", f"LD_PRELOAD={LIBRARY}", "bash", "-c", how]
                result = launch_mpi(self.family, command, 2, **wanted())
                self.assertEqual((result.status, result.warnings()), (0, []), result.stderr)
                self.assertGreater(Report(report_of(result.folder)).regions["A"]["sync-runtime (s)"], 0.03)

    def test_two_jobs_at_once(self):
        """Each report has only the regions of its own ranks."""
        with concurrent.futures.ThreadPoolExecutor() as jobs:
            results = list(jobs.map(lambda name: self.steps(2, START, f"+{name}", 300, f"-{name}"), ("one", "other")))
        for name, result in zip(("one", "other"), results):
            report = Report(report_of(result.folder))
            self.assertEqual({"one", "other"} & set(report.regions), {name})
            self.assertGreater(report.regions[name]["sync-runtime (s)"], 0.1)

    def test_a_rank_that_dies_in_a_region(self):
        result = self.steps(2, "+A", 100, "1:kill", 100, "-A")
        self.assertNotEqual(result.status, 0)
        # The next job recognises what this one has left behind.
        self.assertEqual(self.steps(2, "+A", 10, "-A").status, 0)
        self.assertEqual(self.left_over(), set())

    def left_over(self):
        return {name for name in os.listdir("/dev/shm") if name.startswith("vftrace-regions-")
                and not self.is_used(name)}

    @staticmethod
    def is_used(name):
        for maps in pathlib.Path("/proc").glob("[0-9]*/maps"):
            try:
                if name in maps.read_text():
                    return True
            except OSError:
                pass
        return False


class OpenMpiRanks(Ranks, MpiTest):
    family = OPEN_MPI


class MpichRanks(Ranks, MpiTest):
    family = MPICH


del Ranks
