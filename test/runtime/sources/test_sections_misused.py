"""Sections that programs misuse, or use at special times: the program continues, its other figures
are right, and a mistake is reported once."""
import json
import signal
import subprocess

import pytest

from mpi_support import MPICH, OPEN_MPI, MpiTest
from support import (COMMAND, LIBRARY, LINK_LIBRARY, SOURCE, ProgramTest, clean_environment, compile_program, run,
                     scratch_folder)
from test_ends import folder_with_trees
from test_sections import section_rows

EARLY = 'vftrace: section "early" was queried, but nothing is recorded (reported once)\n'


class Misuse(ProgramTest):
    def run_case(self, name, **variables):
        program = compile_program("sections_misused.c", link=["-pthread", *LINK_LIBRARY])
        return run([program, name], preload=False, VFTR_SECTION_LEVEL="6", VFTR_SECTION_MEMORY="off", **variables)

    def check(self, name, said, reported, **variables):
        result = self.run_case(name, **variables)
        self.assertEqual((result.status, result.stderr), (0, EARLY + reported))
        self.assertEqual(result.stdout, f"before the first 0\n{said}\ndone\nat the end 1\nat the end 1\n")
        self.assertEqual(section_rows(result.text())["open at exit"]["Calls"], "1")
        return section_rows(result.text())

    def test_names_and_levels(self):
        sections = self.check(
            "names", "3 2 1 1",
            'vftrace: section "twice" is registered with level 3, but was registered before with level 1, which is used '
            '(reported once)\n'
            'vftrace: a section was registered without a name: it is shown as "(unnamed section)"\n'
            'vftrace: section "high" has level 99, but levels are 0 to 6: level 6 is used (reported once)\n')
        self.assertEqual(sections["twice"]["Calls"], "3")
        self.assertEqual(sections["two\\nlines"]["Calls"], "1")
        self.assertEqual(sections["not � UTF-8"]["Calls"], "1")
        self.assertLess(max(map(len, sections)), 70)

    def test_ends_without_beginning(self):
        self.check("ends", "2 1", 'vftrace: section "a" ends, but it is not open on this thread; ignored '
                                  '(reported once)\n')

    def test_end_on_another_thread(self):
        sections = self.check("other thread", "1", 'vftrace: section "of main" ends, but it is not open on this '
                                                   'thread; ignored (reported once)\n')
        self.assertEqual(sections["of main"]["Calls"], "1")

    def test_guards_that_end_in_another_order(self):
        self.check("order", "2 1", "")

    def test_longjmp(self):
        sections = self.check("jump", "3", "")
        self.assertEqual((sections["left"]["Calls"], sections["after it"]["Calls"]), ("3", "1"))

    def test_paused(self):
        self.assertEqual(self.check("paused", "1\n2", "")["before"]["Calls"], "2")

    @pytest.mark.full
    def test_a_million_names(self):
        result = self.run_case("many", VFTR_JSON="no", VFTR_STACKLIST_SHOW_STACKLIST="no",
                               VFTR_PROFILE_TABLE_SHOW_TABLE="no")
        self.assertEqual((result.status, result.stderr), (0, EARLY))
        self.assertIn("1 1\ndone\n", result.stdout)
        self.assertEqual(len(section_rows(result.text())), 1_000_002)

    def test_switched_off(self):
        result = self.run_case("order", VFTR_OFF="yes")
        self.assertEqual((result.status, result.stderr), (0, EARLY))
        self.assertEqual(result.files(), [])


THREADS = r"""
#include <vftrace/sections.hpp>
#include <thread>
#include <vector>
#include <unistd.h>
static void spin() { for (volatile int i = 0; i < 20000000; i = i + 1); }
static void work() { VFTRACE_SECTION("work", 1); spin(); }
int main(int argc, char **) {
    {
        VFTRACE_SECTION("team", 1);
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; i++) threads.emplace_back(work);
        work();
        for (auto &thread : threads) thread.join();
    }
    if (argc > 1) {
        VFTRACE_SECTION("killed in it", 2);
        spin();
        if (write(1, "waiting\n", 8) == 8) pause();
    }
    if (fork() == 0) {
        VFTRACE_SECTION("child", 3);
        spin();
    }
}
"""


def compiled(text, *flags, compiler="g++"):
    folder = scratch_folder()
    source = folder / "program.cpp"
    source.write_text(text)
    subprocess.run([compiler, "-std=c++11", "-O1", "-I", SOURCE / "include", source, "-o", folder / "program",
                    "-pthread", *flags], check=True)
    return folder / "program"


class Lives(ProgramTest):
    def test_threads(self):
        for flags in ((), ("-finstrument-functions", "-finstrument-functions-exclude-file-list=/usr/include")):
            with self.subTest(flags=flags):
                result = run([compiled(THREADS, *flags)])
                self.assertEqual((result.status, result.stderr), (0, ""))
                log, = [path for path in result.folder.glob("*_all.log") if "child" not in path.read_text()]
                sections = section_rows(log.read_text())
                self.assertEqual(sections["work"]["Calls"], "4")
                self.assertGreater(float(sections["work"]["Total(s)"]), 0)

    def test_children_have_sections_of_their_own(self):
        result = run([compiled(THREADS)], VFTR_SECTION_LEVEL="3")
        tables = [section_rows(path.read_text()) for path in result.folder.glob("*_all.log")]
        self.assertEqual(sorted("child" in table for table in tables), [False, True])

    def test_killed(self):
        folder = folder_with_trees()
        environment = clean_environment(LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=folder / "trees")
        with subprocess.Popen([compiled(THREADS), "wait"], cwd=folder, env=environment,
                              stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), b"waiting\n")
            process.send_signal(signal.SIGKILL)
        subprocess.run([COMMAND, "recover", *(folder / "trees").iterdir()], check=True, capture_output=True)
        profile = json.loads(next(folder.glob("*_all.json")).read_text())
        levels = {function["name"]: function["level"] for function in profile["functions"]
                  if function["kind"] == "section"}
        self.assertEqual(levels, {"team": 1, "work": 1, "killed in it": 2})

    def test_traces_have_levels(self):
        result = run([compiled(THREADS)], VFTR_SAMPLING_ACTIVE="yes", VFTR_SAMPLING_SAMPLE_INTERVAL="0")
        trace = max(result.folder.glob("*.vfd"), key=lambda path: path.stat().st_size)
        text = subprocess.run([COMMAND, "export", "--format", "perfgraph", trace, "-o", "-"], check=True,
                              capture_output=True, text=True).stdout
        self.assertRegex(text, r'"team": \{"level": 1, "num_calls": 1')


MPI = r"""
#include <vftrace/sections.hpp>
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    {
        VFTRACE_SECTION("unequal", 1, "Working");
        usleep(100000 * (1 + 3 * rank));
    }
    if (rank == 1) { VFTRACE_SECTION("rank 1 alone", 1); }
    MPI_Finalize();
}
"""


class Ranks:
    def test_over_ranks(self):
        self.family.need("mpicxx", "mpirun")
        folder = scratch_folder()
        program = compiled(MPI, "-Wno-cast-function-type", compiler=self.family.command("mpicxx"))
        result = subprocess.run([*self.family.launch(2), "env", f"LD_PRELOAD={LIBRARY}", "VFTR_SECTION_LIVE=on",
                                 "VFTR_SECTION_LIVE_TIME=0.2", program], cwd=folder, capture_output=True,
                                env=clean_environment(**self.family.environment), text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        text = next(folder.glob("*_all.log")).read_text()
        title = "Performance Graph over ranks: mean, longest rank, and its excess over the mean in %:"
        sections = section_rows(text, title)
        unequal = sections["unequal"]
        self.assertEqual(unequal["Calls"], "2")
        self.assertAlmostEqual(float(unequal["Self(s)"]), 0.25, delta=0.03)
        self.assertAlmostEqual(float(unequal["Max(s)"]), 0.4, delta=0.03)
        self.assertAlmostEqual(float(unequal["%"]), 60, delta=10)
        self.assertEqual(sections["rank 1 alone"]["Calls"], "1")
        self.assertNotIn("Working", result.stderr)  # rank 0 was not in this section long enough


class OpenMpiRanks(Ranks, MpiTest):
    family = OPEN_MPI


class MpichRanks(Ranks, MpiTest):
    family = MPICH
