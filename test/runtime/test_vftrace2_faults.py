"""The faults of Vftrace 2.0 that are visible in a serial run, one test for each.

The numbers are those of the list of faults in the description of Vftrace 2.0 (11.x) and of its
semantics at run time (6.x). Most cases are tested at length elsewhere; here each one is listed
under its number, so that none is forgotten. Faults of MPI, GPU and trace files are not here."""
import json
import re
import signal
import subprocess
import unittest

from support import (BUILD, COMMAND, LIBRARY, PROGRAMS, SOURCE, ProgramTest,
                     clean_environment, compile_program, need, need_part, run, scratch_folder)
from thread_support import saved_profiles

HELLO = "3628800\n"  # what call_counts prints; it ends with status 3
GROUPED = "Runtime profile (Grouped by function name)"


class FaultTest(ProgramTest):
    def survives(self, message=None, config=None, **variables):
        """call_counts behaves as it does alone and is profiled whatever the configuration."""
        result = run([compile_program("call_counts.c")], config=config, **variables)
        self.assertEqual((result.status, result.stdout), (3, HELLO), result.stderr)
        self.assertEqual(result.calls()["leaf<mid<main<init"], 6)
        self.assertTrue(result.text().startswith("vftrace "))
        if message is None:
            self.assertEqual(result.stderr, "")
        else:
            self.assertIn(message, result.stderr)
        return result


class KillsTheProgram(FaultTest):
    """11.1 Changes the application's behaviour or kills it."""

    def test_two_regions_used_alternately_in_one_function(self):
        result = self.profile(compile_program("regions.c"))
        calls = result.calls()
        self.assertEqual((calls["first<main<init"], calls["second<main<init"]), (2, 2))
        self.assertEqual(sum(count for path, count in calls.items() if path.startswith("work<")), 6)
        self.assertEqual(result.status, 0)

    def test_unbalanced_region_end(self):
        result = self.profile(compile_program("region_misuse.c"), expect_stderr="no region is open")
        self.assertEqual((result.status, result.stdout), (0, "done\n"))
        self.assertIn("main<init", result.calls())

    def test_get_stack_when_off(self):
        result = run([compile_program("get_stack.c", ("-O0",))], preload=False, VFTR_OFF="1")
        self.assertEqual(result.status, 0)
        self.assertIn('deep: "" 1\n', result.stderr)

    def test_get_stack_when_finished(self):
        result = run([compile_program("stack_after_end.c", ("-O0",))], preload=False)
        self.assertEqual((result.status, result.stdout), (0, 'over: ""\n'))

    def test_threads(self):
        program = compile_program("threads.cpp", ("-O1", "-pthread"))
        for _ in range(5):
            self.assertEqual(self.profile(program).calls()["leaf<worker<[thread]<main<init"],
                         400000)

    def test_a_signal_keeps_its_number(self):
        program = scratch_folder() / "kills_itself"
        need("gcc")
        subprocess.run(["gcc", "-finstrument-functions", "-x", "c", "-", "-o", program], text=True,
                       input="#include <signal.h>\n#include <stdlib.h>\n"
                             "static void work(int n) { raise(n); }\n"
                             "int main(int c, char **a) { work(c > 1 ? atoi(a[1]) : 0); }\n",
                       check=True)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGABRT, signal.SIGFPE, signal.SIGQUIT,
                       signal.SIGSEGV, signal.SIGKILL, signal.SIGHUP, signal.SIGUSR1):
            with self.subTest(number=number):
                result = run(["sh", "-c", 'ulimit -c 0; exec "$0" "$1"', program, int(number)])
                self.assertEqual(result.status, -number, result.stderr)

    def test_errors_in_the_configuration_do_not_end_the_program(self):
        self.survives("print_config expects a boolean.", config={"print_config": 3})
        self.survives("Could not parse vftrace config file.", config="{")

    def test_every_sort_column_of_the_communication_profile(self):
        for column in ("messages", "send_size", "recv_size", "send_bw", "recv_bw", "comm_time",
                       "stack_id", "none"):
            self.survives(config={"mpi": {"sort_table": {"column": column}}})

    def test_max_stack_ids_of_zero_and_less(self):
        for number in (0, -1, -2147483648):
            result = self.survives(f"{number} is not a valid value", config={
                "name_grouped_profile_table": {"show_table": True, "max_stack_ids": number}})
            self.assertEqual(len(result.rows(GROUPED)), 5)

    def test_observable_without_unit_and_a_log_for_the_rank(self):
        result = self.survives(config={
            "logfile_for_ranks": "all",
            "hwprof": {"counters": [{"hwc_name": "one", "symbol": "a"}],
                       "observables": [{"name": "o", "formula": "a/T"}]}})
        self.assertIn("call_counts_0.log", result.files())

    def test_rank_lists_of_null_and_with_an_empty_part(self):
        self.survives('logfile_for_ranks cannot be "null"', config={"logfile_for_ranks": None})
        self.survives('only_for_ranks cannot be "null"', config={"mpi": {"only_for_ranks": None}})
        for text in ("1,,2", "", ",", "3-1", "-", "99999999999999999999"):
            self.survives("Unable to properly parse given list", config={"logfile_for_ranks": text})

    def test_3_2_error_of_the_openacc_column_prints_what_is_valid(self):
        self.survives('Valid options are: "time", "memcpy", "calls", "none"\n',
                      config={"openacc": {"sort_table": {"column": "x"}}})


class WrongNumbers(FaultTest):
    """11.2 Wrong numbers."""

    def test_stack_ids_agree_in_all_tables(self):
        result = self.survives(VFTR_LOGFILE_FOR_RANKS="all", VFTR_PROFILE_TABLE_SHOW_CALLPATH="yes",
                               VFTR_NAME_GROUPED_PROFILE_TABLE_SHOW_TABLE="yes")
        expected = {str(node["stid"]): path for path, node in result.paths().items()}
        self.assertEqual({row["STID"]: row["Callpath"] for row in result.rows()}, expected)
        for suffix in ("_all.log", "_0.log"):
            listed = re.findall(r"(?m)^ +STID(\d+)   (.*?) *$", result.text(suffix))
            self.assertEqual(dict(listed), expected)
        for row in result.rows(GROUPED):
            self.assertEqual(expected[row["STIDs"]].split("<")[0], row["Function"])

    def test_calls_are_counted_in_64_bits(self):
        need_part("BUILD_TOOLS")
        result = self.survives()
        profile = result.profile()
        profile["nodes"][1]["calls"] = 5_000_000_000
        path = result.folder / "many.json"
        path.write_text(json.dumps(profile))
        printed = run([COMMAND, "report", path], preload=False).stdout
        self.assertIn("| 5000000000 |", printed)

    def test_paused_time_is_not_application_time(self):
        result = self.profile(compile_program("pause.c", ("-O0",)))
        times = result.profile()["run"]
        self.assertGreater(times["paused_ns"], 200e6)
        self.assertLessEqual(times["application_ns"], times["runtime_ns"] - times["paused_ns"])
        self.assertLess(result.paths()["main<init"]["inclusive_ns"],
                        times["runtime_ns"] - times["paused_ns"])
        row = next(row for row in result.rows() if row["Function"] == "vftrace_pause")
        self.assertEqual(row["t_excl[%]"], "0.0")

    def test_exclusive_time_is_never_negative(self):
        for name in ("call_counts.c", "mutual_recursion.c", "longjmp_siblings.c", "pause.c"):
            for path, node in run([compile_program(name, ("-O2",))]).paths().items():
                self.assertGreaterEqual(node["exclusive_ns"], 0, f"{name}: {path}")
                self.assertGreaterEqual(node["inclusive_ns"], node["exclusive_ns"])

    def test_cost_of_the_hooks_is_shown_separately(self):
        result = run([compile_program("hot_loop.c", ("-O2",)), "5000000"])
        times = result.profile()["run"]
        overhead = sum(item["time_ns"] for item in times["overhead"])
        self.assertGreater(overhead, 5e6)  # 5 million calls of more than 1 ns
        self.assertEqual(times["application_ns"], times["runtime_ns"] - overhead)

    def test_4_4_shares_are_numbers_even_if_nothing_was_measured(self):
        for row in self.profile(compile_program("pause_once.c")).rows():
            self.assertRegex(row["t_excl[%]"], r"^\d+\.\d$")


class OptionsWithoutEffect(FaultTest):
    """11.3 Ignored or inconsistent options."""

    def test_11_3_show_stacklist(self):
        self.assertIn("Global call stacks:", self.survives().text())
        result = self.survives(config={"stacklist": {"show_stacklist": False}})
        self.assertNotIn("Global call stacks:", result.text())

    def test_11_3_sort_table_of_the_grouped_profile(self):
        for ascending in (False, True):
            result = self.survives(config={
                "profile_table": {"sort_table": {"column": "calls", "ascending": not ascending}},
                "name_grouped_profile_table": {"show_table": True, "sort_table": {
                    "column": "calls", "ascending": ascending}}})
            grouped = [int(row["Calls"]) for row in result.rows(GROUPED)]
            runtime = [int(row["Calls"]) for row in result.rows()]
            self.assertEqual(grouped, sorted(grouped, reverse=not ascending))
            self.assertEqual(runtime, grouped[::-1])

    def test_11_3_printed_configuration_is_complete(self):
        log = self.survives(config={"openacc": {"show_event_details": True},
                                    "profile_table": {"separate": True}}).text()
        printed = json.loads(log[log.index("\n{\n"):])
        self.assertIs(printed["profile_table"]["separate"], True)
        self.assertIs(printed["openacc"]["show_event_details"], True)

    def test_11_3_printed_configuration_with_counters_is_json(self):
        counters = [{"hwc_name": "one", "symbol": "a"}, {"hwc_name": "two", "symbol": "b"}]
        log = self.survives(config={"hwprof": {"counters": counters}}).text()
        self.assertEqual(json.loads(log[log.index("\n{\n"):])["hwprof"]["counters"], counters)

    def test_11_3_manual_pages_of_the_old_commands(self):
        for name in ("vftrace", "vftrace_check_config", "vftrace_generate_default_config"):
            self.assertIn(name, (SOURCE / "doc" / "man" / f"{name}.1").read_text())

    def test_11_3_keys_in_other_case_are_reported(self):
        self.survives('"PRINT_CONFIG" is not a valid vftrace option', config={"PRINT_CONFIG": True})

    def test_11_3_sections_of_a_wrong_type_are_reported(self):
        self.survives("profile_table expects an object", config={"profile_table": 3})
        for document in ("7", "[]", '"text"', "null"):
            self.survives("The configuration expects an object", config=document)

    def test_11_3_checker_fails_for_typos(self):
        need_part("BUILD_TOOLS")
        path = scratch_folder() / "typo.json"
        path.write_text('{"offf": true}')
        self.assertEqual(run([COMMAND, "config", "check", path], preload=False).status, 1)

    def test_11_3_unknown_keys_of_every_section_are_reported(self):
        for section in ("openacc", "hwprof", "cuda", "mpi", "sampling", "stacklist"):
            self.survives('"bogus" is not a valid vftrace option', config={section: {"bogus": 1}})

    def test_11_3_demangled_names_are_not_cut_at_the_template_arguments(self):
        paths = self.profile(compile_program("overloads.cpp", ("-O0",))).paths()
        names = {path.split("<main")[0] for path in paths}
        self.assertLessEqual({"quicksort<int>", "quicksort<long>", "space::Thing::operator<"},
                             names)

    def test_11_3_many_words_switch_it_off(self):
        program = compile_program("call_counts.c")
        for word in ("1", "y", "yes", "on", "t", "true", "TRUE", "Yes"):
            result = run([program], VFTR_OFF=word)
            self.assertEqual((result.files(), result.stderr), ([], ""), word)
        for word in ("0", "n", "no", "off", "f", "false", "FALSE", ""):
            self.survives(VFTR_OFF=word)

    def test_11_3_a_word_that_means_neither_is_reported(self):
        self.survives("off expects a boolean", VFTR_OFF="enabled")


class Limits(FaultTest):
    """11.4 Limits."""

    def test_11_4_stripped_program(self):
        result = self.profile(compile_program("call_counts.c", ("-O1", "-s")))
        self.assertEqual(sorted(result.calls().values()), [0, 1, 3, 6, 10])

    def test_11_4_program_that_is_not_linked_to_the_library(self):
        self.survives()

    def test_11_4_indirect_recursion_does_not_make_a_path_per_level(self):
        result = self.profile(compile_program("mutual_recursion.c"))
        self.assertLess(len(result.paths()), 60)
        self.assertLess(len(result.text()), 100_000)

    def test_11_4_machine_readable_log(self):
        self.assertEqual(self.survives().profile()["format"], "vftrace-profile")

    def test_11_4_only_the_interface_is_exported(self):
        names = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True,
                               text=True, check=True).stdout
        self.assertIn(" vftrace_region_begin", names)
        self.assertNotRegex(names, r" (vftr_|cJSON|te_|_ZN)")

    def test_11_4_pkg_config_and_cmake_files(self):
        self.assertIn("Libs: ", (BUILD / "packaging" / "vftrace.pc").read_text())
        self.assertIn("vftrace::vftrace",
                      (BUILD / "packaging" / "vftraceConfig.cmake").read_text())


class Newcomer(FaultTest):
    """11.6 Obstacles for newcomers."""

    def test_11_6_second_region_in_main(self):
        calls = run([compile_program("regions.c")], preload=False).calls()
        self.assertEqual(calls["second<main<init"], 2)

    def test_11_6_no_log_when_my_binary_was_stripped(self):
        result = self.profile(compile_program("call_counts.c", ("-O1", "-s", "-no-pie")))
        self.assertIn("call_counts_all.log", result.files())
        self.assertRegex(" ".join(result.calls()), r"call_counts\+0x[0-9a-f]+<init")

    def test_11_6_the_reason_for_a_missing_log_is_printed(self):
        need_part("BUILD_TOOLS")
        result = run([COMMAND, "run", "--", compile_program("call_counts.c", instrument=False)],
                     preload=False)
        self.assertIn("does not have function hooks", result.stderr)


class RunTime(FaultTest):
    """6.7 to 6.12 Runtime semantics."""

    def test_6_7_exit_in_a_nested_function(self):
        result = self.profile(compile_program("exit_nested.c", ("-O0",)))
        self.assertEqual(result.status, 5)
        self.assertGreater(result.paths()["ends<middle<main<init"]["inclusive_ns"], 29e6)

    def test_6_7_longjmp_leaves_no_false_caller(self):
        calls = self.profile(compile_program("longjmp_siblings.c", ("-O2",))).calls()
        self.assertEqual(calls["big<main<init"], 5)
        self.assertFalse(any("big<small" in path for path in calls))

    def test_6_7_exceptions(self):
        calls = self.profile(compile_program("exceptions.cpp")).calls()
        self.assertEqual(calls["after<main<init"], 1)

    def test_6_8_fork(self):
        program = compile_program("fork_children.c", ("-O0",))
        result = self.profile(program)
        self.assertEqual(saved_profiles(result.folder)[program.name].calls(),
                         {"init": 0, "main<init": 1, "in_parent<main<init": 2})

    def test_6_8_programs_of_one_name_that_run_at_the_same_time(self):
        folder = scratch_folder()
        script = '"$0" > /dev/null & "$0" > /dev/null & wait'
        subprocess.run(["sh", "-c", script, compile_program("exit_nested.c", ("-O0",))],
                       cwd=folder, env=clean_environment(LD_PRELOAD=LIBRARY), check=True,
                       capture_output=True)
        logs = list(folder.glob("*_all.log"))
        self.assertEqual(len(logs), 2, logs)

    def test_6_9_threads_have_a_stack_each(self):
        result = self.profile(compile_program("threads.cpp", ("-O1", "-pthread")))
        self.assertEqual(result.calls()["worker<[thread]<main<init"], 4)
        self.assertFalse(any("worker<worker" in path or "worker<leaf" in path
                             for path in result.calls()))

    def test_6_10_functions_of_a_library_opened_and_closed(self):
        need("gcc")
        plugins = []
        for name in ("plugin_one", "plugin_two"):
            plugins.append(scratch_folder() / f"{name}.so")
            subprocess.run(["gcc", "-shared", "-fPIC", "-finstrument-functions", f"-DNAME={name}",
                            PROGRAMS / "plugin.c", "-o", plugins[-1]], check=True)
        result = self.profile([compile_program("dlopen_plugins.c"), "3", *plugins])
        self.assertEqual(result.calls()["plugin_one<call<use<main<init"], 3)
        self.assertEqual(result.calls()["plugin_two<call<use<main<init"], 3)
        self.assertNotIn("UnknownFunctionName", result.text())

    def test_6_10_library_that_cannot_be_opened(self):
        program = compile_program("dlopen_plugins.c")
        alone = run([program, "1", "/nope.so"], preload=False)
        result = run([program, "1", "/nope.so"])
        self.assertEqual((result.status, result.stderr), (1, alone.stderr))
        self.assertEqual(result.calls()["use<main<init"], 1)

    def test_6_11_times_can_be_compared_with_other_clocks(self):
        times = self.survives().profile()["run"]
        self.assertAlmostEqual(times["end_unix_ns"] - times["start_unix_ns"], times["runtime_ns"],
                               delta=50e6)
        self.assertRegex(times["start"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$")

    def test_6_12_nothing_is_recorded_after_the_end(self):
        result = run([compile_program("stack_after_end.c", ("-O0",))], preload=False)
        self.assertEqual(result.calls(), {"init": 0, "main<init": 1, "work<main<init": 1})


if __name__ == "__main__":
    unittest.main()
