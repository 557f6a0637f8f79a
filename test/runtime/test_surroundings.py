"""Programs and environments that break profilers: each run behaves as it does alone."""

import shutil
import subprocess

import pytest

from support import (LIBRARY, PROGRAMS, ProgramTest, clean_environment,
                     compile_program, need, run, scratch_folder)


class Streams(ProgramTest):
    def test_all_descriptors_closed_and_reused(self):
        program = compile_program("closes_descriptors.c", ("-O1",))
        folder = scratch_folder()
        result = run([program], folder=folder)
        self.assertEqual(result.status, 4)
        # Our warning about the region must not land in the program's file.
        self.assertEqual((folder / "own_data").read_text(), "data\n")
        self.assertEqual(result.calls(), {"init": 0, "main<init": 1, "work<main<init": 1})

    def test_started_without_stderr(self):
        program = compile_program("call_counts.c")
        folder = scratch_folder()
        status = subprocess.run(["sh", "-c", 'exec "$0" 0<&- 1>&- 2>&-', program], cwd=folder,
                                env=clean_environment(LD_PRELOAD=LIBRARY, VFTR_OFFF="1"))
        self.assertEqual(status.returncode, 3)
        self.assertIn("leaf", (folder / "call_counts_all.log").read_text())
        self.assertEqual((folder / "call_counts_all.log").read_text()[:8], "vftrace ")

    def test_decimal_comma(self):
        need("localedef")
        locales = scratch_folder()
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", locales / "de_DE.UTF-8"],
                              capture_output=True, text=True)
        if not (locales / "de_DE.UTF-8" / "LC_NUMERIC").exists():
            self.skipTest(made.stderr)
        result = run([compile_program("decimal_comma.c")], LOCPATH=locales,
                     config={"sampling": {"sample_interval": 0.25}})
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "1,5\n", ""))
        log = result.text()
        self.assertIn('"sample_interval": 0.250000', log)
        self.assertNotRegex(log, r"\d,\d")
        self.assertGreater(result.paths()["work<main<init"]["inclusive_ns"], 9e6)

    def test_floating_point_traps(self):
        result = self.profile(compile_program("floating_point_traps.c", link=["-lm"]))
        self.assertIn("work<main<init", result.calls())


class Allocators(ProgramTest):
    def test_malloc_that_cannot_be_used_before_main(self):
        """maxima used to crash: its first image, which only executes the second one, has no heap yet."""
        need("objcopy")
        linked = compile_program("dumped_program.c", ("-O1", "-no-pie", "-fno-builtin"), instrument=False)
        program = scratch_folder() / "dumped"
        subprocess.run(["objcopy", "--set-section-flags", ".bss=alloc,load,contents", linked, program], check=True)
        alone = run([program, "a"], preload=False)
        if alone.status != 5:
            self.skipTest("addresses cannot be made to stay")
        self.assertEqual(alone.stdout, "2 arguments\n")
        for variables in ({}, {"VFTR_STACK_SAMPLING_FREQUENCY": "1000"}):
            with_us = run([program, "a"], **variables)
            self.assertEqual((with_us.status, with_us.stdout, with_us.stderr), (5, alone.stdout, ""))

    def test_own_instrumented_malloc(self):
        calls = self.profile(compile_program("own_malloc.c")).calls()
        self.assertGreaterEqual(calls["malloc<main<init"], 1)
        self.assertEqual(calls["free<main<init"], 1)

    def test_little_address_space(self):
        program = compile_program("call_counts.c")
        folder = scratch_folder()
        status = subprocess.run(["sh", "-c", 'ulimit -v 40000; exec "$0"', program], cwd=folder,
                                env=clean_environment(LD_PRELOAD=LIBRARY), capture_output=True)
        self.assertEqual((status.returncode, status.stdout), (3, b"3628800\n"))
        self.assertIn("leaf", (folder / "call_counts_all.log").read_text())


class Plugins(ProgramTest):
    def plugin(self, name, *flags):
        need("gcc")
        target = scratch_folder() / f"{name}.so"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-finstrument-functions",
                        f"-DNAME={name}", *flags, PROGRAMS / "plugin.c", "-o", target], check=True)
        return target

    def test_names_of_plugins_loaded_in_turn(self):
        # Both have the same size, so the second is loaded where the first one was.
        one, two = self.plugin("plugin_one"), self.plugin("plugin_two")
        program = compile_program("dlopen_plugins.c")
        result = self.profile([program, "50", one, two])
        calls = result.calls()
        self.assertEqual(calls["plugin_one<call<use<main<init"], 50)
        self.assertEqual(calls["plugin_two<call<use<main<init"], 50)
        self.assertEqual(len(result.profile()["nodes"]), 7)

    def test_repeated_opening_and_closing_takes_no_memory(self):
        one, two = self.plugin("plugin_one"), self.plugin("plugin_two")
        program = compile_program("dlopen_plugins.c")
        few = run([program, "10", one, two]).profile()["run"]["memory_bytes"]
        many = run([program, "2000", one, two]).profile()["run"]["memory_bytes"]
        # Calls of other lengths have rows of their own (record/latencies.hpp); 2,000 paths would take 250 KiB.
        self.assertLess(abs(many - few), 10_000)

    def test_filter_that_matches_only_a_plugin_is_reported(self):
        stays = self.plugin("plugin_one", "-Wl,-z,nodelete")
        result = run([compile_program("dlopen_plugins.c"), "3", stays],
                     VFTR_FILTER_EXCLUDE="^plugin_one$")
        self.assertEqual(result.calls()["plugin_one<call<use<main<init"], 3)
        self.assertEqual(result.stderr, 'vftrace: filter.exclude: "^plugin_one$" matches only '
                         "functions of libraries that dlopen_plugins opened later, which were "
                         "recorded anyway\n")

    @pytest.mark.timing
    def test_library_that_stays_after_dlclose(self):
        one = self.plugin("plugin_one")
        paths = self.profile([compile_program("close_in_plugin.c"), one]).paths()
        node = paths["close_below<main<init"]
        self.assertEqual((node["calls"], node.get("flags", [])), (1, []))
        self.assertLess(node["inclusive_ns"], 20e6)

    def test_file_replaced_while_loaded(self):
        for rubbish in ("", "\x7fELF", "no library at all"):
            with self.subTest(rubbish=rubbish):
                one = self.plugin("plugin_one")
                copy = shutil.copy(one, scratch_folder() / "copy.so")
                program = compile_program("unlinked_plugin.c")
                result = run([program, copy, rubbish])
                self.assertEqual((result.status, result.stdout), (0, "2\n"))
                self.assertEqual(sorted(result.calls().values()), [0, 1, 1, 1])

    def test_instrumented_library_of_the_link_line(self):
        library = self.plugin("plugin_one", "-Wl,-soname,libneeded.so")
        needed = library.with_name("libneeded.so")
        library.rename(needed)
        program = compile_program("uses_library.c", link=[needed, f"-Wl,-rpath,{needed.parent}"])
        self.assertEqual(self.profile(program).calls(), {
            "init": 0, "main<init": 1, "call<main<init": 3, "plugin_one<call<main<init": 3})


class OutputFiles(ProgramTest):
    def test_directory_that_does_not_exist(self):
        """The directory cannot be created either."""
        result = run([compile_program("call_counts.c")], VFTR_OUTPUT_DIRECTORY="/etc/passwd/x")
        self.assertEqual(result.status, 3)
        self.assertIn("/etc/passwd/x: Not a directory", result.stderr)
        self.assertIn("leaf<mid<main<init", result.calls())

    def test_directory_that_is_a_file(self):
        result = run([compile_program("call_counts.c")], VFTR_OUTPUT_DIRECTORY="/etc/passwd")
        self.assertIn("/etc/passwd is not a valid directory", result.stderr)
        self.assertIn("leaf<mid<main<init", result.calls())

    def test_other_directory_and_name(self):
        folder = scratch_folder()
        (folder / "logs").mkdir()
        run([compile_program("call_counts.c")], folder=folder, VFTR_OUTPUT_DIRECTORY="logs",
            VFTR_OUTFILE_BASENAME="other")
        self.assertEqual(sorted(path.name for path in (folder / "logs").iterdir()),
                         ["other_all.json", "other_all.log"])

    def test_full_disk(self):
        folder = scratch_folder()
        for suffix in ("log", "json"):
            (folder / f"call_counts_all.{suffix}").symlink_to("/dev/full")
        result = run([compile_program("call_counts.c")], folder=folder)
        self.assertEqual((result.status, result.stdout), (3, "3628800\n"))
        self.assertRegex(result.stderr, r"\Avftrace: cannot write .*call_counts_all\.log: "
                                        r"No space left on device; the profile is in \S+; make it "
                                        r"readable with: vftrace recover .*\n\Z")

    def test_one_file_that_cannot_be_written(self):
        folder = scratch_folder()
        (folder / "call_counts_all.log").symlink_to("/dev/full")
        result = run([compile_program("call_counts.c")], folder=folder)
        self.assertIn("leaf<mid<main<init", result.calls())  # the JSON is there
        self.assertEqual(result.stderr.count("\n"), 1)

    def test_program_that_changes_directory(self):
        result = run([compile_program("closes_descriptors.c", ("-O1",))])
        self.assertIn("closes_descriptors_all.log", result.files())

    def test_copies_that_run_at_the_same_time(self):
        program = compile_program("exit_nested.c", ("-O0",))
        folder = scratch_folder()
        script = 'for i in 1 2 3 4; do "$0" >/dev/null & done; wait'
        result = subprocess.run(["sh", "-c", script, program], cwd=folder, capture_output=True,
                                env=clean_environment(LD_PRELOAD=LIBRARY), text=True)
        logs = [path for path in folder.iterdir() if path.name.endswith("_all.log")]
        self.assertEqual(len(logs), 4)
        # The log says so: a tool that started them would show messages as its own.
        self.assertEqual(result.stderr, "")
        usual = folder / "exit_nested_all.log"
        for log in logs:
            self.assertEqual(f"{usual} was written by a process that ran at the same time"
                             in log.read_text(), log != usual)

    def test_one_after_the_other_overwrites(self):
        program = compile_program("call_counts.c")
        folder = scratch_folder()
        run([program], folder=folder)
        self.assertEqual(run([program], folder=folder).stderr, "")
        self.assertEqual(len(list(folder.iterdir())), 2)

    def test_tasks_of_a_batch_job(self):
        result = run([compile_program("call_counts.c")], SLURM_PROCID=3, SLURM_NTASKS=8)
        self.assertIn("call_counts_task3_all.log", result.files())

    def test_a_process_without_events_writes_nothing(self):
        program = compile_program("call_counts.c", instrument=False)
        self.assertEqual(run([program]).files(), [])
        self.assertEqual(run(["true"]).files(), [])

    def test_a_shell_does_not_repeat_messages_of_the_program(self):
        program = compile_program("call_counts.c")
        result = run(["sh", "-c", "sh -c 'env \"$0\"; true' \"$0\"; true", program], VFTR_OFFF=1)
        self.assertEqual(result.stderr.count("Did you mean"), 1, result.stderr)
        self.assertEqual(run(["true"], VFTR_OFFF=1).stderr, "")

    def test_rank_log(self):
        result = run([compile_program("call_counts.c")], VFTR_LOGFILE_FOR_RANKS="all")
        self.assertIn("call_counts_0.log", result.files())
        self.assertIn("Runtime profile", result.text("_0.log"))

    def test_off(self):
        for word in ("yes", "1", "On", "TRUE"):
            result = run([compile_program("call_counts.c")], VFTR_OFF=word)
            self.assertEqual((result.status, result.stderr, result.files()), (3, "", []))
        result = run([compile_program("call_counts.c")], config={"off": True})
        self.assertEqual(result.files(), ["config.json"])


class Configuration(ProgramTest):
    """An invalid configuration never ends the program, and only affects the option concerned."""

    def expect(self, config, message, **variables):
        result = run([compile_program("call_counts.c")], config=config, **variables)
        self.assertEqual((result.status, result.stdout), (3, "3628800\n"))
        self.assertIn(message, result.stderr)
        self.assertIn("leaf<mid<main<init", result.calls())
        return result

    def test_malformed(self):
        self.expect('{"off": fals}', "Could not parse vftrace config file.")

    def test_missing_and_unreadable(self):
        result = run([compile_program("call_counts.c")], VFTR_CONFIG="/nonexistent/config.json")
        self.assertEqual(result.status, 3)
        self.assertIn("/nonexistent/config.json", result.stderr)
        result = run([compile_program("call_counts.c")], VFTR_CONFIG="/")
        self.assertEqual(result.status, 3)
        self.assertNotEqual(result.stderr, "")

    def test_wrong_type(self):
        self.expect({"print_config": 3}, "print_config expects a boolean.")
        self.expect({"profile_table": 3}, "profile_table")
        self.expect([1, 2], "")

    def test_typo(self):
        self.expect({"offf": True}, 'Did you mean "off"?')

    def test_only_the_first_rank_reports(self):
        program = compile_program("call_counts.c")
        for name in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"):
            for wrong in ({"VFTR_OFFF": "1"}, {"VFTR_JSON": "perhaps"},
                          {"VFTR_OUTPUT_DIRECTORY": "/etc/passwd/x"},
                          {"VFTR_CONFIG": "/nonexistent"}):
                with self.subTest(rank=name, wrong=wrong):
                    first, other = (run([program], **wrong, **{name: rank}) for rank in "02")
                    self.assertEqual((first.status, other.status), (3, 3))
                    self.assertRegex(first.stderr, r"\A(vftrace: .*\n( {9}.*\n)*)+\Z")
                    self.assertEqual(other.stderr, "")
        # In a job of several programs, the first rank of each prints the message. A directory may be
        # missing on one machine only.
        of_second = {"OMPI_COMM_WORLD_RANK": "2", "OMPI_FIRST_RANKS": "0 2"}
        self.assertIn("Did you mean", run([program], VFTR_OFFF=1, **of_second).stderr)
        local = {"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "0"}
        result = run([program], VFTR_OUTPUT_DIRECTORY="/etc/passwd/x", **local)
        self.assertIn("/etc/passwd/x", result.stderr)

    def test_bad_column(self):
        result = self.expect({"profile_table": {"sort_table": {"column": "speed"}}},
                             '"speed" is not a valid option for profile_table.sort_table.column')
        self.assertIn('"time_excl"', result.stderr)

    def test_bad_pattern(self):
        self.expect({"sampling": {"precise_functions": "("}}, 'Invalid Regular Expression "("')

    def test_bad_rank_list(self):
        for value in ("foo", "3-1", "1,,2", ""):
            self.expect({"logfile_for_ranks": value}, "logfile_for_ranks")
        self.expect({"logfile_for_ranks": None}, "logfile_for_ranks")

    def test_counters_that_are_not_built(self):
        self.expect({"hwprof": {"type": "likwid"}}, "likwid")
