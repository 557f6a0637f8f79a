"""output_directory "@auto": a folder for each run, which its processes share, and a link to the newest."""
import json
import os
import re
import unittest

from command_support import HELLO, CommandTest, command
from mpi_support import MPICH, OPEN_MPI, compile_mpi, launch_mpi
from support import COMMAND, compile_program, run, scratch_folder

FILES = ["call_counts_all.json", "call_counts_all.log"]
TIME = r"\d{8}T\d{6}Z-\d+"  # followed by the process id


def folders_of(folder):
    """The folders of runs, and what is in them."""
    return {path.name: sorted(file.name for file in path.iterdir())
            for path in folder.iterdir() if path.is_dir() and not path.is_symlink()}


class RunFolder(CommandTest):
    def setUp(self):
        super().setUp()
        self.program = compile_program("call_counts.c")
        self.folder = scratch_folder()

    def auto(self, *words, directory="@auto", **options):
        return command("run", f"--output-directory={directory}", "--", *words, folder=self.folder,
                       **options)

    def test_each_run_has_its_own(self):
        names = []
        for _ in range(2):
            result = self.auto(self.program)
            self.assertEqual((result.status, result.stdout, result.stderr), (3, HELLO, ""))
            new = set(folders_of(self.folder)) - set(names)
            self.assertEqual(len(new), 1)
            names += new
            self.assertRegex(names[-1], rf"\Acall_counts-{TIME}\Z")
            self.assertEqual(os.readlink(self.folder / "latest"), names[-1])
        self.assertEqual(folders_of(self.folder), dict.fromkeys(names, FILES))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         sorted([*names, "latest"]))

    def test_what_a_script_starts_shares_it(self):
        other = compile_program("regions.c")
        self.auto("sh", "-c", 'cd /; "$0"; "$1"', self.program, other)
        (name, files), = folders_of(self.folder).items()
        self.assertRegex(name, rf"\Acall_counts-{TIME}\Z")
        self.assertEqual(files, [*FILES, "regions_all.json", "regions_all.log"])
        self.auto("sh", "-c", f"{self.program} 1")
        self.assertEqual(sum(name.startswith("sh-") for name in folders_of(self.folder)), 1)

    def test_nothing_is_left_if_nothing_was_recorded(self):
        self.auto("sh", "-c", "env true; /bin/true")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_directory_option_and_configuration(self):
        (self.folder / "runs").mkdir()
        (self.folder / "config").write_text(json.dumps({"output_directory": "runs/@auto"}))
        self.auto(self.program, directory="runs/@auto")
        command("run", "--config", "config", "--", self.program, folder=self.folder)
        command("run", "--option", "output_directory=runs/@auto", "--", self.program,
                folder=self.folder)
        run([self.program], folder=self.folder, VFTR_OUTPUT_DIRECTORY="runs/@auto")
        self.assertEqual(list(folders_of(self.folder / "runs").values()), [FILES] * 4)
        self.assertTrue((self.folder / "runs" / "latest" / FILES[0]).exists())
        self.fails("run", "--output-directory=nope/@auto", "--", self.program,
                   message="nope: no such directory")

    def test_a_file_named_latest_that_is_not_a_link_is_kept(self):
        (self.folder / "latest").write_text("mine")
        result = self.auto(self.program)
        self.assertEqual((result.status, result.stderr), (3, ""))
        self.assertEqual((self.folder / "latest").read_text(), "mine")
        self.assertEqual(list(folders_of(self.folder).values())[0], FILES)

    def test_ranks_agree_by_the_step_of_the_launcher(self):
        for rank in range(2):
            self.auto(self.program, SLURM_PROCID=rank, SLURM_NTASKS=2, SLURM_JOB_ID=12,
                      SLURM_STEP_ID=3)
        self.assertEqual(folders_of(self.folder), {"call_counts-12.3": [
            f"call_counts_task{rank}_all.{kind}" for rank in range(2) for kind in ("json", "log")]})

    def test_name_of_the_launcher_with_unusual_characters(self):
        self.auto(self.program, PMIX_NAMESPACE="host/../:1 x@1", PMI_RANK=0, PMI_SIZE=2,
                  PBS_JOBID="77.server")
        self.assertEqual(list(folders_of(self.folder)), ["call_counts-77.server-host_.._:1_x_1"
                                                         .replace(":", "_")])

    def test_batch_script_starts_many_runs(self):
        # The variables of a rank are set for the script's shell, which is not a rank.
        for step in (None, 0xfffffffb):
            self.auto(self.program, SLURM_PROCID=0, SLURM_NTASKS=2, SLURM_JOB_ID=12,
                      SLURM_STEP_ID=step)
        self.assertEqual(len(folders_of(self.folder)), 2)
        for name in folders_of(self.folder):
            self.assertRegex(name, rf"\Acall_counts-12-{TIME}\Z")

    def test_inside_another_run(self):
        inner = '"$0" run -- "$2"; "$0" run $1 -- "$2"'
        self.auto("sh", "-c", inner, COMMAND, "--option=json=no", self.program)
        (_, files), = folders_of(self.folder).items()
        self.assertEqual(files, FILES)
        self.auto("sh", "-c", inner, COMMAND, "--output-directory=@auto", self.program)
        self.assertEqual(list(folders_of(self.folder).values()), [FILES] * 3)

    def test_program_that_is_killed(self):
        program = compile_program("end_by_signal.c")
        for number, status in ((6, -6), (9, -9)):
            with self.subTest(number=number):
                self.folder = scratch_folder()
                trees = scratch_folder()
                result = self.auto(program, "raise", str(number), VFTR_TREE_FILE_DIRECTORY=trees)
                self.assertEqual(result.status, status)
                for file in trees.glob("*.tree"):
                    self.assertEqual(folders_of(self.folder), {})
                    self.assertEqual(command("recover", file).status, 0)
                (name, files), = folders_of(self.folder).items()
                self.assertEqual(files, ["end_by_signal_all.json", "end_by_signal_all.log"])
                self.assertEqual(os.readlink(self.folder / "latest"), name)


class Jobs:
    """With each MPI."""
    family = None

    def setUp(self):
        super().setUp()
        self.family.need("mpicc", "mpirun")
        self.program = compile_mpi(self.family, "collectives.c")
        self.folder = scratch_folder()

    def launch(self, *words):
        result = launch_mpi(self.family, [*map(str, words)], 3, folder=self.folder,
                            config={"sampling.active": "yes", "logfile_for_ranks": "all"})
        self.assertEqual((result.status, result.warnings()), (0, []), result.stderr)
        (name, files), = folders_of(self.folder).items()
        self.assertEqual(files, sorted([f"collectives_{rank}.{kind}" for rank in range(3)
                                        for kind in ("log", "vfd")] +
                                       ["collectives_all.json", "collectives_all.log"]))
        self.assertEqual(os.readlink(self.folder / "latest"), name)
        return name

    def run_of_vftrace(self):
        return [COMMAND, "run", "--output-directory=@auto", "--"]

    def test_launched_by_one_run(self):
        name = self.launch(*self.run_of_vftrace(), *self.family.launch(3), self.program)
        self.assertRegex(name, rf"\Acollectives-{TIME}\Z")

    def test_each_rank_starts_its_own(self):
        name = self.launch(*self.family.launch(3), *self.run_of_vftrace(), self.program)
        self.assertTrue(name.startswith("collectives-"))

    def test_rank_0_decides_if_the_launcher_does_not_say(self):
        # The ranks must have different parents.
        script = 'unset PMIX_NAMESPACE; "$@"; exit $?' if self.family is MPICH else '"$@"; exit $?'
        self.launch(*self.family.launch(3), "sh", "-c", script, "sh", *self.run_of_vftrace(),
                    self.program)


class OpenMpi(Jobs, CommandTest):
    family = OPEN_MPI


class Mpich(Jobs, CommandTest):
    family = MPICH


if __name__ == "__main__":
    unittest.main()
