"""The layout of the text log, and what each option changes in it.

Whole logs are compared with test/expected/*.log. Times are blanked there and rows are in the order
of their STIDs, so that the speed of a run does not matter. After an intended change of the layout,
run these tests with VFTRACE_UPDATE_EXPECTED=1 and read the difference."""
import json
import os
import re
import unittest

from command_support import GENERATE_CONFIG
from support import (COMMAND, HERE, ProgramTest, compile_program, need_part, run, scratch_folder,
                     table_rows)

EXPECTED = HERE / "expected"
RUNTIME = "Runtime profile"
GROUPED = "Runtime profile (Grouped by function name)"
COLUMNS = ["Calls", "t_excl[s]", "t_excl[%]", "t_incl[s]", "Function", "Caller", "STID"]
SHOW_GROUPED = {"VFTR_NAME_GROUPED_PROFILE_TABLE_SHOW_TABLE": "yes"}


def is_row(line):
    return line.startswith("|") and not re.match(r"\| *Calls \|", line)


def blanked(log):
    """The log without parts that differ from run to run; calls, STIDs and all widths stay."""
    result, rows = [], []
    for line in log.splitlines():
        if line.startswith("Uncertain: "):
            continue  # depends on the machine
        if line.startswith(("Start Date:", "End Date:")):
            line = re.sub(r"\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$", "DATE", line)
        line = re.sub(r"^vftrace \d+\.\d+\.\d+$", "vftrace VERSION", line)
        if is_row(line) or re.search(r"\d (s|B|KiB|MiB)$", line):
            line = re.sub(r" *\d+\.(\d+)",
                          lambda number: ("#." + "#" * len(number[1])).rjust(len(number[0])), line)
        if is_row(line):
            rows.append(line)
        else:
            result += sorted(rows, key=first_stid) + [line]
            rows = []
    return "\n".join(result) + "\n"


def first_stid(row):
    return int(re.search(r"\| *(\d+)[\d,.]* *\|([^|]*\|)?$", row)[1])


def call_stacks(log):
    """The list "Global call stacks" as {stid: path}."""
    return {int(stid): path for stid, path in re.findall(r"(?m)^ +STID(\d+)   (.*?) *$", log)}


def configuration(log):
    """The JSON text that ends a log."""
    return log[re.search(r"(?m)^\{$", log).start():]


def paths_by_stid(result):
    """{stid: (display names from leaf to root, node)} of the JSON."""
    return {node["stid"]: (path.split("<"), node) for path, node in result.paths().items()}


class WholeLog(ProgramTest):
    def compare(self, name, log):
        path = EXPECTED / f"{name}.log"
        if os.environ.get("VFTRACE_UPDATE_EXPECTED"):
            EXPECTED.mkdir(exist_ok=True)
            path.write_text(blanked(log), encoding="utf-8")
        self.assertEqual(blanked(log), path.read_text(encoding="utf-8"))

    def test_call_counts_with_all_parts(self):
        result = run([compile_program("call_counts.c", ("-O0",))], **SHOW_GROUPED)
        self.compare("call_counts", result.text())

    def test_call_counts_with_all_columns(self):
        result = run([compile_program("call_counts.c", ("-O0",))],
                     VFTR_PROFILE_TABLE_SHOW_CALLPATH="yes",
                     VFTR_PROFILE_TABLE_SHOW_OVERHEAD="yes", VFTR_PRINT_CONFIG="no")
        self.compare("call_counts_columns", result.text())

    def test_regions(self):
        result = run([compile_program("regions.c", ("-O0",))], preload=False,
                     VFTR_PRINT_CONFIG="no", **SHOW_GROUPED)
        self.compare("regions", result.text())

    def test_pause(self):
        result = run([compile_program("pause.c", ("-O0",))], preload=False,
                     VFTR_PRINT_CONFIG="no", **SHOW_GROUPED)
        self.compare("pause", result.text())

    def test_rank_log_is_the_summary_log_without_groups(self):
        result = run([compile_program("call_counts.c", ("-O0",))], VFTR_LOGFILE_FOR_RANKS="all",
                     **SHOW_GROUPED)
        whole = result.text()
        self.assertIn(GROUPED, whole)
        start = whole.index(GROUPED)
        end = whole.index("Global call stacks:")
        self.assertEqual(result.text("_0.log"), whole[:start] + whole[end:])


class Parts(ProgramTest):
    """Options that add or remove a part."""

    def log(self, **variables):
        # Empty: as by default.
        result = run([compile_program("call_counts.c")], VFTR_OVERHEAD_BUDGET="", **variables)
        self.assertEqual((result.status, result.stderr), (3, ""))
        self.log_files = [name for name in result.files() if name.endswith(".log")]
        self.folder = result.folder
        return result.text()

    def titles(self, log):
        known = (RUNTIME, GROUPED, "Global call stacks:", "Vftrace default configuration:",
                 "Vftrace configuration set by the environment:")
        return [line for line in log.splitlines() if line in known]

    def test_default(self):
        self.assertEqual(self.titles(self.log()), [RUNTIME, "Global call stacks:",
                                                   "Vftrace default configuration:"])

    def test_each_part_can_be_left_out(self):
        configured = "Vftrace configuration set by the environment:"
        everything = [RUNTIME, GROUPED, "Global call stacks:", configured]
        for option, title in (("VFTR_PROFILE_TABLE_SHOW_TABLE", RUNTIME),
                              ("VFTR_NAME_GROUPED_PROFILE_TABLE_SHOW_TABLE", GROUPED),
                              ("VFTR_STACKLIST_SHOW_STACKLIST", "Global call stacks:"),
                              ("VFTR_PRINT_CONFIG", configured)):
            with self.subTest(option=option):
                log = self.log(**{**SHOW_GROUPED, option: "no"})
                expected = [part for part in everything if part != title]
                if option == "VFTR_NAME_GROUPED_PROFILE_TABLE_SHOW_TABLE":  # its default
                    expected[-1] = "Vftrace default configuration:"
                self.assertEqual(self.titles(log), expected)

    def test_separate(self):
        log = self.log(VFTR_PROFILE_TABLE_SEPARATE="yes", **SHOW_GROUPED)
        self.assertEqual(self.titles(log), [RUNTIME, "Global call stacks:",
                                            "Vftrace configuration set by the environment:"])
        self.assertEqual(self.log_files, ["call_counts_all.log", "call_counts_all_namegroup.log"])
        other = (self.folder / "call_counts_all_namegroup.log").read_text()
        # It begins with the same header.
        self.assertEqual(other[:other.index(GROUPED)], log[:log.index("Total runtime:")])
        self.assertEqual(self.titles(other), [GROUPED])
        self.assertEqual(len(table_rows(other, GROUPED)), 5)

    def test_separate_with_nothing_to_separate(self):
        self.log(VFTR_PROFILE_TABLE_SEPARATE="yes")
        self.assertEqual(self.log_files, ["call_counts_all.log"])


class Columns(ProgramTest):
    def columns(self, **variables):
        result = run([compile_program("call_counts.c")], **variables)
        return list(result.rows()[0]), result

    def test_default(self):
        self.assertEqual(self.columns()[0], COLUMNS)

    def test_callpath(self):
        columns, result = self.columns(VFTR_PROFILE_TABLE_SHOW_CALLPATH="yes")
        self.assertEqual(columns, [*COLUMNS, "Callpath"])
        self.assertEqual({row["Callpath"] for row in result.rows()}, set(result.calls()))

    def test_overhead(self):
        columns, _ = self.columns(VFTR_PROFILE_TABLE_SHOW_OVERHEAD="yes")
        self.assertEqual(columns, [*COLUMNS[:4], "overhead[s]", *COLUMNS[4:]])

    def test_both(self):
        columns, _ = self.columns(VFTR_PROFILE_TABLE_SHOW_CALLPATH="yes",
                                  VFTR_PROFILE_TABLE_SHOW_OVERHEAD="yes")
        self.assertEqual(columns, [*COLUMNS[:4], "overhead[s]", *COLUMNS[4:], "Callpath"])

    def test_overhead_column_is_that_of_the_json(self):
        result = run([compile_program("hot_loop.c", ("-O2",)), "2000000"],
                     VFTR_PROFILE_TABLE_SHOW_OVERHEAD="yes")
        leaf = next(row for row in result.rows() if row["Function"] == "leaf")
        self.assertGreater(float(leaf["overhead[s]"]), 0)
        self.assertEqual(leaf["overhead[s]"],
                         f"{result.paths()['leaf<init']['overhead_ns'] / 1e9:.3f}")

    def test_grouped(self):
        result = run([compile_program("call_counts.c")], **SHOW_GROUPED)
        self.assertEqual(list(result.rows(GROUPED)[0]), [*COLUMNS[:5], "STIDs"])

    def test_figures_are_those_of_the_json(self):
        result = run([compile_program("call_counts.c")])
        nodes = paths_by_stid(result)
        whole = sum(node["exclusive_ns"] for _, node in nodes.values())
        for row in result.rows():
            names, node = nodes[int(row["STID"])]
            self.assertEqual(row, {
                "Calls": str(node["calls"]), "t_excl[s]": f"{node['exclusive_ns'] / 1e9:.3f}",
                "t_excl[%]": f"{100 * node['exclusive_ns'] / whole:.1f}",
                "t_incl[s]": f"{node['inclusive_ns'] / 1e9:.3f}", "Function": names[0],
                "Caller": names[1] if len(names) > 1 else "----", "STID": str(node["stid"])})

    def test_longest_name(self):
        program = compile_program("call_counts.c")
        result = run([program], VFTR_PROFILE_TABLE_MAX_NAME_WIDTH=8)
        names = {row["Function"] for row in result.rows()}
        self.assertIn("main", names)
        self.assertNotIn("factorial", names)
        self.assertTrue(all(len(name) <= 8 for name in names), names)
        self.assertIn("factorial<main<init", result.calls())  # the JSON has the whole name


class Order(ProgramTest):
    """Rows are really in the requested order, equal ones by STID."""
    KEYS = {"time_excl": "exclusive_ns", "time_incl": "inclusive_ns", "calls": "calls",
            "overhead": "overhead_ns", "stack_id": "stid", "none": "stid"}

    def in_order(self, figures, ascending):
        """STIDs of {stid: value} in the order of a table."""
        return [stid for stid, value in
                sorted(figures.items(), key=lambda item: (item[1] if ascending else -item[1],
                                                          item[0]))]

    def test_runtime_profile(self):
        program = compile_program("call_counts.c", ("-O0",))
        for column, key in self.KEYS.items():
            for ascending in (False, True):
                with self.subTest(column=column, ascending=ascending):
                    result = run([program], VFTR_PROFILE_TABLE_SORT_TABLE_COLUMN=column,
                                 VFTR_PROFILE_TABLE_SORT_TABLE_ASCENDING=ascending)
                    figures = {node["stid"]: node[key] for node in result.profile()["nodes"]}
                    self.assertEqual([int(row["STID"]) for row in result.rows()],
                                     self.in_order(figures, ascending))

    def test_default_is_by_exclusive_time_descending(self):
        result = run([compile_program("call_counts.c")])
        figures = {node["stid"]: node["exclusive_ns"] for node in result.profile()["nodes"]}
        self.assertEqual([int(row["STID"]) for row in result.rows()],
                         self.in_order(figures, False))

    def grouped(self, result, key):
        sums, first = {}, {}
        for names, node in sorted(paths_by_stid(result).values(), key=lambda item: item[1]["stid"]):
            sums[names[0]] = sums.get(names[0], 0) + node[key]
            first.setdefault(names[0], node["stid"])
        return {first[name]: first[name] if key == "stid" else value
                for name, value in sums.items()}

    def test_grouped_table(self):
        program = compile_program("get_stack.c", ("-O0",))
        for column in ("time_excl", "time_incl", "calls", "none"):
            for ascending in (False, True):
                with self.subTest(column=column, ascending=ascending):
                    # The other table is sorted differently: the two options are independent.
                    result = run([program], preload=False, **SHOW_GROUPED,
                                 VFTR_NAME_GROUPED_PROFILE_TABLE_SORT_TABLE_COLUMN=column,
                                 VFTR_NAME_GROUPED_PROFILE_TABLE_SORT_TABLE_ASCENDING=ascending,
                                 VFTR_PROFILE_TABLE_SORT_TABLE_COLUMN="stack_id",
                                 VFTR_PROFILE_TABLE_SORT_TABLE_ASCENDING=not ascending)
                    stids = [int(row["STIDs"].split(",")[0]) for row in result.rows(GROUPED)]
                    self.assertEqual(stids, self.in_order(self.grouped(result, self.KEYS[column]),
                                                          ascending))
                    runtime = [int(row["STID"]) for row in result.rows()]
                    self.assertEqual(runtime, sorted(runtime, reverse=ascending))


class StackIds(ProgramTest):
    def test_all_tables_and_the_json_agree(self):
        program = compile_program("mutual_recursion.c", ("-O0",))
        result = run([program], VFTR_LOGFILE_FOR_RANKS="all",
                     VFTR_PROFILE_TABLE_SHOW_CALLPATH="yes",
                     VFTR_NAME_GROUPED_PROFILE_TABLE_MAX_STACK_IDS=1000, **SHOW_GROUPED)
        nodes = paths_by_stid(result)
        self.assertGreater(len(nodes), 10)
        self.assertEqual(sorted(nodes), list(range(len(nodes))))
        expected = {stid: "<".join(names) for stid, (names, _) in nodes.items()}
        for log in (result.text(), result.text("_0.log")):
            self.assertEqual(call_stacks(log), expected)
            self.assertEqual({int(row["STID"]): row["Callpath"]
                              for row in table_rows(log, RUNTIME)}, expected)
        for row in result.rows(GROUPED):
            self.assertEqual([int(stid) for stid in row["STIDs"].split(",")],
                             [stid for stid in sorted(nodes) if nodes[stid][0][0] ==
                              row["Function"]])

    def test_number_of_ids_in_a_group(self):
        program = compile_program("mutual_recursion.c", ("-O0",))
        for most in (1, 3):
            result = run([program], VFTR_NAME_GROUPED_PROFILE_TABLE_MAX_STACK_IDS=most,
                         **SHOW_GROUPED)
            groups = {row["Function"]: row["STIDs"] for row in result.rows(GROUPED)}
            self.assertRegex(groups["spin"], r"^\d+" + r",\d+" * (most - 1) + r",\.\.\.$")
            self.assertRegex(groups["main"], r"^\d+$")

    def test_ids_are_the_order_of_the_hashes_of_vftrace_2(self):
        nodes = run([compile_program("call_counts.c")]).paths()
        self.assertEqual(nodes["mid<main<init"]["hash"], "01aac7750f9eb16b")
        hashes = [node["hash"] for node in sorted(nodes.values(), key=lambda node: node["stid"])]
        self.assertEqual(hashes, sorted(hashes))

    def test_ids_are_the_same_in_every_run(self):
        program = compile_program("call_counts.c")
        first, second = (call_stacks(run([program]).text()) for _ in range(2))
        self.assertEqual(first, second)


class PrintedConfiguration(ProgramTest):
    EVERYTHING = {"profile_table": {"show_callpath": True, "separate": True,
                                    "sort_table": {"column": "calls", "ascending": True}},
                  "sampling": {"precise_functions": "^a|\"b\\\\"}, "openacc": {"active": False},
                  "logfile_for_ranks": "0,2-5", "outfile_basename": "with \"quotes\" and \u03b1",
                  "hwprof": {"counters": [{"hwc_name": "one", "symbol": "a"},
                                          {"hwc_name": "two", "symbol": "b"}],
                             "observables": [{"name": "o1", "formula": "a/T", "unit": "1/s"},
                                             {"name": "o2", "formula": "b"}]}}

    def test_default(self):
        log = run([compile_program("call_counts.c")], VFTR_OVERHEAD_BUDGET="").text()
        need_part("BUILD_TOOLS")
        printed = json.loads(configuration(log))
        self.assertIn("\n\nVftrace default configuration:\n{", log)
        every = run([COMMAND, "config", "default"], preload=False).stdout
        old = json.loads(run([GENERATE_CONFIG], preload=False).stdout)
        self.assertEqual(printed, {**old, "demangle_cxx": json.loads(every)["demangle_cxx"]})

    def test_other_options_are_shown_if_they_are_changed(self):
        log = run([compile_program("call_counts.c")], VFTR_OVERHEAD_BUDGET="30",
                  VFTR_MAX_RECURSION="9", VFTR_MPI_SHOW_RANK_TABLE="no",
                  VFTR_SAMPLING_SAMPLE_INTERVAL="1").text()
        printed = json.loads(configuration(log))
        self.assertEqual(list(printed)[-3:], ["hwprof", "max_recursion", "overhead"])
        self.assertEqual(printed["overhead"], {"budget": 30})
        self.assertEqual(list(printed["mpi"])[-2:], ["sort_table", "show_rank_table"])
        self.assertEqual(printed["sampling"]["sample_interval"], 1)

    def test_file_is_named(self):
        result = run([compile_program("call_counts.c")], config={"profile_table":
                                                                 {"show_overhead": True}})
        source = result.folder / "config.json"
        self.assertIn(f'\nVftrace configuration read from "{source}"\n{{\n', result.text())
        self.assertEqual(result.profile()["run"]["config_source"], str(source))
        self.assertTrue(json.loads(configuration(result.text()))["profile_table"]["show_overhead"])

    def test_is_a_part_of_that_in_the_json_file(self):
        result = run([compile_program("call_counts.c")], config=self.EVERYTHING)

        def compare(shown, whole):
            for key, value in shown.items():
                if isinstance(value, dict):
                    compare(value, whole[key])
                else:
                    self.assertEqual(value, whole[key])
        compare(json.loads(configuration(result.text())), result.profile()["config"])

    def test_can_be_fed_back(self):
        program = compile_program("call_counts.c")
        first = run([program], config=self.EVERYTHING)
        self.assertEqual(first.stderr, "")
        printed = configuration(first.text())
        read = json.loads(printed)
        self.assertEqual(read["hwprof"]["counters"], self.EVERYTHING["hwprof"]["counters"])
        self.assertEqual(read["sampling"]["precise_functions"], "^a|\"b\\\\")
        second = run([program], config=printed)
        self.assertEqual(second.stderr, "")
        self.assertEqual(configuration(second.text()), printed)
        self.assertEqual(second.files(), first.files())

    def test_can_be_checked(self):
        need_part("BUILD_TOOLS")
        path = scratch_folder() / "printed.json"
        path.write_text(configuration(run([compile_program("call_counts.c")],
                                          config=self.EVERYTHING).text()))
        checked = run([COMMAND, "config", "check", path], preload=False)
        self.assertEqual((checked.status, checked.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
