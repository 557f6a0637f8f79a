"""The bundled example: its results are the same on any number of processes, with and without
vftrace."""
import os
import shutil
import subprocess
import unittest

import pytest

from page_support import Page
from support import BUILD, COMMAND, SOURCE, clean_environment, need, run, scratch_folder
from waits_support import tables_of_json

ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": 1, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1}
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpirun.mpich"]}
RUNS = (["--nx", "33", "--ny", "22", "--steps", "60", "--every", "7", "--image", "lake.pgm"],
        ["--nx", "3", "--ny", "5", "--steps", "20"],
        ["--case", "lake", "--size", "16", "--steps", "10"])

_programs = {}


@pytest.mark.mpi
class Example(unittest.TestCase):
    maxDiff = None

    def program(self, *settings, **variables):
        """The example, built with these settings of make; once for the same settings."""
        need("make")
        need("g++")
        key = (settings, tuple(variables))
        if key not in _programs:
            folder = scratch_folder() / "example"
            shutil.copytree(SOURCE / "examples" / "shallow_water", folder)
            result = subprocess.run(["make", "-C", folder, *settings], capture_output=True,
                                    text=True, env=clean_environment(**variables))
            self.assertEqual(result.returncode, 0, result.stderr)
            _programs[key] = folder / ("shallow_water" + "_mpi" * ("MPI=1" in settings))
        return _programs[key]

    def results(self, *command):
        result = run(command, preload=False, **ROOT)
        self.assertEqual(result.status, 0, result.stderr + result.stdout)
        image = result.folder / "lake.pgm"
        return result.stdout, image.read_bytes() if image.exists() else None

    def families(self):
        found = [family for family in LAUNCHERS
                 if shutil.which(f"mpicxx.{family}") and shutil.which(LAUNCHERS[family][0])]
        if not found:
            self.skipTest("no MPI is installed (under Debian's names)")
        return found

    def expected(self, *arguments):
        return self.results(self.program(), *arguments)

    @pytest.mark.slow
    def test_same_digits_on_any_number_of_processes(self):
        for family in self.families():
            program = self.program("MPI=1", f"CXX=mpicxx.{family}")
            for count in ("1", "2", "3", "4"):
                for arguments in RUNS:
                    with self.subTest(family=family, count=count, arguments=arguments):
                        self.assertEqual(self.results(*LAUNCHERS[family], "-np", count, program,
                                                      *arguments), self.expected(*arguments))

    def test_checks_pass_on_several_processes(self):
        for family in self.families():
            program = self.program("MPI=1", f"CXX=mpicxx.{family}")
            self.assertEqual(self.results(*LAUNCHERS[family], "-np", "2", program, "--verify"),
                             self.expected("--verify"))

    def test_same_digits_with_a_profile(self):
        for family in self.families():
            program = self.program("MPI=1", "CXX=vftrace-mpic++", "CPPFLAGS=-DUSE_VFTRACE",
                                   f"VFTRACE_MPICXX=mpicxx.{family}",
                                   PATH=f"{BUILD / 'scripts'}:{os.environ['PATH']}")
            for arguments in RUNS:
                with self.subTest(family=family, arguments=arguments):
                    self.assertEqual(self.results(*LAUNCHERS[family], "-np", "2", program,
                                                  *arguments), self.expected(*arguments))

    def test_analysis_names_the_late_process(self):
        """The late process delays both the agreement on the time step and its neighbours."""
        for family in self.families():
            with self.subTest(family=family):
                program = self.program("MPI=1", "CXX=vftrace-mpic++", "CPPFLAGS=-DUSE_VFTRACE",
                                       f"VFTRACE_MPICXX=mpicxx.{family}",
                                       PATH=f"{BUILD / 'scripts'}:{os.environ['PATH']}")
                result = run([*LAUNCHERS[family], "-np", "4", program, "--size", "256", "--steps",
                              "30", "--late", "2"], preload=False, timeout=120,
                             VFTR_SAMPLING_ACTIVE="yes",
                             VFTR_PROCESS_ACTIVE="no",  # or findings know that the machine is busy
                             **ROOT)
                self.assertEqual(result.status, 0, result.stderr)
                traces = sorted(result.folder.glob("*.vfd"))
                self.assertEqual(len(traces), 4)
                analysed = run([COMMAND, "analyze", *traces, "--format", "json"], preload=False)
                self.assertEqual(analysed.status, 0, analysed.stderr)
                tables = tables_of_json(analysed.stdout)
                self.assertEqual({row["rank"] for row in tables["wait_states"][:3]} & {2}, set())
                for pattern, waiting in (("all-to-all", "largest_of_all"),
                                         ("late-sender", "HaloExchange")):
                    causes = [row for row in tables["wait_causes"] if row["pattern"] == pattern]
                    self.assertEqual(causes[0]["rank"], 2)
                    self.assertIn("in vain", causes[0]["callpath"])
                    self.assertIn(waiting, causes[0]["waiting_callpath"])
                first = tables["critical_path"][0]
                self.assertEqual(first["rank"], 2)
                self.assertIn("in vain", first["callpath"])
                profile = next(result.folder.glob("*_all.json"))
                self.findings_name_the_late_process(profile, traces)

    def findings_name_the_late_process(self, profile, traces):
        """The report and the page show that it computes longer and that others wait for its messages."""
        alone = run([COMMAND, "report", profile], preload=False)
        self.assertIn(f"\n  vftrace report {profile} {str(profile)[:-len('all.json')]}*.vfd\n",
                      alone.stdout)
        report = run([COMMAND, "report", profile, *traces, "--findings", "--format", "json"],
                     preload=False)
        self.assertEqual(report.status, 0, report.stderr)
        page = scratch_folder() / "page.html"
        written = run([COMMAND, "report", "--html", profile, *traces, "-o", page], preload=False)
        self.assertEqual(written.status, 0, written.stderr)
        for findings in (tables_of_json(report.stdout)["findings"],
                         Page(page.read_text()).of_kind("profile")[0].head["findings"]):
            findings = [row for group in findings for row in (group, *group.get("effects", []))]
            imbalance, *_ = [row for row in findings if row["rule"] == "load-imbalance"]
            self.assertEqual(imbalance["rank"], 2)
            self.assertIn('most of the excess is in "in vain", called by shallow_water::Solver',
                          imbalance["sentence"])
            late, *_ = [row for row in findings if row["rule"] == "late-rank"]
            self.assertEqual(late["rank"], 2)
            self.assertIn("Ranks wait for rank 2: ", late["sentence"])
            self.assertIn('while it is in "in vain", called by shallow_water::Solver',
                          late["sentence"])
            self.assertRegex(late["reason"], r"in MPI_Waitall, called by .* \(late-sender\)")
            self.assertRegex(late["reason"], r"in MPI_Allreduce, called by .* \(all-to-all\)")

    def test_too_few_rows_for_the_processes(self):
        for family in self.families():
            program = self.program("MPI=1", f"CXX=mpicxx.{family}")
            result = run([*LAUNCHERS[family], "-np", "3", program, "--ny", "2"], preload=False,
                         **ROOT)
            self.assertEqual((result.status, result.stdout), (2, ""))
            self.assertEqual(result.stderr.count("2 rows are too few for 3 processes"), 1)


if __name__ == "__main__":
    unittest.main()
