"""Figures of hosts and their devices, such as memory and energy, and figures computed from others."""
import csv
import json
import signal
import subprocess

from mpi_support import MPICH, OPEN_MPI, MpiTest
from support import (COMMAND, LIBRARY, ProgramTest, clean_environment, compile_program,
                     metrics_except_process, run, scratch_folder)
from test_ends import folder_with_trees

# The range of the counter in small processors, in microjoules.
RANGE = 65532610987


def zone(folder, number, name, energy, largest=RANGE):
    path = folder / "class" / "powercap" / f"intel-rapl:{number}"
    path.mkdir(parents=True)
    (path / "name").write_text(f"{name}\n")
    (path / "energy_uj").write_text(f"{energy}\n")
    if largest is not None:
        (path / "max_energy_range_uj").write_text(f"{largest}\n")
    return path / "energy_uj"


def machine():
    """Two processors, one with a memory counter, and a folder that is not a RAPL counter."""
    folder = scratch_folder()
    counters = [zone(folder, "0", "package-0", 1000000), zone(folder, "0:0", "dram", 5),
                zone(folder, "1", "package-1", RANGE - 1000000)]
    other = folder / "class" / "powercap" / "intel-rapl-mmio:0"
    other.mkdir()
    (other / "name").write_text("package-0\n")
    (other / "energy_uj").write_text("77\n")
    return folder, counters


def program(compiler="gcc", flags=()):
    """Writes requested values into the counters: pairs of file and number, then "wait"."""
    return compile_program("writes_files.c", compiler=compiler, flags=("-O1", *flags))


def energy(folder):
    return {"VFTR_ENERGY_ACTIVE": "yes", "VFTR_ENERGY_SYSTEM_FILES": str(folder)}


def changes(counters, *values):
    return [str(word) for pair in zip(counters, values) for word in pair]


def table(profile, name):
    text = subprocess.run([COMMAND, "report", "--table", name, "--format", "csv", profile], check=True,
                          capture_output=True, text=True).stdout
    return list(csv.DictReader(text.splitlines()))


def all_json(result):
    return next(result.folder.glob("*_all.json"))


class Energy(ProgramTest):
    def joules(self, result):
        return {row["device"]: float(row["energy.joules[J]"]) for row in table(all_json(result), "energy_devices")}

    def test_joules_and_a_counter_that_wraps(self):
        folder, counters = machine()
        result = run([program(), *changes(counters, 31000000, 2500005, 4000000)], **energy(folder))
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(self.joules(result), {"package-0": 30, "package-0/dram": 2.5, "package-1": 5})
        text = result.text()
        self.assertIn("Energy of devices\n", text)
        row, = (line.split() for line in text.splitlines() if " package-1 " in line)
        joules, seconds, watts = (float(row[i]) for i in (5, 7, 9))
        self.assertEqual(joules, 5)
        self.assertAlmostEqual(watts, 5 / seconds, delta=0.01 * watts)

    def test_a_counter_that_restarts_or_disappears(self):
        folder, counters = machine()
        counters[0].write_text(f"{RANGE // 2}\n")
        result = run([program(), *changes(counters, 7000000, "-")], **energy(folder))
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(self.joules(result), {"package-0": 7, "package-0/dram": 0, "package-1": 0})

    def test_unreadable_sources_are_reported_once(self):
        folder, counters = machine()
        counters[0].unlink()
        counters[1].write_text("much\n")
        result = run([program()], **energy(folder))
        line, = result.stderr.splitlines()
        self.assertIn("package-0" if "package-0" in line else "intel-rapl:0", line)
        self.assertIn("1 of 3 energy counters can be read (see man vftrace-run)", line)
        self.assertEqual(self.joules(result), {"package-1": 0})
        result = run([program()], **energy(scratch_folder()))
        self.assertIn("there are no energy counters in", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertEqual(metrics_except_process(json.loads(all_json(result).read_text())), [])

    def test_descriptors_and_errno_are_the_programs(self):
        folder, counters = machine()
        alone, profiled = (run([program(), "descriptor"], preload=preload, **energy(folder)).stdout
                           for preload in (False, True))
        self.assertEqual(alone, profiled)

    def test_runs_are_added_up_and_compared(self):
        """Ranks on one host share its energy; runs do not."""
        profiles = []
        for joules in (10, 30):
            folder, counters = machine()
            profiles.append(all_json(run([program(), *changes(counters, 1000000 * (1 + joules))], **energy(folder))))
        for how, expected in (("sum", 40), ("mean", 20)):
            merged = scratch_folder() / "merged.json"
            subprocess.run([COMMAND, "merge", "--runs", how, "-o", merged, *profiles], check=True)
            row = table(merged, "energy_devices")[0]
            self.assertEqual(float(row["energy.joules[J]"]), expected)
            self.assertAlmostEqual(float(row["energy.power[W]"]) * float(row["energy.time[s]"]), expected, delta=0.01 * expected)
        said = subprocess.run([COMMAND, "diff", *profiles], capture_output=True, text=True)
        self.assertRegex(said.stdout, r"Energy \(energy\), all devices\n(.*\n){3}\| +10 \| +30 \| +20 \| +3\.000 \| Energy\[J\] ")

    def test_killed(self):
        folder, counters = machine()
        trees = folder_with_trees()
        environment = clean_environment(LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=trees / "trees",
                                        VFTR_MEMORY_INTERVAL="0.01", **energy(folder))
        with subprocess.Popen([program(flags=("-finstrument-functions",)), "wait"], cwd=trees, env=environment,
                              stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), b"waiting\n")
            process.send_signal(signal.SIGKILL)
        subprocess.run([COMMAND, "recover", *(trees / "trees").iterdir()], check=True, capture_output=True)
        profile = next(trees.glob("*_all.json"))
        self.assertEqual([row["device"] for row in table(profile, "energy_devices")],
                         ["package-0", "package-0/dram", "package-1"])
        host, = table(profile, "memory_hosts")
        self.assertGreater(float(host["memory.used[%]"]), 0)


class Memory(ProgramTest):
    def test_of_the_host(self):
        result = run([program(), "descriptor"], VFTR_MEMORY_INTERVAL="0.01")
        host, = table(all_json(result), "memory_hosts")
        total, available = (float(host[name]) for name in ("memory.total[MiB]", "memory.available[MiB]"))
        lines = open("/proc/meminfo").read().splitlines()
        self.assertAlmostEqual(1024 * total, int(lines[0].split()[1]), delta=1)
        self.assertLess(available, total)
        self.assertAlmostEqual(float(host["memory.used[%]"]), 100 * (1 - available / total), places=3)

    def test_json_says_what_is_computed(self):
        profile = json.loads(all_json(run([program()], VFTR_MEMORY_INTERVAL="0.01")).read_text())
        used, = (metric for metric in profile["metrics"] if metric["name"] == "memory.used")
        self.assertEqual((used["scope"], used["formula"]), ("host", "100 * (total - available) / total"))
        values = {profile["metrics"][row["metric"]]["name"]: row for row in profile["host_metrics"]}
        self.assertEqual({name for name in values if name.startswith("memory.")},
                         {"memory.total", "memory.available", "memory.used"})
        self.assertNotIn("device", values["memory.used"])


class Ranks:
    def test_ranks_of_one_host_read_the_same(self):
        self.family.need("mpicc", "mpirun")
        folder, counters = machine()
        where = scratch_folder()
        built = program(compiler=self.family.command("mpicc"), flags=("-DWITH_MPI",))
        result = subprocess.run([*self.family.launch(3), "env", f"LD_PRELOAD={LIBRARY}", built,
                                 *changes(counters, 21000000)], cwd=where, capture_output=True, text=True,
                                env=clean_environment(VFTR_MEMORY_INTERVAL="0.01", **energy(folder),
                                                      **self.family.environment))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        profile = next(where.glob("*_all.json"))
        rows = table(profile, "energy_devices")
        self.assertEqual([row["device"] for row in rows], ["package-0", "package-0/dram", "package-1"])
        self.assertEqual(float(rows[0]["energy.joules[J]"]), 20)
        self.assertEqual(len(table(profile, "memory_hosts")), 1)


class OpenMpiRanks(Ranks, MpiTest):
    family = OPEN_MPI


class MpichRanks(Ranks, MpiTest):
    family = MPICH
