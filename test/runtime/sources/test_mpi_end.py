"""How the ranks of a job merge their profiles in MPI_Finalize, and what they do if that is
impossible: the job ends as it does without vftrace."""
import json
import subprocess
import time
import unittest

from mpi_support import MPICH, OPEN_MPI, MpiTest, compile_mpi, launch_mpi
from support import LIBRARY, clean_environment, scratch_folder


def json_of(result, name):
    return json.loads((result.folder / name).read_text())


class End:
    """For each family."""

    def test_attributes_are_not_copied(self):
        result = self.profile("attributes.c", 2, arguments=["copy"])
        for rank in range(2):
            self.assertEqual(result.stdout.count(f"rank {rank}: copied"), 1)
        self.assertIn("attributes_all.json", result.files())

    def test_attributes_that_cannot_be_copied(self):
        result = self.profile("attributes.c", 2, arguments=["fail"])
        self.assertEqual(result.status, 0)
        self.assertNotIn("copied", result.stdout)
        self.assertIn("attributes_all.json", result.files())

    def test_processes_without_the_library(self):
        """The other ranks do not wait for them forever."""
        alone = self.alone("datatypes.c", 2)
        program = compile_mpi(self.family, "datatypes.c")
        command = [*self.family.launch(1), str(program), ":", "-n", "1",
                   "env", f"LD_PRELOAD={LIBRARY}", str(program)]
        # The transport layer of MPICH may print a warning about the barrier that was never completed.
        result = launch_mpi(self.family, command, 2, {"mpi.collation_timeout": 2},
                            UCX_LOG_LEVEL="error")
        self.assertEqual((result.status, sorted(result.stdout.splitlines())),
                         (alone.status, sorted(alone.stdout.splitlines())), result.stderr)
        self.assertEqual(result.reported(), alone.reported())
        self.assertEqual([name for name in result.files() if name.startswith("datatypes")],
                         ["datatypes_1.json", "datatypes_1.log"])
        profile = json_of(result, "datatypes_1.json")
        self.assertRegex(" ".join(profile["run"]["warnings"]), "of rank 1 alone")
        self.assertLess(result.seconds, alone.seconds + 20)

    def without_memory(self, ranks, short, large):
        """The run; its profiles by file name."""
        result = self.profile("little_memory.c", ranks, arguments=[short, large],
                              expect_warning="out of memory")
        return {name: json_of(result, name) for name in result.files() if name.endswith(".json")}

    def test_no_memory_for_the_message_of_another_rank(self):
        for ranks, short, large in ((2, 0, 1), (4, 2, 3)):
            with self.subTest(short=short):
                found = self.without_memory(ranks, short, large)
                self.assertEqual(sorted(found),
                                 [f"little_memory_{rank}.json" for rank in range(ranks)])
                self.assertGreater(len(found[f"little_memory_{large}.json"]["nodes"]), 80000)
                for profile in found.values():
                    self.assertIn("could not be sent", " ".join(profile["run"]["warnings"]))

    def test_no_memory_for_the_own_profile(self):
        for short, others in ((1, 0), (0, 1)):
            with self.subTest(short=short):
                found = self.without_memory(2, short, short)
                self.assertEqual(list(found), ["little_memory_all.json"])
                profile = found["little_memory_all.json"]
                # Other notices are about the machine, which was busy when the program began.
                reported = [notice for notice in profile["run"]["notices"]
                        if notice["code"] != "hook-cost-changed"]
                self.assertEqual(reported, [
                    {"code": "no-memory-for-profile", "arguments": [], "ranks": 1, "first_rank": short,
                     "text": "There was not enough memory for a profile: calls are missing."}])
                self.assertEqual([rank["rank"] for rank in profile["ranks"]], [0, 1])
                self.assertGreater(profile["run"]["runtime_ns"], 0)
                self.assertEqual(profile["run"]["application"], "little_memory")
                barrier, = (node for node in profile["nodes"] if profile["functions"][
                    node["function"]]["name"] == "MPI_Barrier")
                self.assertEqual(barrier["calls"], 1, f"of rank {others}")

    def test_two_jobs_in_one_folder(self):
        """The second job ends while the first is running, so the files are the second's."""
        program = compile_mpi(self.family, "waits_for_file.c")
        folder = scratch_folder()

        def command(started, go):
            return [*self.family.launch(2), "env", f"LD_PRELOAD={LIBRARY}", str(program), started,
                    go]

        environment = clean_environment(**self.family.environment, VFTR_LOGFILE_FOR_RANKS="all")
        with subprocess.Popen(command("first", "go"), cwd=folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            try:
                end = time.monotonic() + 30
                while not (folder / "first").exists() and time.monotonic() < end:
                    time.sleep(0.02)
                second = launch_mpi(self.family, command("second", "first"), 2,
                                    {"logfile_for_ranks": "all"}, folder=folder)
                texts = {name: (folder / name).read_text() for name in second.files()
                         if name.startswith("waits_for_file")}
                (folder / "go").touch()
                _, said = process.communicate(timeout=60)
            finally:
                (folder / "go").touch()
        self.assertEqual((second.status, process.returncode), (0, 0), second.stderr + said)
        self.assertEqual(sorted(texts), ["waits_for_file_" + end for end in
                                         ("0.log", "1.log", "all.json", "all.log")])
        self.assertEqual({name: (folder / name).read_text() for name in texts}, texts)
        ends = ["_" + path.name.rsplit("_", 1)[1] for path in folder.glob("waits_for_file_*_*")]
        self.assertEqual(sorted(ends), ["_0.log", "_1.log", "_all.json", "_all.log"])


class OpenMpiEnd(End, MpiTest):
    family = OPEN_MPI


class MpichEnd(End, MpiTest):
    family = MPICH


if __name__ == "__main__":
    unittest.main()
