"""vftrace recover with the ranks of an MPI job that were all killed, or could write nothing."""
import json

from mpi_support import LINKED, MPICH, OPEN_MPI, MpiTest, compile_mpi, name_of, run_mpi
from support import COMMAND, need_part, run, scratch_folder

RANKS = 3
LOOPS = 5


class Recover:
    def setUp(self):
        super().setUp()
        need_part("BUILD_TOOLS")
        self.trees = scratch_folder()
        program = compile_mpi(self.family, "killed_ranks.c", how=LINKED)
        self.job = run_mpi(self.family, program, RANKS, LINKED,
                           {"logfile_for_ranks": "1"}, VFTR_TREE_FILE_DIRECTORY=self.trees)
        self.assertNotEqual(self.job.status, 0)
        self.files = sorted(self.trees.iterdir())
        self.assertEqual(len(self.files), RANKS, self.job.stderr)
        self.assertEqual(self.logs(), [])

    def logs(self):
        return [name for name in self.job.files() if name.startswith("killed_ranks_")]

    def recover(self, *files):
        result = run([COMMAND, "recover", *files], preload=False)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertFalse(any(file.exists() for file in files))

    def check_messages(self, profile, ranks):
        sent = sum(entry["sent"]["messages"] for entry in profile["communication"]
                   if "sent" in entry)
        self.assertEqual(sent, ranks * LOOPS)
        calls = {name_of(profile, node): node["calls"] for node in profile["nodes"]}
        self.assertEqual(calls["exchange"], ranks * LOOPS)
        self.assertEqual(calls["MPI_Barrier"], ranks)
        self.assertEqual(len(profile["ranks"]), ranks)

    def test_all_ranks_become_one_profile(self):
        self.recover(*self.files)
        self.assertEqual(self.logs(), ["killed_ranks_1.log", "killed_ranks_all.json",
                                       "killed_ranks_all.log"])
        self.check_messages(self.job.profile(), RANKS)
        self.assertNotIn("Warning", self.job.text())
        self.assertRegex(self.job.text(), r"\nEnded by: +SIGKILL or a machine failure\n")
        self.assertRegex(self.job.text(), rf"\nNr\. of MPI ranks: +{RANKS}\n")

    def test_some_of_the_ranks(self):
        self.recover(*self.files[:RANKS - 1])
        self.check_messages(self.job.profile(), RANKS - 1)
        self.assertRegex(self.job.text(), r"\nWarning: 2 of 3 ranks are in this profile: "
                                          r"rank \d did not have a tree file here\.\n")

    def test_one_rank_alone(self):
        self.recover(self.files[0])
        self.assertEqual([name.rsplit(".")[-1] for name in self.logs()], ["json", "log"])
        log = self.job.text(".log")
        self.assertRegex(log, r"The process did not reach MPI_Finalize: this profile is of rank "
                              r"\d alone\.")


class UnwritableJob:
    """Rank 0 cannot write the files of the job: each rank keeps what it has."""

    def test_all_ranks_keep_their_tree_files(self):
        need_part("BUILD_TOOLS")
        program = compile_mpi(self.family, "datatypes.c", how=LINKED)
        trees, folder, output = scratch_folder(), scratch_folder(), scratch_folder()
        for suffix in ("log", "json"):
            (folder / f"datatypes_all.{suffix}").symlink_to("/dev/full")
        job = run_mpi(self.family, program, RANKS, LINKED, folder=folder,
                      VFTR_TREE_FILE_DIRECTORY=trees)
        self.assertEqual(job.status, 0, job.stderr)
        said, = job.warnings()
        self.assertRegex(said, r"^vftrace: cannot write \S+_all\.log: No space left on device; each "
                               r"rank has left its tree file \(this one \S+\)")
        files = sorted(trees.iterdir())
        self.assertEqual(len(files), RANKS)
        result = run([COMMAND, "recover", "--output", output, *files], preload=False)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(list(trees.iterdir()), [])
        profile = json.loads((output / "datatypes_all.json").read_text())
        self.assertNotIn("ended", profile["run"])
        self.assertEqual(len(profile["ranks"]), RANKS)
        main, = (node for node in profile["nodes"] if name_of(profile, node) == "main")
        self.assertEqual(main["calls"], RANKS)


class RecoverOpenMpi(Recover, MpiTest):
    family = OPEN_MPI


class RecoverMpich(Recover, MpiTest):
    family = MPICH


class UnwritableOpenMpi(UnwritableJob, MpiTest):
    family = OPEN_MPI


class UnwritableMpich(UnwritableJob, MpiTest):
    family = MPICH
