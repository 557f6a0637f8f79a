"""section.accumulate: a run that continues an earlier one, as after a checkpoint."""
import json
import signal
import subprocess

from mpi_support import MPICH, OPEN_MPI, MpiTest
from perfgraph_reader import read_perfgraph
from support import COMMAND, LIBRARY, SOURCE, ProgramTest, clean_environment, compile_program, run, scratch_folder
from test_ends import folder_with_trees
from test_sections import dog, report, section_rows

NO_MEMORY = {"VFTR_SECTION_MEMORY": "off", "VFTR_SECTION_LEVEL": "6"}


def all_json(folder):
    return next(folder.glob("*_all.json"))


def continue_from(profile, *arguments, program=None, **variables):
    """The result of the worked example, continued from the profile."""
    return run([program or dog(), *arguments], VFTR_SECTION_ACCUMULATE=str(profile), **{**NO_MEMORY, **variables})


class Accumulated(ProgramTest):
    def table(self, result, runs):
        rows = section_rows(result.text())
        self.assertEqual({name: (row["Calls"], row["Total(s)"]) for name, row in rows.items()},
                         {"sections_of_a_dog (main)": (f"{runs}", f"{1.8 * runs:.3f}"),
                          "Dog::clean": (f"{3 * runs}", f"{1.8 * runs:.3f}"),
                          "Dog::soap": (f"{3 * runs}", f"{0.6 * runs:.3f}"),
                          "Dog::rinse": (f"{3 * runs}", f"{0.9 * runs:.3f}")})

    def test_a_chain_of_runs(self):
        """Each continues from the one before, and its profile has all of them."""
        result = run([dog()], **NO_MEMORY)
        for runs in (2, 3):
            result = continue_from(all_json(result.folder))
            self.assertEqual((result.status, result.stdout, result.stderr), (0, "clean\n", ""))
            self.table(result, runs)
        profile = all_json(result.folder)
        calls = {path["function"]: path["calls"] for path in json.loads(profile.read_text())["nodes"]}
        self.assertEqual(max(calls.values()), 3)  # figures of call paths are from this run alone
        self.assertEqual(section_rows("\n" + report(profile, "--sections", "--level", "6")),
                         section_rows(result.text()))
        heaviest = section_rows("\n" + report(profile, "--sections", "--heaviest", "1"), "Heaviest Sections:")
        self.assertEqual((heaviest["Dog::rinse"]["Calls"], heaviest["Dog::rinse"]["Self(s)"]), ("9", "2.700"))
        exported = read_perfgraph(subprocess.run([COMMAND, "export", "--format", "perfgraph", profile, "-o", "-"],
                                                 check=True, capture_output=True, text=True).stdout)
        clean = exported["graph"]["sections_of_a_dog (main)"]["children"]["Dog::clean"]
        self.assertEqual((clean["num_calls"], round(clean["children"]["Dog::soap"]["time"], 6)), (9, 1.8))

    def test_the_file_that_the_run_overwrites(self):
        folder = scratch_folder()
        for runs in (1, 2, 3):
            result = run([dog()], folder=folder, **NO_MEMORY,
                         **({"VFTR_SECTION_ACCUMULATE": str(all_json(folder))} if runs > 1 else {}))
            self.table(result, runs)

    def test_the_program_asks(self):
        result = continue_from(all_json(run([dog()], **NO_MEMORY).folder), "print")
        figures, _, rest = result.stdout.partition("\n")
        self.assertEqual(figures.split(), ["0.6", "3", "3.6", "0.1", "0.5", "0.6", "16.6667", "83.3333", "100",
                                           "nan", "nan", "nan", "6"])
        self.assertEqual(section_rows("\n" + rest), section_rows(result.text()))

    def test_sections_that_only_the_earlier_run_had(self):
        earlier = all_json(run([dog()], **NO_MEMORY).folder)
        program = compile_program("sections_of_a_restart.cpp", instrument=False)
        result = continue_from(earlier, program=program)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "3 1.8 0.9 1 1\n", ""))
        rows = section_rows(result.text())
        self.assertEqual(list(rows), ["sections_of_a_restart (main)", "new", "Dog::clean", "Dog::soap", "Dog::rinse"])
        self.assertEqual(rows["Dog::rinse"]["Calls"], "3")

    def test_memory(self):
        program = compile_program("sections_interface.cpp", instrument=False, link=["-pthread"])
        first = run([program])
        before, after = (section_rows(result.text())["memory"]
                         for result in (first, continue_from(all_json(first.folder), program=program,
                                                            VFTR_SECTION_MEMORY="rss")))
        self.assertAlmostEqual(float(after["Mem(MB)"]), 2 * float(before["Mem(MB)"]), delta=10)

    def test_killed(self):
        """A recovered profile has the earlier run too, and the next one continues from that."""
        earlier = all_json(run([dog()], **NO_MEMORY).folder)
        program = compile_program("sections_of_a_restart.cpp", instrument=False)
        folder = folder_with_trees()
        environment = clean_environment(LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=folder / "trees",
                                        VFTR_SECTION_ACCUMULATE=str(earlier))
        with subprocess.Popen([program, "wait"], cwd=folder, env=environment, stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), b"waiting\n")
            process.send_signal(signal.SIGKILL)
        subprocess.run([COMMAND, "recover", *(folder / "trees").iterdir()], cwd=folder, check=True, capture_output=True)
        rows = section_rows("\n" + report(all_json(folder), "--sections", "--level", "6"))
        self.assertEqual((rows["Dog::soap"]["Calls"], rows["new"]["Calls"]), ("3", "1"))
        rows = section_rows(continue_from(all_json(folder)).text())
        self.assertEqual((rows["Dog::soap"]["Calls"], rows["new"]["Calls"]), ("6", "1"))

    def test_children_of_fork_do_not_have_it(self):
        program = compile_program("sections_of_a_restart.cpp", instrument=False)
        result = continue_from(all_json(run([dog()], **NO_MEMORY).folder), "fork", program=program)
        tables = [section_rows(path.read_text()) for path in result.folder.glob("*_all.log")]
        self.assertEqual(sorted("Dog::clean" in table for table in tables), [False, True])

    def test_merged_runs(self):
        profiles = [all_json(continue_from(all_json(run([dog()], **NO_MEMORY).folder)).folder) for _ in range(2)]
        merged = scratch_folder() / "merged.json"
        subprocess.run([COMMAND, "merge", "--runs", "sum", "-o", merged, *profiles], check=True)
        rows = section_rows("\n" + report(merged, "--sections", "--level", "6"))
        self.assertEqual((rows["Dog::clean"]["Calls"], rows["Dog::clean"]["Total(s)"]), ("12", "7.200"))

    def test_files_that_cannot_be_used(self):
        folder = scratch_folder()
        good = all_json(run([dog()], **NO_MEMORY).folder).read_text()
        profile = json.loads(good)
        profile["nodes"][1]["parent"] = 7
        loop = json.loads(good)
        loop["earlier_sections"] = [
            {"id": 1, "parent": 2, "name": "a", "level": 1, "calls": 1, "self_ns": 10 ** 9},
            {"id": 2, "parent": 1, "name": "b", "level": 99, "calls": 1, "self_ns": "text"},
            {"id": 3, "parent": 4, "name": None, "level": 1, "calls": -5, "self_ns": 1e300}]
        for text, problem in ((None, "No such file"), ("", "it is empty"), ("{", "it is not JSON"),
                              ("[]", "it is not a vftrace profile"), ("{}", "it is not a vftrace profile"),
                              (json.dumps(profile), "it is not a vftrace profile"),
                              (good[:len(good) // 2], "it is not JSON"), (json.dumps(loop), None)):
            with self.subTest(text=text and text[:20]):
                path = folder / "earlier.json"
                path.unlink(missing_ok=True)
                if text is not None:
                    path.write_text(text)
                result = continue_from(path)
                self.assertEqual((result.status, result.stdout), (0, "clean\n"))
                if problem:
                    line, = result.stderr.splitlines()
                    self.assertIn(f'vftrace: section.accumulate: "{path}": {problem}', line)
                    self.table(result, 1)
                else:
                    self.assertEqual(result.stderr, "")
                    self.assertEqual(section_rows(result.text())["a"]["Self(s)"], "1.000")


RANKS = r"""
#include <vftrace/sections.hpp>
#include <cstdio>
#include <mpi.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5 + 2 * rank; i++) { VFTRACE_SECTION("step", 1); }
    double calls = vftrace::section_data(vftrace::data_type::CALLS, "step"), all = 0;
    MPI_Reduce(&calls, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("%g\n", all);
    MPI_Finalize();
}
"""


class Ranks:
    def test_of_several_ranks(self):
        """The shares of the ranks add up to the whole, whatever their number."""
        self.family.need("mpicxx", "mpirun")
        folder = scratch_folder()
        (folder / "ranks.cpp").write_text(RANKS)
        subprocess.run([self.family.command("mpicxx"), "-O1", "-Wno-cast-function-type",
                        "-I", SOURCE / "include", "ranks.cpp", "-o", "ranks"], cwd=folder, check=True)
        said = []
        for ranks, earlier in ((3, ""), (3, "ranks_all.json"), (2, "ranks_all.json")):
            result = subprocess.run([*self.family.launch(ranks), "env", f"LD_PRELOAD={LIBRARY}",
                                     f"VFTR_SECTION_ACCUMULATE={earlier}", "./ranks"], cwd=folder,
                                    capture_output=True, env=clean_environment(**self.family.environment), text=True)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            said.append(int(result.stdout))
            rows = section_rows(next(folder.glob("*_all.log")).read_text())
            self.assertEqual(rows["step"]["Calls"], f"{said[-1]}")
        self.assertEqual(said, [21, 42, 54])


class OpenMpiRanks(Ranks, MpiTest):
    family = OPEN_MPI


class MpichRanks(Ranks, MpiTest):
    family = MPICH
