"""vftrace run: the program behaves as it does alone, and programs that cannot be profiled are
reported."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import unittest

from command_support import HELLO, CommandTest, command
from support import (BUILD, COMMAND, LIBRARY, clean_environment, compile_program, need, run,
                     scratch_folder)


class Run(CommandTest):
    def setUp(self):
        super().setUp()
        self.program = compile_program("call_counts.c")

    def test_profiles_without_changing_the_output(self):
        result = command("run", "--", self.program)
        self.assertEqual((result.status, result.stdout, result.stderr), (3, HELLO, ""))
        self.assertEqual(result.calls()["leaf<mid<main<init"], 6)
        self.assertEqual(result.files(), ["call_counts_all.json", "call_counts_all.log"])

    def test_without_two_dashes(self):
        result = command("run", self.program)
        self.assertEqual((result.status, result.stdout), (3, HELLO))
        self.assertIn("main<init", result.calls())

    def test_arguments_are_passed_on_as_they_are(self):
        script = 'for word; do echo "[$word]"; done'
        given = ["--help", "", "two words", "--", "--option", "*", "-h"]
        for words in (["run", "--", "sh"], ["run", "sh"]):
            with self.subTest(words=words):
                result = command(*words, "-c", script, "name", *given)
                self.assertEqual(result.stdout.splitlines(), [f"[{word}]" for word in given])

    def test_status_of_the_program(self):
        for status in (0, 1, 2, 126, 127, 255):
            self.assertEqual(command("run", "--", "sh", "-c", f"exit {status}").status, status)

    def test_signals_end_the_program_as_without_vftrace(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT):
            result = command("run", "--", "sh", "-c", f"ulimit -c 0; kill -{int(number)} $$")
            self.assertEqual(result.status, -number)

    def test_program_has_our_process_id(self):
        process = subprocess.Popen([COMMAND, "run", "--", "sh", "-c", "echo $$"],
                                   cwd=scratch_folder(), env=clean_environment(),
                                   stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.communicate()[0], f"{process.pid}\n")

    def test_standard_input_reaches_the_program(self):
        folder = scratch_folder()
        (folder / "input").write_text("some text\n")
        with (folder / "input").open() as stdin:
            self.assertEqual(command("run", "--", "cat", stdin=stdin).stdout, "some text\n")

    def test_not_found_127_and_not_executable_126(self):
        folder = scratch_folder()
        (folder / "no_program").write_text("text")
        (folder / "lost_interpreter").write_text("#!/no/such/interpreter\n")
        (folder / "lost_interpreter").chmod(0o755)
        for program, status, message in (
                ("no_such_program_here", 127, "No such file or directory"),
                ("./nor_here", 127, "./nor_here: No such file or directory"),
                ("./lost_interpreter", 127, "No such file or directory"),
                ("./no_program", 126, "./no_program: Permission denied"),
                ("/", 126, "/: Permission denied")):
            with self.subTest(program=program):
                self.fails("run", "--", program, folder=folder, message=message, status=status)

    def test_status_is_a_shells_if_a_folder_of_path_is_unreadable(self):
        """127 if a folder in PATH may not be searched; 126 only for a file that exists."""
        folder = scratch_folder()
        for name in ("closed", "open", "has_folder"):
            (folder / name).mkdir()
        (folder / "closed" / "hidden").write_text("text")
        (folder / "open" / "a_text").write_text("text")
        (folder / "has_folder" / "a_folder").mkdir()
        (folder / "closed").chmod(0)
        self.addCleanup((folder / "closed").chmod, 0o755)
        folder.chmod(0o755)
        path = f"{folder}/closed:{folder}/open:{folder}/has_folder:/usr/bin:/bin"
        prefix = ordinary_user()
        for program, status, message in (
                ("no_such_program_here", 127, "no_such_program_here: No such file or directory"),
                ("hidden", 127, "hidden: No such file or directory"),
                ("a_folder", 127, "a_folder: No such file or directory"),
                ("a_text", 126, "a_text: Permission denied"),
                (f"{folder}/closed/hidden", 126, "Permission denied")):
            with self.subTest(program=program):
                shell = run([*prefix, shutil.which("bash") or "sh", "-c", '"$0"', program],
                            preload=False, PATH=path)
                ours = run([*prefix, COMMAND, "run", "--", program], preload=False, PATH=path)
                self.assertEqual((ours.status, ours.stdout), (status, ""))
                self.assertRegex(ours.stderr, r"\Avftrace: .*\n\Z")
                self.assertIn(message, ours.stderr)
                if shutil.which("bash"):
                    self.assertEqual(shell.status, status, shell.stderr)
        self.assertEqual(run([*prefix, COMMAND, "run", "--", "true"], preload=False,
                             PATH=path).status, 0)

    def test_found_in_path(self):
        result = command("run", "--", "call_counts", PATH=f"{self.program.parent}:/usr/bin:/bin")
        self.assertEqual((result.status, result.stderr), (3, ""))
        self.assertIn("call_counts_all.log", result.files())

    def test_looks_through_shells_scripts_and_launchers(self):
        folder = scratch_folder()
        scripts = {"with_interpreter": '#!/bin/sh\n"$1"\n', "without_interpreter": '"$1"\n'}
        for name, text in scripts.items():
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        launched = [["sh", "-c", '"$0"; exit $?'], ["env"], ["env", "A=b"], ["nice"],
                    ["timeout", "60"], ["sh", "-c", 'exec "$0"'],
                    *[[folder / name] for name in scripts]]
        if shutil.which("time"):
            launched.append(["time"])
        for launcher in launched:
            with self.subTest(launcher=launcher):
                result = command("run", "--", *launcher, self.program)
                self.assertEqual((result.status, result.stdout), (3, HELLO))
                self.assertNotIn("vftrace:", result.stderr)
                # The launcher itself wrote nothing, the program one log.
                self.assertEqual(result.files(), ["call_counts_all.json", "call_counts_all.log"])
                self.assertIn("leaf<mid<main<init", result.calls())

    def warns(self, program, *parts, runs=True):
        result = command("run", "--", program)
        lines = [line for line in result.stderr.splitlines() if line.startswith("vftrace: ")]
        self.assertEqual(len(lines), 1, result.stderr)
        for part in (str(program), *parts):
            self.assertIn(part, lines[0])
        if runs:
            self.assertEqual((result.status, result.stdout), (3, HELLO))
        self.assertEqual(result.files(), [])  # no logs with empty tables
        return result

    def test_program_without_hooks_is_reported(self):
        self.warns(compile_program("call_counts.c", instrument=False), "does not have function hooks",
                   "vftrace-cc")

    def test_static_program_is_reported(self):
        try:
            program = compile_program("call_counts.c", ("-O1", "-static"), output="static")
        except AssertionError:
            self.skipTest("programs cannot be linked statically here")
        self.warns(program, "linked statically", "without -static")

    def test_32_bit_program_is_reported(self):
        # Only the header is that of a 32-bit program, so the file cannot be run.
        program = scratch_folder() / "program32"
        content = bytearray(self.program.read_bytes())
        content[4] = 1   # ELFCLASS32
        content[18] = 3  # EM_386
        program.write_bytes(content)
        program.chmod(0o755)
        self.warns(program, "32-bit", "64 bits", runs=False)

    def test_32_bit_program_of_a_compiler(self):
        try:
            program = compile_program("call_counts.c", ("-O1", "-m32"), output="really32")
        except AssertionError:
            self.skipTest("the compiler cannot build 32-bit programs here")
        if run([program], preload=False).status != 3:
            self.skipTest("32-bit programs cannot be run here")
        self.warns(program, "32-bit")

    def test_setuid_program_is_reported(self):
        program = scratch_folder() / "other_rights"
        shutil.copy(self.program, program)
        try:
            os.chown(program, 65534 if os.geteuid() == 0 else 1, -1)
        except PermissionError:
            self.skipTest("only root can give files away")
        program.chmod(0o4755)
        if os.statvfs(program).f_flag & os.ST_NOSUID:
            self.skipTest("setuid has no effect in this file system")
        self.warns(program, "rights of another user", "copy")

    def test_program_that_links_the_library_causes_no_warning(self):
        program = compile_program("regions.c", instrument=False)
        result = command("run", "--", program)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertIn("first<init", " ".join(result.calls()))

    def test_hooks_in_a_library_of_the_program(self):
        need("gcc")
        from support import PROGRAMS
        folder = scratch_folder()
        subprocess.run(["gcc", "-shared", "-fPIC", "-finstrument-functions", "-DNAME=in_library",
                        PROGRAMS / "plugin.c", "-o", folder / "libinstrumented.so"], check=True)
        program = compile_program("uses_library.c", instrument=False,
                                  link=[folder / "libinstrumented.so", f"-Wl,-rpath,{folder}"])
        result = command("run", "--", program)
        self.assertEqual(result.stderr, "")
        self.assertIn("in_library", " ".join(result.calls()))

    def library_used(self, *options, **variables):
        script = "echo $LD_PRELOAD"
        result = command("run", *options, "--", "sh", "-c", script, **variables)
        self.assertEqual(result.status, 0, result.stderr)
        return result.stdout.strip()

    def test_library_of_the_build_tree_option_and_variable(self):
        annotations = LIBRARY.with_name("libvftrace_annotations.so")
        self.assertEqual(self.library_used(), f"{LIBRARY}:{annotations}")
        self.assertEqual(self.library_used("--option", "annotations.active=off"), str(LIBRARY))
        self.fails("run", "--library", shutil.copy(LIBRARY, scratch_folder() / "one.so"), "--option", "annotations.active=gptl",
                   "--", self.program, message="annotations.active = gptl: libvftrace_annotations.so is not in")
        folder = scratch_folder()
        one, two = (shutil.copy(LIBRARY, folder / name) for name in ("one.so", "two.so"))
        self.assertEqual(self.library_used("--library", one), str(one))
        self.assertEqual(self.library_used(VFTRACE_LIBRARY=two), str(two))
        self.assertEqual(self.library_used("--library", one, VFTRACE_LIBRARY=two), str(one))
        # A relative path is made absolute: the program may run elsewhere.
        self.assertEqual(self.library_used("--library", "one.so", folder=folder), str(one))

    def test_installed_command_finds_the_library_next_to_it(self):
        top = scratch_folder()
        (top / "bin").mkdir()
        (top / "lib").mkdir()
        program = subprocess.run(["file", "-b", "--mime-type", COMMAND], capture_output=True,
                                 text=True).stdout if shutil.which("file") else ""
        if "script" in program:
            self.skipTest("the command is a script of libtool")
        moved = shutil.copy(COMMAND, top / "bin" / "vftrace")
        library = shutil.copy(LIBRARY, top / "lib" / "libvftrace.so")
        result = run([moved, "run", "--", "sh", "-c", "echo $LD_PRELOAD"], preload=False)
        # Unless a library is installed at the prefix that this build was configured for.
        self.assertIn(result.stdout.strip().split("/")[-1], ("libvftrace.so", "libvftrace.so.0"))
        if not (prefix_library() and prefix_library().exists()):
            self.assertEqual(result.stdout.strip(), str(library))

    def test_missing_library(self):
        for options, variables in ((["--library", "/nope.so"], {}), ([],
                                   {"VFTRACE_LIBRARY": "/nope.so"})):
            self.fails("run", *options, "--", self.program, **variables,
                       message="/nope.so: no such library")

    def test_library_that_ld_preload_cannot_name(self):
        folder = scratch_folder() / "with blank"
        folder.mkdir()
        library = shutil.copy(LIBRARY, folder / "libvftrace.so")
        self.fails("run", "--library", library, "--", self.program, message="blank or a colon")

    def test_own_ld_preload_is_kept(self):
        environment = clean_environment(LD_PRELOAD="/lib/other.so:more.so")
        result = subprocess.run([COMMAND, "run", "--", "sh", "-c", "echo $LD_PRELOAD"], text=True,
                                capture_output=True, env=environment, cwd=scratch_folder())
        annotations = LIBRARY.with_name("libvftrace_annotations.so")
        self.assertEqual(result.stdout.strip(), f"{LIBRARY}:{annotations}:/lib/other.so:more.so")

    def test_option(self):
        result = command("run", "--option", "profile_table.show_callpath=true",
                         "--option", "outfile_basename=a=b", "--", self.program)
        self.assertEqual(result.files(), ["a=b_all.json", "a=b_all.log"])
        self.assertIn("Callpath", result.rows()[0])

    def test_wrong_option(self):
        self.fails("run", "--option", "callpath", "--", self.program,
                   message="--option callpath: must be of the form key=value")
        self.fails("run", "--option", "offf=1", "--", self.program,
                   message='"offf" is not an option; did you mean "off"?')
        self.fails("run", "--option", "outbufer_size=1", "--", self.program,
                   message='did you mean "sampling.outbuffer_size"?')

    def test_wrong_value_of_an_option_is_reported_once_and_ignored(self):
        for value, reason in (("json=perhaps", "json expects a boolean."),
                              ("sampling.outbuffer_size=0",
                               "0 is not a valid value for sampling.outbuffer_size"),
                              ("filter.exclude=(",
                               'Invalid Regular Expression "(" for filter.exclude')):
            for program in (self.program, compile_program("call_counts.c", instrument=False)):
                with self.subTest(value=value, program=program):
                    result = command("run", "--option", value, "--", program)
                    self.assertEqual((result.status, result.stdout), (3, HELLO))
                    self.assertEqual([line for line in result.stderr.splitlines()
                                      if "no hooks" not in line and "vftrace-cc" not in line],
                                     [f"vftrace: --option {value} is ignored: {reason}"])

    def test_trace_of_a_sampled_program(self):
        message = "vftrace: --trace with --sample: the trace has regions, MPI calls and similar, but not the samples\n"
        for options, expected in ((["--trace", "--sample"], 1), (["--sample"], 0), (["--trace"], 0)):
            with self.subTest(options=options):
                result = command("run", *options, "--", "true")
                self.assertEqual(result.status, 0)
                self.assertEqual(result.stderr.count(message), expected, result.stderr)

    def test_number_after_sample_is_not_a_program(self):
        self.fails("run", "--sample", "200", "--", self.program,
                   message='no program "200"; samples per second are given as --sample=200')
        self.fails("run", "--sample=much", "--", self.program,
                   message="--sample=much: must be a number of samples per second, above 0")

    def test_config(self):
        folder = scratch_folder()
        (folder / "my.json").write_text('{"outfile_basename": "named"}')
        result = command("run", "--config", "my.json", "--", "sh", "-c", f"cd /; {self.program}",
                         folder=folder, VFTR_OUTPUT_DIRECTORY=folder)
        self.assertIn("named_all.log", result.files())
        self.assertIn(f'Vftrace configuration read from "{folder}/my.json"', result.text())
        self.fails("run", "--config", "nope.json", "--", self.program,
                   message="nope.json: No such file or directory")

    def test_option_outranks_config(self):
        folder = scratch_folder()
        (folder / "my.json").write_text('{"outfile_basename": "from_file"}')
        result = command("run", "--config", "my.json", "--option", "outfile_basename=from_option",
                         "--", self.program, folder=folder)
        self.assertIn("from_option_all.log", result.files())

    def test_output_directory(self):
        folder = scratch_folder()
        (folder / "logs").mkdir()
        result = command("run", "--output-directory", "logs", "--", "sh", "-c",
                         f"cd /; {self.program}", folder=folder)
        self.assertEqual(result.stderr, "")
        self.assertTrue((folder / "logs" / "call_counts_all.log").exists())
        self.assertEqual(result.files(), ["logs"])
        self.fails("run", "--output-directory", "/nope/@auto", "--", self.program,
                   message="/nope: no such directory")

    def test_output_directory_that_is_missing(self):
        """It is made at the end, unless that is impossible."""
        folder = scratch_folder()
        result = command("run", "--output-directory", "new/logs", "--", self.program, folder=folder)
        self.assertEqual(result.stderr, "")
        self.assertEqual(sorted(path.name for path in (folder / "new" / "logs").iterdir()),
                         ["call_counts_all.json", "call_counts_all.log"])
        (folder / "file").write_text("")
        self.fails("run", "--output-directory", folder / "file" / "logs", "--", self.program,
                   message=f"cannot write files to {folder}/file/logs: Not a directory")

    def test_no_program_and_unknown_option(self):
        self.fails("run", message="no program given")
        self.fails("run", "--", message="no program given")
        self.fails("run", "--bogus", "--", self.program, message="unknown option --bogus")
        self.fails("run", "--smaple", "--", self.program,
                   message='unknown option --smaple; did you mean "--sample"? '
                           "(see vftrace run --help)")


def ordinary_user():
    """The prefix that runs a command as a user to whom permissions apply."""
    if os.geteuid() != 0:
        return []
    need("setpriv")
    prefix = [shutil.which("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"]
    if run([*prefix, COMMAND, "--version"], preload=False).status != 0:
        raise unittest.SkipTest("the build folder is closed to other users")
    return prefix


def prefix_library():
    """Where `make install` of this build puts the library."""
    found = re.search(r"^libdir='(.*)'$", (BUILD / "libvftrace.la").read_text(), re.M)
    return pathlib.Path(found[1]) / "libvftrace.so" if found and found[1] else None
