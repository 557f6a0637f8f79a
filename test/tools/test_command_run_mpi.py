"""vftrace run and MPI: which of the two libraries a program gets, and how launchers pass it on."""
import shutil
import subprocess

import pytest

from command_support import CommandTest, command
from support import COMMAND, LIBRARY, compile_program, need, scratch_folder

pytestmark = pytest.mark.mpi

SERIAL = LIBRARY.with_name("libvftrace_serial.so")
ANNOTATIONS = LIBRARY.with_name("libvftrace_annotations.so")
FAMILIES = {"openmpi": ["--oversubscribe"], "mpich": []}


def shared_library(folder, soname, source, *needed):
    """A library that prints its name when it is loaded for real."""
    subprocess.run(["gcc", "-x", "c", "-", "-x", "none", "-shared", "-fPIC", *map(str, needed),
                    f"-Wl,-soname,{soname},-rpath,{folder}", "-o", folder / soname], check=True,
                   text=True, input=source + '\nint puts(const char *);\n'
                   f'__attribute__((constructor)) static void say(void) {{ puts("{soname}"); }}\n')
    return folder / soname


def program_with(*libraries, instrument=True, calls=None):
    """A program that is linked to these libraries and prints LD_PRELOAD."""
    flags = [] if calls is None else [f"-DCALLS={calls}"]
    link = [*libraries, *(f"-Wl,-rpath,{library.parent}" for library in libraries)]
    return compile_program("prints_preload.c", ("-O1", *flags), instrument=instrument, link=link)


# Without that of annotations.
ONE_LIBRARY = ("--option", "annotations.active=off")


class Library(CommandTest):
    def setUp(self):
        super().setUp()
        need("gcc")
        if not SERIAL.exists():
            self.skipTest("libvftrace_serial.so was not built")

    def library_of(self, *words, **variables):
        result = command("run", *ONE_LIBRARY, *words, **variables)
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result.stdout.splitlines()[-1]

    def test_program_without_mpi(self):
        self.assertEqual(self.library_of("--", program_with()), str(SERIAL))

    def test_program_linked_to_an_mpi(self):
        for soname in ("libmpi.so.40", "libmpi.so.12", "libmpich.so.12", "libmpi_abi.so.0",
                       "libmpi_mpifh.so.40", "libmpi_usempif08.so.40", "libmpichfort.so.12",
                       "libmpifort.so.12", "libmpi_cray.so.12", "libmpi_gnu_91.so.12"):
            with self.subTest(soname=soname):
                library = shared_library(scratch_folder(), soname, "void in_mpi(void) {}")
                result = command("run", *ONE_LIBRARY, "--", program_with(library, calls="in_mpi"))
                # Printed only once: determining which library is needed did not run the program.
                self.assertEqual(result.stdout.splitlines(), [soname, str(LIBRARY)])

    def test_libraries_with_similar_names(self):
        for soname in ("libmpir.so.23", "libmpc.so.3", "libmpiwhatever.so", "mylibmpi.so.1"):
            with self.subTest(soname=soname):
                library = shared_library(scratch_folder(), soname, "void in_mpi(void) {}")
                program = program_with(library, calls="in_mpi")
                self.assertEqual(self.library_of("--", program), str(SERIAL))

    def test_mpi_needed_by_another_library(self):
        folder = scratch_folder()
        mpi = shared_library(folder, "libmpi.so.40", "void in_mpi(void) {}")
        middle = shared_library(folder, "libsolver.so",
                                "void in_mpi(void);\nvoid solve(void) { in_mpi(); }", mpi)
        program = compile_program("prints_preload.c", ("-O1", "-DCALLS=solve"),
                                  link=[middle, f"-Wl,-rpath,{folder}"])
        self.assertEqual(self.library_of("--", program), str(LIBRARY))
        # The library is found as the loader finds it.
        moved = scratch_folder()
        unlinked = compile_program("prints_preload.c", ("-O1", "-DCALLS=solve"),
                                   link=[middle, f"-Wl,-rpath-link,{folder}"])
        for name in ("libmpi.so.40", "libsolver.so"):
            shutil.copy(folder / name, moved)
        self.assertEqual(self.library_of("--", unlinked, LD_LIBRARY_PATH=moved), str(LIBRARY))

    def test_library_that_is_missing(self):
        folder = scratch_folder()
        library = shared_library(folder, "liblost.so", "void lost(void) {}")
        program = program_with(library, calls="lost")
        library.unlink()
        result = command("run", *ONE_LIBRARY, "--", program)
        self.assertEqual((result.status, result.stdout), (127, ""))
        self.assertIn("liblost.so", result.stderr)

    def test_what_may_load_mpi_later(self):
        folder = scratch_folder()
        program = program_with()
        script = folder / "script"
        script.write_text("#!/bin/sh\necho $LD_PRELOAD\n")
        script.chmod(0o755)
        for words in ([script], ["sh", "-c", "echo $LD_PRELOAD"], ["env", program]):
            self.assertEqual(self.library_of("--", *words), str(LIBRARY))
        if shutil.which("perl"):
            self.assertEqual(self.library_of("--", "perl", "-e", 'print "$ENV{LD_PRELOAD}\\n"'),
                             str(LIBRARY))
        interpreter = shared_library(folder, "libpython3.99.so.1.0", "void python(void) {}")
        self.assertEqual(self.library_of("--", program_with(interpreter, calls="python")),
                         str(LIBRARY))

    def test_option(self):
        program = program_with()
        library = shared_library(scratch_folder(), "libmpi.so.40", "void in_mpi(void) {}")
        with_mpi = program_with(library, calls="in_mpi")
        for program in (program, with_mpi):
            self.assertEqual(self.library_of("--mpi", "yes", "--", program), str(LIBRARY))
            self.assertEqual(self.library_of("--mpi", "no", "--", program), str(SERIAL))
        self.assertEqual(self.library_of("--mpi=auto", "--", with_mpi), str(LIBRARY))
        self.fails("run", "--mpi", "maybe", "--", program, message="maybe")
        self.fails("run", "--mpi", "no", "--library", LIBRARY, "--", program,
                   message="--library or VFTRACE_LIBRARY already names one")
        self.assertEqual(self.library_of("--library", LIBRARY, "--", program), str(LIBRARY))

    def test_build_tree_without_the_serial_library(self):
        folder = scratch_folder()
        (folder / ".libs").mkdir()
        shutil.copy(COMMAND, folder)
        library = shutil.copy(LIBRARY, folder / ".libs" / "libvftrace.so")
        result = command(folder / "vftrace", "run", "--", program_with())
        self.assertEqual(result.stdout.strip(), str(library))
        result = command(folder / "vftrace", "run", "--mpi", "no", "--", program_with())
        self.assertEqual((result.status, result.stdout), (2, ""))
        self.assertIn("libvftrace_serial.so is not in", result.stderr)

    def test_program_linked_to_the_library_gets_no_second_copy(self):
        program = compile_program("regions.c")
        result = command("run", *ONE_LIBRARY, "--", program)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(result.files(), ["regions_all.json", "regions_all.log"])
        self.assertEqual(result.calls()["main<init"], 1)
        self.fails("run", "--mpi", "no", "--", program, message="is linked to libvftrace.so")

    def test_library_is_passed_on_once(self):
        program = program_with()
        self.assertEqual(self.library_of("--", COMMAND, "run", "--", "env", COMMAND, "run",
                                         program), str(SERIAL))
        other = shared_library(scratch_folder(), "libother.so", "void other(void) {}")
        result = command("run", *ONE_LIBRARY, "--", COMMAND, "run", "--", program,
                         LD_PRELOAD=f"{LIBRARY}  {other}:{SERIAL}")
        self.assertEqual(result.stdout.splitlines()[-1], f"{SERIAL}:{other}")

    def test_mpi_program_without_instrumentation_gets_a_message_about_the_contents(self):
        library = shared_library(scratch_folder(), "libmpi.so.40", "void in_mpi(void) {}")
        program = program_with(library, calls="in_mpi", instrument=False)
        result = command("run", *ONE_LIBRARY, "--", program)
        self.assertRegex(result.stderr, r"\Avftrace: .* does not have function hooks, so only MPI calls "
                                        r"and regions are recorded; .*vftrace-mpicc.*\n\Z")
        # Only one of many ranks prints the message.
        for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"):
            self.assertEqual(command("run", *ONE_LIBRARY, "--", program, **{name: 3}).stderr, "")
            self.assertNotEqual(command("run", *ONE_LIBRARY, "--", program, **{name: 0}).stderr, "")


class OpenMpiLauncher(CommandTest):
    """A stand-in for mpirun shows its arguments."""

    def launched(self, *words, version="mpirun (Open MPI) 5.0.1", **variables):
        folder = scratch_folder()
        launcher = folder / "mpirun"
        launcher.write_text("#!/bin/sh\n"
                            f'if [ "$1" = --version ]; then echo "{version}"; exit; fi\n'
                            'echo "list=$OMPI_MCA_mca_base_env_list"\n'
                            'for word; do printf "%s\\n" "$word"; done\n')
        launcher.chmod(0o755)
        result = command("run", "--option", "mpi.show_table=yes", "--", launcher, *words,
                         VFTR_OFF="no", VFTR_OVERHEAD_BUDGET=None, **variables)
        self.assertEqual((result.status, result.stderr), (0, ""))
        names, *arguments = result.stdout.splitlines()
        return names.removeprefix("list=").split(";"), arguments

    OURS = {"LD_PRELOAD", "VFTR_MPI_SHOW_TABLE", "VFTR_OFF", "CUDA_INJECTION64_PATH",
            "NVTX_INJECTION64_PATH", "ACC_PROFLIB", "INTEL_LIBITTNOTIFY64", "KOKKOS_TOOLS_LIBS", "VFTRACE_RUN"}
    WORDS = 2 * len(OURS)  # with -x before each

    def options(self, words):
        """The variables of a series of -x NAME."""
        self.assertEqual(set(words[0::2]), {"-x"})
        return set(words[1::2])

    def test_names_of_variables_in_its_parameter(self):
        words = ["-np", "2", "./a", "b c", ""]
        names, arguments = self.launched(*words)
        self.assertEqual((set(names), arguments), (self.OURS, words))

    def test_list_of_the_user_is_kept(self):
        names, arguments = self.launched("./a", OMPI_MCA_mca_base_env_list="HOME;A=1")
        self.assertEqual((names[:2], set(names[2:]), arguments), (["HOME", "A=1"], self.OURS,
                                                                  ["./a"]))
        names, arguments = self.launched("--mca", "mca_base_env_list", "A=1", "./a")
        self.assertEqual(names, [""])
        self.assertEqual(set(arguments[2].split(";")), {"A=1"} | self.OURS)
        self.assertEqual(arguments[:2] + arguments[3:], ["--mca", "mca_base_env_list", "./a"])

    def test_option_x_where_the_user_has_it(self):
        # mpirun refuses to take both.
        names, arguments = self.launched("-x", "HOME", "./a", ":", "-np", "1", "./b")
        self.assertEqual(names, [""])
        first, second = self.WORDS, self.WORDS + 4
        self.assertEqual(self.options(arguments[:first]), self.OURS)
        self.assertEqual(arguments[first:second], ["-x", "HOME", "./a", ":"])
        self.assertEqual(self.options(arguments[second:second + self.WORDS]), self.OURS)
        self.assertEqual(arguments[second + self.WORDS:], ["-np", "1", "./b"])

    def test_library_that_the_user_preloads(self):
        _, arguments = self.launched("-x", "LD_PRELOAD=/lib/other.so", "./a")
        others = self.WORDS - 2
        self.assertEqual(self.options(arguments[:others]), self.OURS - {"LD_PRELOAD"})
        self.assertEqual(arguments[others:], ["-x", f"LD_PRELOAD={LIBRARY}:{ANNOTATIONS}:/lib/other.so", "./a"])

    def test_other_launchers_are_left_alone(self):
        words = ["-x", "-n", "2", "./a"]
        self.assertEqual(self.launched(*words, version="HYDRA build details:"), ([""], words))


class RealLauncher(CommandTest):
    variables = {"OMPI_ALLOW_RUN_AS_ROOT": 1, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1}

    def families(self):
        """(launcher with options, program of that MPI) of every MPI that is installed."""
        found = [family for family in FAMILIES
                 if shutil.which(f"mpirun.{family}") and shutil.which(f"mpicc.{family}")]
        if not found:
            self.skipTest("no MPI is installed (under Debian's names)")
        for family in found:
            with self.subTest(family=family):
                yield ([f"mpirun.{family}", *FAMILIES[family], "-np", "2"],
                       compile_program("prints_preload.c", ("-O1", "-Wl,--no-as-needed"),
                                       compiler=f"mpicc.{family}"))

    def test_every_rank_gets_the_library_once(self):
        for launcher, program in self.families():
            for words in ([*launcher, program], [*launcher, COMMAND, "run", "--", program]):
                result = command("run", "--", *words, **self.variables)
                self.assertEqual((result.status, result.stdout), (0, f"{LIBRARY}:{ANNOTATIONS}\n" * 2),
                                 result.stderr)
            result = command("/usr/bin/env", *launcher, COMMAND, "run", "--", program,
                             **self.variables)
            self.assertEqual((result.status, result.stdout), (0, f"{LIBRARY}:{ANNOTATIONS}\n" * 2),
                             result.stderr)

    def test_wrong_configuration_is_reported_by_one_rank(self):
        for launcher, program in self.families():
            result = command("/usr/bin/env", *launcher, COMMAND, "run", "--option", "json=perhaps",
                             "--", program, VFTR_OFFF=1, **self.variables)
            self.assertEqual(result.status, 0, result.stderr)
            self.assertEqual(result.stderr.count('Did you mean "VFTR_OFF"?'), 1, result.stderr)
            self.assertEqual(result.stderr.count("--option json=perhaps is ignored"), 1)
            result = command("/usr/bin/env", *launcher, COMMAND, "run", "--option", "jsno=no",
                             "--", program, **self.variables)
            self.assertNotEqual(result.status, 0)
            self.assertEqual(result.stderr.count('did you mean "json"?'), 1, result.stderr)

    def test_options_reach_the_ranks_along_with_those_of_the_user(self):
        script = 'echo "$VFTR_MPI_SHOW_TABLE $SECRET"'
        for launcher, _ in self.families():
            extra = ["-x", "SECRET"] if "openmpi" in launcher[0] else []
            for more in ([], extra):
                result = command("run", "--option", "mpi.show_table=no", "--", *launcher, *more,
                                 "sh", "-c", script, SECRET="told", **self.variables)
                self.assertEqual((result.status, result.stdout), (0, "no told\n" * 2),
                                 result.stderr)


if __name__ == "__main__":
    import unittest
    unittest.main()
