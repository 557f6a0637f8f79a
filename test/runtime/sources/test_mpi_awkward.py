"""Programs that use MPI in ways that are allowed but rare: calls that are left by a jump, wrong
arguments, recording switched off half-way, libraries that come late or are unknown. They behave as
they do alone, and the profile has the messages that were really sent."""
import subprocess
import unittest

from mpi_support import LINKED, MPICH, OPEN_MPI, PROGRAMS, MpiTest, compile_mpi, run_mpi
from support import COMMAND, clean_environment, need, need_part, scratch_folder, Result


class Awkward:
    """For each family."""

    def check(self, name, ranks, **options):
        result = self.profile(name, ranks, **options)
        self.assertEqual(result.status, 0, result.stderr)
        self.check_messages(result)
        return result

    def check_left_calls(self, name):
        result = self.check(name, 2)
        self.assertIn("left 300 calls", result.reported()[0])
        self.assertIn("left 0 calls", result.reported()[1])

    def test_calls_that_an_error_handler_leaves_by_longjmp(self):
        self.check_left_calls("left_by_jump.c")

    def test_calls_that_an_error_handler_leaves_by_an_exception(self):
        self.check_left_calls("left_by_throw.cpp")

    def test_show_sync_time_while_one_rank_is_paused(self):
        result = self.check("paused_rank.c", 3, config={"mpi.show_sync_time": "yes"})
        self.assertIn("value 42, sum 126", result.reported()[2])

    def test_operations_that_are_partly_recorded(self):
        self.check("recording_off.c", 3)

    def test_status_of_a_request_that_is_freed_then(self):
        self.check("status_then_free.c", 2)

    def test_communicator_freed_in_a_callback(self):
        self.check("freed_in_callback.c", 3)

    def test_wrong_requests(self):
        result = self.check("wrong_requests.c", 2, arguments=[self.survived])
        lines = result.reported()[0].splitlines()
        refused = [line for line in lines if ": class " in line]
        self.assertEqual(len(refused), len(self.survived) + 4, lines)
        self.assertEqual([line for line in refused if line.endswith("class 0")], [])

    def test_floating_point_exceptions(self):
        reported = self.check("floating_point.c", 1, flags=("-Wl,--no-as-needed", "-lm")).reported()[0]
        self.assertIn("exceptions 0\nnot trapped", reported)

    def late_library(self):
        """The run of a plugin that is linked with the library and loaded after another plugin has started MPI."""
        def plugin(how, output):
            return compile_mpi(self.family, "late_plugin.c", instrument=how == LINKED, how=how,
                               flags=("-fPIC", "-shared"), output=output)

        first, late = plugin(None, "first.so"), plugin(None, "late.so")
        host = scratch_folder() / "late_host"
        subprocess.run(["gcc", "-w", PROGRAMS / "late_host.c", "-o", host, "-ldl"], check=True)
        alone = run_mpi(self.family, host, 2, arguments=[first, late])
        self.assertEqual(alone.status, 0, alone.stdout + alone.stderr)
        result = run_mpi(self.family, host, 2, LINKED, arguments=[first, plugin(LINKED, "late.so")])
        self.assertEqual((result.status, result.stdout, result.reported()),
                         (alone.status, alone.stdout, alone.reported()), result.stderr)
        return result

    def test_linkers_that_leave_out_what_is_not_needed(self):
        """The library has the functions of MPI too, but the linker must not use it instead of MPI."""
        need("readelf")
        for instrument in (True, False):
            program = compile_mpi(self.family, "pcontrol.c", instrument, LINKED)
            dynamic = subprocess.run(["readelf", "-d", program], capture_output=True, text=True,
                                     env=clean_environment(LC_ALL="C"), check=True).stdout
            needed = [line.split("[")[1].rstrip("]") for line in dynamic.splitlines()
                      if "(NEEDED)" in line]
            for library in ("libvftrace.so", *self.libraries):
                self.assertTrue([name for name in needed if name.startswith(library)],
                                f"{library} of {needed}, instrument: {instrument}")
            self.check("pcontrol.c", 2, instrument=instrument, how=LINKED)


class OpenMpiAwkward(Awkward, MpiTest):
    family = OPEN_MPI
    libraries = ["libmpi.so"]
    survived = "abefghijklnopqrs"  # from the cases of wrong_requests.c

    def test_communicator_freed_while_another_thread_receives(self):
        """MPICH 4.0 waits forever in this program, also without vftrace."""
        self.check("freed_by_thread.c", 1)

    def test_library_that_comes_after_the_start_of_mpi(self):
        """By then this MPI has made its functions global, and all later calls reach them."""
        self.assertRegex("\n".join(self.late_library().warnings()), "-lvftrace before")


class MpichAwkward(Awkward, MpiTest):
    family = MPICH
    libraries = ["libmpich.so"]
    survived = "abcdefghijklmnopqrst"

    def test_library_that_comes_after_the_start_of_mpi(self):
        result = self.late_library()
        self.assertEqual(result.warnings(), [])
        self.check_messages(result)


class UnknownMpi(unittest.TestCase):
    """An unknown MPI library."""

    def test_only_times_are_recorded(self):
        need("gcc")
        need_part("BUILD_TOOLS")
        folder = scratch_folder()
        library, program = folder / "libunknown_mpi.so", folder / "uses_unknown_mpi"
        subprocess.run(["gcc", "-w", "-shared", "-fPIC", PROGRAMS / "unknown_mpi.c", "-o", library],
                       check=True)
        subprocess.run(["gcc", "-w", "-finstrument-functions", PROGRAMS / "uses_unknown_mpi.c",
                        "-o", program, library], check=True)

        def run(*command):
            process = subprocess.run([*command, program], cwd=folder, env=clean_environment(),
                                     capture_output=True, text=True, timeout=60)
            return Result(process, folder)

        alone, result = run(), run(COMMAND, "run", "--mpi", "yes", "--")
        self.assertEqual((result.status, result.stdout, alone.stderr),
                         (alone.status, alone.stdout, ""))
        messages = result.stderr.splitlines()
        self.assertEqual(len(messages), 1, messages)
        self.assertRegex(messages[0], "libunknown_mpi.so is an unknown MPI library")
        paths = {path.split("<")[0]: node for path, node in result.paths().items()}
        self.assertEqual(paths["MPI_Send"]["calls"], 10000)
        # The function returns at once: all its time may be that of the wrapper.
        self.assertGreater(paths["MPI_Send"]["inclusive_ns"] + paths["MPI_Send"]["overhead_ns"], 0)
        self.assertNotIn("messages", paths["MPI_Send"])


if __name__ == "__main__":
    unittest.main()
