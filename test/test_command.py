"""The commands: vftrace run, report and config, and the two tools of Vftrace 2.0.

Each is used as a user would: what it prints, where, and its exit status."""
import json
import os
import re
import shutil
import signal
import subprocess
import unittest

from support import (BUILD, COMMAND, LIBRARY, SOURCE, ProgramTest, clean_environment,
                     compile_program, need, need_part, run, scratch_folder, table_rows)

CHECK_CONFIG = BUILD / "vftrace_check_config"
GENERATE_CONFIG = BUILD / "vftrace_generate_default_config"
HELLO = "3628800\n"  # what call_counts prints; it ends with status 3


def command(*arguments, **options):
    """Runs a tool; the library is not preloaded into it."""
    words = arguments if str(arguments[0]).startswith("/") else (COMMAND, *arguments)
    return run(words, preload=False, **options)


class CommandTest(ProgramTest):
    def setUp(self):
        need_part("BUILD_TOOLS")

    def fails(self, *arguments, message, status=2, **options):
        """The command prints nothing but one line on stderr and ends with the status."""
        result = command(*arguments, **options)
        self.assertEqual((result.status, result.stdout), (status, ""), result.stderr)
        self.assertRegex(result.stderr, r"\Avftrace: .*\n\Z")
        self.assertIn(message, result.stderr)
        return result


class Run(CommandTest):
    def setUp(self):
        super().setUp()
        self.program = compile_program("call_counts.c")

    def test_profiles_and_leaves_the_output_alone(self):
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

    def test_signals_end_the_program_as_ever(self):
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
        self.assertEqual(result.files(), [])  # never an empty table
        return result

    def test_program_without_hooks_is_told(self):
        self.warns(compile_program("call_counts.c", instrument=False), "no function hooks",
                   "vftrace-cc")

    def test_static_program_is_told(self):
        try:
            program = compile_program("call_counts.c", ("-O1", "-static"), output="static")
        except AssertionError:
            self.skipTest("programs cannot be linked statically here")
        self.warns(program, "linked statically", "without -static")

    def test_32_bit_program_is_told(self):
        # A header alone, so the file cannot be run.
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
            self.skipTest("the compiler makes no 32-bit programs here")
        if run([program], preload=False).status != 3:
            self.skipTest("32-bit programs cannot be run here")
        self.warns(program, "32-bit")

    def test_setuid_program_is_told(self):
        program = scratch_folder() / "other_rights"
        shutil.copy(self.program, program)
        try:
            os.chown(program, 65534, -1)
        except PermissionError:
            self.skipTest("only root can give files away")
        program.chmod(0o4755)
        if os.statvfs(program).f_flag & os.ST_NOSUID:
            self.skipTest("setuid has no effect in this file system")
        self.warns(program, "rights of another user", "copy")

    def test_program_that_links_the_library_is_no_case_for_a_warning(self):
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
        self.assertEqual(self.library_used(), str(LIBRARY))
        folder = scratch_folder()
        one, two = (shutil.copy(LIBRARY, folder / name) for name in ("one.so", "two.so"))
        self.assertEqual(self.library_used("--library", one), str(one))
        self.assertEqual(self.library_used(VFTRACE_LIBRARY=two), str(two))
        self.assertEqual(self.library_used("--library", one, VFTRACE_LIBRARY=two), str(one))
        # A relative path is made absolute: the program may run elsewhere.
        self.assertEqual(self.library_used("--library", "one.so", folder=folder), str(one))

    def test_installed_command_finds_the_library_beside_it(self):
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
        # Unless a library is installed where this build was configured for.
        self.assertIn(result.stdout.strip().split("/")[-1], ("libvftrace.so", "libvftrace.so.0"))
        if not (prefix_library() and prefix_library().exists()):
            self.assertEqual(result.stdout.strip(), str(library))

    def test_missing_library(self):
        for options, variables in ((["--library", "/nope.so"], {}), ([],
                                   {"VFTRACE_LIBRARY": "/nope.so"})):
            self.fails("run", *options, "--", self.program, **variables,
                       message="/nope.so: there is no such library")

    def test_library_that_ld_preload_cannot_name(self):
        folder = scratch_folder() / "with blank"
        folder.mkdir()
        library = shutil.copy(LIBRARY, folder / "libvftrace.so")
        self.fails("run", "--library", library, "--", self.program, message="blank or a colon")

    def test_own_ld_preload_is_kept(self):
        environment = clean_environment(LD_PRELOAD="/lib/other.so:more.so")
        result = subprocess.run([COMMAND, "run", "--", "sh", "-c", "echo $LD_PRELOAD"], text=True,
                                capture_output=True, env=environment, cwd=scratch_folder())
        self.assertEqual(result.stdout.strip(), f"{LIBRARY}:/lib/other.so:more.so")

    def test_option(self):
        result = command("run", "--option", "profile_table.show_callpath=true",
                         "--option", "outfile_basename=a=b", "--", self.program)
        self.assertEqual(result.files(), ["a=b_all.json", "a=b_all.log"])
        self.assertIn("Callpath", result.rows()[0])

    def test_wrong_option(self):
        self.fails("run", "--option", "callpath", "--", self.program,
                   message="--option callpath: must be of the form key=value")
        self.fails("run", "--option", "offf=1", "--", self.program,
                   message='there is no option "offf"')
        result = command("run", "--option", "json=perhaps", "--", self.program)
        self.assertEqual((result.status, result.stdout), (3, HELLO))
        self.assertIn("json expects a boolean", result.stderr)

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
        self.fails("run", "--output-directory", "/nope", "--", self.program,
                   message="/nope: there is no such directory")

    def test_no_program_and_unknown_option(self):
        self.fails("run", message="which program?")
        self.fails("run", "--", message="which program?")
        self.fails("run", "--bogus", "--", self.program, message="there is no option --bogus")


def prefix_library():
    """Where `make install` of this build puts the library."""
    import pathlib
    found = re.search(r"^libdir='(.*)'$", (BUILD / "libvftrace.la").read_text(), re.M)
    return pathlib.Path(found[1]) / "libvftrace.so" if found and found[1] else None


class Report(CommandTest):
    def setUp(self):
        super().setUp()
        result = run([compile_program("regions.c", ("-O1",))], preload=False,
                     VFTR_NAME_GROUPED_PROFILE_TABLE_SHOW_TABLE="yes",
                     VFTR_PROFILE_TABLE_SHOW_OVERHEAD="yes",
                     VFTR_PROFILE_TABLE_SHOW_CALLPATH="yes")
        self.log = result.text()
        self.json = result.folder / "regions_all.json"
        self.nodes = result.profile()["nodes"]

    def report(self, *options):
        result = command("report", self.json, *options)
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result.stdout

    def test_prints_the_tables_of_the_log(self):
        printed = self.report("--callpath", "--overhead", "--stacks")
        log = re.sub(r"Runtime profile \(Grouped.*?\n\n", "", self.log, flags=re.S)
        log = log[:log.index("\nVftrace configuration set by")]
        self.assertEqual(printed.rstrip("\n"), log.rstrip("\n"))
        grouped = self.report("--group", "name")
        self.assertEqual(table_rows(grouped, "Runtime profile (Grouped by function name)"),
                         table_rows(self.log, "Runtime profile (Grouped by function name)"))

    def test_plain(self):
        printed = self.report()
        self.assertIn("Runtime profile\n", printed)
        for part in ("Global call stacks", "Callpath", "overhead[s]", "configuration", "Grouped"):
            self.assertNotIn(part, printed)
        self.assertIn("overhead[s]", self.report("--overhead"))
        self.assertIn("Callpath", self.report("--callpath"))
        self.assertIn("Global call stacks:", self.report("--stacks"))

    def test_sort(self):
        by_stid = {node["stid"]: node for node in self.nodes}
        for column, key in (("time_excl", "exclusive_ns"), ("time_incl", "inclusive_ns"),
                            ("calls", "calls"), ("stack_id", "stid"), ("overhead", "overhead_ns")):
            for ascending in ([], ["--ascending"]):
                with self.subTest(column=column, ascending=bool(ascending)):
                    # A name may look like columns, so only the last one is read.
                    printed = self.report("--sort", column, *ascending)
                    values = [by_stid[int(stid)][key]
                              for stid in re.findall(r"(\d+) \|$", printed, re.M)]
                    self.assertEqual(len(values), len(self.nodes))
                    self.assertEqual(values, sorted(values, reverse=not ascending))

    def test_sort_groups(self):
        rows = table_rows(self.report("--group", "name", "--sort", "calls", "--ascending"),
                          "Runtime profile (Grouped by function name)")
        calls = [int(row["Calls"]) for row in rows]
        self.assertEqual(calls, sorted(calls))
        self.assertEqual({row["Function"]: row["Calls"] for row in rows}["work"], "6")

    def test_limit(self):
        printed = self.report("--limit", "2")
        self.assertEqual(len(table_rows(printed, "Runtime profile")), 2)
        self.assertIn(f"({len(self.nodes) - 2} more rows)\n", printed)
        self.assertNotIn("more rows", self.report("--limit", len(self.nodes)))

    def test_full_names(self):
        self.assertNotIn("x" * 10000, self.report())
        self.assertIn("x" * 10000, self.report("--full-names"))

    def test_wrong_arguments(self):
        file = self.json
        for arguments, message in (
                ([], "FILE is required (see vftrace report --help)"),
                ([file, "another"], "another"), ([file, "--sort", "speed"], "time_excl"),
                ([file, "--sort"], "--sort"), ([file, "--group", "caller"], "caller"),
                ([file, "--limit", "0"], '"0" is no number of rows (1 or more)'),
                ([file, "--limit", "-1"], "--limit"), ([file, "--limit", "x"], '"x" is no number'),
                ([file, "--group", "name", "--callpath"], "no meaning with --group name"),
                ([file, "--group", "name", "--sort", "overhead"], "no overhead to sort by"),
                ([file, "--bogus"], "--bogus")):
            with self.subTest(arguments=arguments):
                self.fails("report", *arguments, message=message)

    def test_no_such_file(self):
        self.fails("report", "/nope.json", message="/nope.json: No such file or directory")
        self.fails("report", "/", message="/: Is a directory")
        self.fails("report", COMMAND, message="no valid JSON")

    def hostile(self, content):
        path = scratch_folder() / "hostile.json"
        path.write_bytes(content)
        self.fails("report", path, "--stacks", message=str(path))

    def test_truncated(self):
        content = self.json.read_bytes().rstrip()
        for length in range(0, len(content), max(1, len(content) // 60)):
            with self.subTest(length=length):
                self.hostile(content[:length])

    def test_more_than_one_document(self):
        self.hostile(self.json.read_bytes() * 2)
        self.hostile(self.json.read_bytes() + b"x")

    def test_not_a_profile(self):
        for content in (b"{}", b"[]", b"null", b"1", b'""', b"\0", b"\xff\xfe", b"[" * 1000000,
                        b'{"a":' * 100000, b'{"format": "vftrace-profile", "version": 2}',
                        b'{"format": "vftrace-profile", "version": 1}'):
            with self.subTest(content=content[:60]):
                self.hostile(content)

    def test_wrong_values(self):
        def change(edit):
            profile = json.loads(self.json.read_text())
            edit(profile)
            return json.dumps(profile).encode()

        def node(key, value):
            return lambda profile: profile["nodes"][1].update({key: value})
        edits = {
            "parent behind the child": node("parent", 5), "own parent": node("parent", 1),
            "negative parent": node("parent", -1), "parent is text": node("parent", "main"),
            "no such function": node("function", 10 ** 6), "half a call": node("calls", 0.5),
            "too many calls": node("calls", 2 ** 64), "huge number": node("calls", 1e300),
            "no stid": lambda profile: profile["nodes"][1].pop("stid"),
            "no nodes": lambda profile: profile.pop("nodes"),
            "nodes are an object": lambda profile: profile.update(nodes={}),
            "run is null": lambda profile: profile.update(run=None),
            "unknown kind": lambda profile: profile["functions"][1].update(kind="god"),
            "no such module": lambda profile: profile["functions"][1].update(module=77),
            "another format": lambda profile: profile.update(format="other")}
        for name, edit in edits.items():
            with self.subTest(name):
                self.hostile(change(edit))

    def test_names_cannot_control_the_terminal(self):
        profile = json.loads(self.json.read_text())
        profile["functions"][1]["display"] = "\x1b[2J\n\r\x07evil"
        profile["run"]["application"] = "\x1b]0;evil\x07"
        path = scratch_folder() / "names.json"
        path.write_text(json.dumps(profile))
        result = command("report", path, "--stacks", "--callpath")
        self.assertEqual(result.status, 0, result.stderr)
        self.assertNotRegex(result.stdout, r"[\x00-\x09\x0b-\x1f\x7f]")

    def test_integers_beyond_a_double(self):
        profile = json.loads(self.json.read_text())
        profile["nodes"][1]["calls"] = 2 ** 53 + 1
        path = scratch_folder() / "large.json"
        path.write_text(json.dumps(profile))
        self.assertIn(f" {2 ** 53 + 1} ", command("report", path).stdout)

    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            for arguments in (["report", self.json], ["config", "doc"], ["--version"]):
                result = subprocess.run([COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE,
                                        text=True)
                self.assertEqual(result.returncode, 2, arguments)
                self.assertRegex(result.stderr, r"\Avftrace: .*No space left on device\n\Z")


class Config(CommandTest):
    def file(self, content):
        path = scratch_folder() / "checked.json"
        path.write_text(content)
        return path

    def test_default_is_json_and_accepted(self):
        result = command("config", "default")
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(json.loads(result.stdout)["profile_table"]["sort_table"]["column"],
                         "time_excl")
        path = self.file(result.stdout)
        checked = command("config", "check", path)
        self.assertEqual((checked.status, checked.stdout, checked.stderr),
                         (0, f"{path}: no errors\n", ""))

    def test_compatible_default_has_the_keys_of_vftrace_2_in_their_order(self):
        # What the other tool prints, and what Vftrace 2.0 printed but for demangle_cxx.
        printed = command("config", "default", "--compatible").stdout
        self.assertEqual(printed, run([GENERATE_CONFIG], preload=False).stdout)
        self.assertEqual(list(json.loads(printed)), [
            "off", "output_directory", "outfile_basename", "logfile_for_ranks", "print_config",
            "strip_module_names", "demangle_cxx", "include_cxx_prelude", "profile_table",
            "stacklist", "name_grouped_profile_table", "sampling", "mpi", "cuda", "hwprof"])
        self.assertEqual(list(json.loads(printed)["profile_table"]), [
            "show_table", "show_calltime_imbalances", "show_callpath", "show_overhead",
            "show_minmax_summary", "sort_table"])
        self.assertIn('\n      "sample_interval": 0.005000,\n', printed)
        self.assertTrue(printed.endswith('      "counters": [\n      ],\n'
                                         '      "observables": [\n      ]\n   }\n}\n'))

    def test_every_option_of_the_whole_default_is_documented(self):
        documentation = command("config", "doc").stdout

        def variables(section, prefix="VFTR"):
            for key, value in section.items():
                if isinstance(value, dict):
                    yield from variables(value, f"{prefix}_{key.upper()}")
                else:
                    yield f"{prefix}_{key.upper()}"
        for variable in variables(json.loads(command("config", "default").stdout)):
            self.assertIn(f"`{variable}`", documentation)

    def test_documentation_is_up_to_date(self):
        self.assertEqual((SOURCE / "doc" / "options.md").read_text(),
                         command("config", "doc").stdout,
                         "run: vftrace config doc > doc/options.md")

    def test_check(self):
        for content, status, message in (
                ("{}", 0, ""), ('{"profile_table": {"show_callpath": true}}', 0, ""),
                ('{"offf": true}', 1, 'Did you mean "off"?'),
                ('{"print_config": 3}', 1, "print_config expects a boolean."),
                ('{"logfile_for_ranks": "3-1"}', 1, "logfile_for_ranks"),
                ('{"sampling": {"precise_functions": "("}}', 1, "Invalid Regular Expression"),
                ('{"off": fals}', 1, "Parsing failed in line 1"), ("", 1, ""), ("[]", 1, "")):
            with self.subTest(content=content):
                path = self.file(content)
                result = command("config", "check", path)
                self.assertEqual(result.status, status, result.stderr)
                self.assertIn(message, result.stderr)
                self.assertEqual(bool(result.stderr), status != 0)
                self.assertEqual(result.stdout, "" if status else f"{path}: no errors\n")

    def test_check_does_not_look_at_the_environment(self):
        self.assertEqual(command("config", "check", self.file("{}"), VFTR_OFFF="1",
                                 VFTR_JSON="perhaps").stderr, "")

    def test_wrong_arguments(self):
        self.fails("config", message="see vftrace config --help")
        self.fails("config", "check", message="FILE is required (see vftrace config check --help)")
        self.fails("config", "check", "/nope.json", message="/nope.json: No such file or directory")
        self.fails("config", "bogus",
                   message='there is no command "vftrace config bogus" (see vftrace config --help)')
        self.fails("config", "doc", "more", message="more")


class OldTools(CommandTest):
    """vftrace_generate_default_config and vftrace_check_config, for scripts that call them."""

    def check(self, content):
        path = scratch_folder() / "checked.json"
        path.write_text(content)
        result = run([CHECK_CONFIG, path], preload=False)
        result.complete = f"Checking of config file {path} is complete\n"
        return result

    def test_generate_default_config(self):
        result = run([GENERATE_CONFIG], preload=False)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith('{\n   "off": false,\n'
                                                 '   "output_directory": ".",\n'))
        checked = self.check(result.stdout)
        self.assertEqual((checked.status, checked.stdout), (0, checked.complete))

    def test_check_config(self):
        good = self.check('{"off": true}')
        self.assertEqual((good.status, good.stdout, good.stderr), (0, good.complete, ""))

    def test_typos_are_told_but_are_no_failure(self):
        typo = self.check('{"offf": true}')
        self.assertEqual((typo.status, typo.stdout), (0, typo.complete))
        self.assertEqual(typo.stderr, 'Warning: "offf" is not a valid vftrace option.\n'
                                      '         Did you mean "off"?\n')

    def test_errors_have_an_ordinary_status(self):
        wrong = self.check('{"print_config": 3}')
        self.assertEqual((wrong.status, wrong.stdout), (1, ""))
        self.assertIn("print_config expects a boolean.", wrong.stderr)

    def test_malformed_file_is_shown_with_the_place(self):
        malformed = self.check('{\n"off": fals\n}\n')
        self.assertEqual((malformed.status, malformed.stdout), (1, ""))
        lines = malformed.stderr.splitlines()
        self.assertEqual(lines[:2], ["Could not parse vftrace config file.",
                                     "Parsing failed in line 2"])
        self.assertIn(" " * 16 + "<= Parsing error occoured here", malformed.stderr)

    def test_missing_file_and_usage(self):
        missing = run([CHECK_CONFIG, "/nope.json"], preload=False)
        self.assertEqual((missing.status, missing.stdout), (1, ""))
        self.assertIn("/nope.json", missing.stderr)
        for arguments in ([], ["a", "b"]):
            result = run([CHECK_CONFIG, *arguments], preload=False)
            self.assertEqual((result.status, result.stdout), (1, ""))
            self.assertIn("Usage: vftrace_check_config", result.stderr)


class HelpAndVersion(CommandTest):
    def test_version(self):
        for words in ([COMMAND], [CHECK_CONFIG], [GENERATE_CONFIG]):
            result = run([*words, "--version"], preload=False)
            self.assertEqual((result.status, result.stderr), (0, ""))
            self.assertRegex(result.stdout, r"\Avftrace \d+\.\d+\.\d+\n\Z")

    def test_help(self):
        for words, parts in (
                ([COMMAND], ["run", "report", "config", "Examples:", "Exit status"]),
                ([COMMAND, "run"], ["--config", "--option", "--library", "-- PROGRAM"]),
                ([COMMAND, "report"], ["--sort", "--group", "--limit", "FILE"]),
                ([COMMAND, "config"], ["default", "check", "doc"]),
                ([COMMAND, "config", "default"], ["--compatible"]),
                ([COMMAND, "config", "check"], ["FILE"]),
                ([COMMAND, "config", "doc"], ["Markdown"]),
                ([CHECK_CONFIG], ["Usage"]), ([GENERATE_CONFIG], ["Usage"])):
            with self.subTest(words=words):
                result = run([*words, "--help"], preload=False)
                self.assertEqual((result.status, result.stderr), (0, ""))
                for part in parts:
                    self.assertIn(part, result.stdout)

    def test_every_command_and_option_is_in_the_man_page(self):
        page = (SOURCE / "doc" / "man" / "vftrace.1").read_text().replace("\\-", "-")
        for words in (["run"], ["report"], ["config"], ["config", "default"]):
            printed = run([COMMAND, *words, "--help"], preload=False).stdout
            for option in set(re.findall(r"--[a-z][a-z-]+", printed)) - {"--help"}:
                self.assertIn(option, page)

    def test_unknown_command(self):
        self.fails("nonsense", message='there is no command "vftrace nonsense"')
        self.fails("--bogus", message="vftrace --help")
        result = run([COMMAND], preload=False)
        self.assertEqual((result.status, result.stdout), (2, ""))


if __name__ == "__main__":
    unittest.main()
