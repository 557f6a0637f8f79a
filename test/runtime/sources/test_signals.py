"""Signals of a host (src/runtime/host_signals): judges/show_signals.cpp reads them, from synthetic files and
with stand-ins for the libraries that manage GPUs. Counters and sensors are tested in
unit/test_signals*.cpp."""
import math
import os
import subprocess
import unittest

from gpu_support import nvml_library, rocm_smi_library
from support import BUILD, clean_environment, scratch_folder

PROGRAM = BUILD / "show_signals"


class Shown:
    """The program while it runs."""

    def __init__(self, requests, *options, libraries=(), **variables):
        paths = ":".join(str(library.parent) for library in libraries)
        self.process = subprocess.Popen(
            [PROGRAM, *map(str, options), requests], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=clean_environment(LD_LIBRARY_PATH=paths or None, **variables))
        self.signals, self.problems = {}, []
        self.values = self.read_lines()

    def read_lines(self):
        values = {}
        for line in self.process.stdout:
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "end":
                break
            if word == "signal":
                name, unit, kind = rest.split()
                self.signals[name] = (unit, kind)
            elif word == "problem":
                self.problems.append(rest)
            else:
                name, value = rest.split()
                values[name] = float(value)
        return values

    def again(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.read_lines()

    def end(self):
        """Its output on stderr."""
        return self.process.communicate()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate()


class Gpus:
    """The file with the values of the stand-ins."""

    def __init__(self, **numbers):
        self.path = scratch_folder() / "gpus"
        self.numbers = numbers
        self.change()

    def change(self, **numbers):
        self.numbers.update(numbers)
        new = self.path.with_suffix(".new")
        new.write_text("".join(f"{name} {number}\n" for name, number in self.numbers.items() if number is not None))
        new.rename(self.path)


class SignalTest(unittest.TestCase):
    def setUp(self):
        if not PROGRAM.exists():
            self.skipTest("show_signals is not built")


class Nvidia(SignalTest):
    def show(self, gpus, requests, *options):
        return Shown(requests, *options, libraries=[nvml_library()], STANDIN_GPUS=gpus.path)

    def test_all_figures(self):
        gpus = Gpus(devices=2, tells_end=1, energy0=5000, energy1=10**12, power0=300500, power1=100000, clock0=1980,
                    clock1=1020, temperature0=60, temperature1=41, busy0=75, busy1=25)
        with self.show(gpus, "GPU_ENERGY@gpu, GPU_ENERGY, GPU_POWER@gpu, GPU_POWER, GPU_CORE_FREQUENCY_STATUS, "
                             "GPU_TEMPERATURE@gpu, GPU_UTILIZATION") as shown:
            self.assertEqual(shown.problems, [])
            self.assertEqual(shown.signals["GPU_ENERGY@gpu-1"], ("J", "sum"))
            self.assertEqual(shown.signals["GPU_UTILIZATION"], ("1", "state"))
            gpus.change(energy0=7500, energy1=10**12 + 1)
            values = shown.again()
            expected = {"GPU_ENERGY@gpu-0": 2.5, "GPU_ENERGY@gpu-1": 0.001, "GPU_ENERGY": 2.501,
                        "GPU_POWER@gpu-0": 300.5, "GPU_POWER@gpu-1": 100, "GPU_POWER": 400.5,
                        "GPU_CORE_FREQUENCY_STATUS": 1.5e9, "GPU_TEMPERATURE@gpu-0": 60,
                        "GPU_TEMPERATURE@gpu-1": 41, "GPU_UTILIZATION": 0.5}
            self.assertEqual(set(values), set(expected))
            for name, value in expected.items():
                self.assertAlmostEqual(values[name], value, delta=1e-4 * value, msg=name)
            gpus.change(energy0=100)  # the driver has been reloaded
            self.assertAlmostEqual(shown.again()["GPU_ENERGY@gpu-0"], 2.6, places=6)
            self.assertEqual(shown.end(), "nvmlShutdown\n")

    def test_a_device_that_fails_for_a_while(self):
        gpus = Gpus(devices=1, energy0=1000, temperature0=50)
        with self.show(gpus, "GPU_ENERGY, GPU_TEMPERATURE") as shown:
            gpus.change(error0=15)
            self.assertTrue(all(math.isnan(value) for value in shown.again().values()))
            gpus.change(error0=0, energy0=4000)
            self.assertEqual(shown.again(), {"GPU_ENERGY": 3, "GPU_TEMPERATURE": 50})

    def test_energy_that_is_not_counted_is_power_by_time(self):
        gpus = Gpus(devices=1, power0=200000)
        with self.show(gpus, "GPU_ENERGY@gpu, TIME") as shown:
            self.assertEqual(shown.problems, [])
            self.assertEqual(shown.signals["GPU_ENERGY@gpu-0"], ("J", "sum"))
            values = shown.again()
            self.assertAlmostEqual(values["GPU_ENERGY@gpu-0"], 200 * values["TIME"], delta=0.2 + 20 * values["TIME"])
            gpus.change(power0=None)
            self.assertTrue(math.isnan(shown.again()["GPU_ENERGY@gpu-0"]))
            gpus.change(power0=200000)
            self.assertEqual(shown.again()["GPU_ENERGY@gpu-0"], values["GPU_ENERGY@gpu-0"])  # unknown part left out

    def test_figures_that_a_device_does_not_have(self):
        gpus = Gpus(devices=2, energy0=1, energy1=1, busy0=10)
        with self.show(gpus, "GPU_UTILIZATION@gpu, GPU_UTILIZATION, GPU_ENERGY") as shown:
            self.assertEqual(list(shown.signals), ["GPU_UTILIZATION@gpu-0", "GPU_ENERGY"])
            self.assertEqual(shown.problems, ["GPU_UTILIZATION: GPU 1: Not Supported (see man vftrace-run)"])
        with self.show(gpus, "GPU_UTILIZATION@gpu", "-o") as shown:
            self.assertEqual((list(shown.signals), shown.problems), (["GPU_UTILIZATION@gpu-0"], []))

    def test_a_device_that_is_closed(self):
        gpus = Gpus(devices=1, energy0=1, handle_error0=4)
        with self.show(gpus, "GPU_ENERGY", "-o") as shown:
            self.assertEqual(shown.signals, {})
            self.assertEqual(shown.problems, ["GPU_ENERGY: GPU 0: Insufficient Permissions (see man vftrace-run)"])

    def test_no_device(self):
        for numbers, reason in (({"devices": 0}, "NVML does not find a GPU"),
                                ({"init_error": 9}, "nvmlInit: Driver Not Loaded")):
            gpus = Gpus(**numbers)
            with self.show(gpus, "GPU_ENERGY, GPU_POWER@gpu") as shown:
                self.assertEqual(shown.signals, {})
                self.assertEqual(len(shown.problems), 2)
                self.assertIn(reason, shown.problems[0])
            with self.show(gpus, "GPU_ENERGY, GPU_POWER@gpu", "-o") as shown:
                self.assertEqual((shown.signals, shown.problems), ({}, []))


class Amd(SignalTest):
    def setUp(self):
        super().setUp()
        self.system = scratch_folder()
        (self.system / "module" / "amdgpu").mkdir(parents=True)

    def test_all_figures(self):
        for version, power in ((5, {"average_power0": 90500000}), (6, {"power0": 90500000}),
                               (7, {"average_power0": 90500000})):
            with self.subTest(version=version):
                gpus = Gpus(devices=1, energy0=10**9, clock0=1700000000, junction0=55500, busy0=40, **power)
                with Shown("GPU_ENERGY, GPU_POWER, GPU_CORE_FREQUENCY_STATUS@gpu, GPU_TEMPERATURE, GPU_UTILIZATION",
                           "-s", self.system, libraries=[rocm_smi_library(version)], STANDIN_GPUS=gpus.path) as shown:
                    self.assertEqual(shown.problems, [])
                    gpus.change(energy0=10**9 + 2000000)
                    values = shown.again()
                    self.assertAlmostEqual(values.pop("GPU_ENERGY"), 30.5, places=6)
                    self.assertAlmostEqual(values.pop("GPU_UTILIZATION"), 0.4)
                    self.assertEqual(values, {"GPU_POWER": 90.5, "GPU_CORE_FREQUENCY_STATUS@gpu-0": 1.7e9,
                                              "GPU_TEMPERATURE": 55.5})
                    gpus.change(current0=7)  # of three
                    self.assertTrue(math.isnan(shown.again()["GPU_CORE_FREQUENCY_STATUS@gpu-0"]))

    def test_nvidias_library_without_a_device(self):
        gpus = Gpus(devices=0)
        for system, reason in ((self.system, "ROCm SMI does not find a GPU"), (scratch_folder(), "the driver amdgpu is not loaded")):
            with Shown("GPU_ENERGY", "-s", system, libraries=[nvml_library(), rocm_smi_library(6)],
                       STANDIN_GPUS=gpus.path) as shown:
                self.assertEqual(shown.problems, [f"GPU_ENERGY: NVML does not find a GPU; {reason} "
                                                  "(see man vftrace-run)"])


class Host(SignalTest):
    def test_of_this_machine(self):
        """Every signal that this machine has: each value is a number, each problem a text."""
        with Shown("CPU_ENERGY@package, DRAM_ENERGY, BOARD_ENERGY, CPU_POWER, BOARD_POWER, CPU_FREQUENCY_STATUS, "
                   "CPU_CYCLES_THREAD, CPU_CYCLES_REFERENCE, CPU_INSTRUCTIONS_RETIRED, "
                   "CPU_PACKAGE_TEMPERATURE@package, CPU_CORE_TEMPERATURE@core, TIME@package, GPU_ENERGY") as shown:
            self.assertIn("TIME@package-0", shown.signals)
            values = shown.again()
            self.assertEqual(set(values), set(shown.signals))
            self.assertEqual([name for name, value in values.items() if not value >= 0], [])
            self.assertEqual([text for text in shown.problems if not text.endswith("(see man vftrace-run)")], [])

    def test_counters_that_are_closed(self):
        folder = scratch_folder()
        zone = folder / "class" / "powercap" / "intel-rapl:0"
        zone.mkdir(parents=True)
        for name, text in (("name", "package-0"), ("energy_uj", "5"), ("max_energy_range_uj", "1000")):
            (zone / name).write_text(text + "\n")
        (zone / "energy_uj").chmod(0)
        if os.access(zone / "energy_uj", os.R_OK):
            self.skipTest("root may read everything; an ordinary user runs this too")
        with Shown("CPU_ENERGY", "-s", folder, "-o") as shown:
            self.assertEqual(shown.signals, {})
            problem, = shown.problems
            self.assertIn(f"{zone}/energy_uj: Permission denied; an administrator can make it readable", problem)

    def test_invalid_requests(self):
        done = subprocess.run([PROGRAM, "CPU_ENERGY@socket"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('"socket" is not a domain', done.stderr)
