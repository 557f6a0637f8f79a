"""Hardware counters: readings and their places, the resulting tables, and harmless failures."""
import json
import os
import re
import subprocess

from command_support import CommandTest, command
from mpi_support import MPICH, OPEN_MPI, PRELOAD, MpiTest, compile_mpi, run_mpi
from support import (COMMAND, LINK_LIBRARY, SOURCE, ProgramTest, compile_program,
                     metrics_except_process, need_part, run, scratch_folder, words_of)

FAULTS = [{"hwc_name": "page-faults", "symbol": "faults"}]
DUMMY = [{"hwc_name": "one", "symbol": "a"}, {"hwc_name": "two", "symbol": "b"}]


def config(counters, **options):
    options.setdefault("levels", -1)
    return {"hwprof": dict(options, counters=counters)}


def figures(profile, metric):
    """The counts of a counter by call path."""
    names = [element["name"] for element in profile["metrics"]]
    index = names.index(metric)
    values = {}
    for node in profile["nodes"]:
        for number, value in node.get("metrics", []):
            if number == index:
                values[path_text(profile, node)] = value
    return values


def path_text(profile, node):
    names = []
    while node["parent"] is not None:
        names.append(profile["functions"][node["function"]]["display"])
        node = profile["nodes"][node["parent"]]
    return "<".join(names)


def perf_counts_page_faults():
    """Whether the kernel lets this process count events: containers often forbid it."""
    program = compile_program("counters.c", ("-O1", "-pthread"))
    result = run([program, "10"], config=config(FAULTS, type="perf"))
    return "no counters are read" not in result.stderr


class DummyCounters(ProgramTest):
    def counted(self, what="calls", expect_stderr="", **options):
        program = compile_program("counters.c", ("-O1", "-pthread"))
        result = self.profile([program, "3", what], expect_stderr=expect_stderr,
                              config=config(DUMMY, type="dummy", **options))
        return result

    def test_readings_at_entries_and_exits(self):
        result = self.counted()
        profile = result.profile()
        # Readings are numbered: main 0, twice 1, leaf 2 and 3, leaf 4 and 5, twice 6, region 7,
        # leaf 8 and 9 ...
        exclusive = figures(profile, "hwprof.a")
        self.assertEqual(exclusive, figures(profile, "hwprof.b"))
        self.assertEqual(exclusive["twice<main"], 3)
        self.assertEqual(exclusive["leaf<twice<main"], 2)
        self.assertEqual(exclusive["leaf<region<main"], 1)
        self.assertEqual(figures(profile, "hwprof.a.inclusive")["twice<main"], 5)
        # A recursion reads the counters once.
        self.assertEqual(figures(profile, "hwprof.a.inclusive")["recurse<main"], 3)
        # Every path has counts, even the one that was left by longjmp.
        self.assertEqual(set(exclusive), {
            "main", "twice<main", "leaf<twice<main", "region<main", "leaf<region<main",
            "recurse<main", "leaf<recurse<main", "jumps_out<main"})

    def test_exclusive_counts_add_up(self):
        profile = self.counted().profile()
        self.assertEqual(sum(figures(profile, "hwprof.a").values()),
                         figures(profile, "hwprof.a.inclusive")["main"])

    def test_levels(self):
        self.assertEqual(set(figures(self.counted(levels=2).profile(), "hwprof.a")), {
            "main", "twice<main", "recurse<main", "jumps_out<main", "region<main",
            "leaf<region<main"})  # regions do not count as levels
        self.assertEqual(set(figures(self.counted(levels=0).profile(), "hwprof.a")),
                         {"region<main"})

    def test_functions_by_name(self):
        profile = self.counted(levels=0, functions="^lea").profile()
        self.assertEqual(set(figures(profile, "hwprof.a")),
                         {"region<main", "leaf<region<main", "leaf<twice<main",
                          "leaf<recurse<main"})

    def test_time_of_paths_without_readings_is_their_callers(self):
        profile = self.counted(levels=1).profile()
        times = figures(profile, "hwprof.T")
        exclusive = sum(node["exclusive_ns"] for node in profile["nodes"])
        self.assertAlmostEqual(sum(times.values()) / exclusive, 1, delta=0.01)

    def test_threads_have_levels_of_their_own(self):
        program = compile_program("counters.c", ("-O1", "-pthread"))
        profile = self.profile([program, "3", "threads"],
                               config=config(DUMMY, type="dummy", levels=1)).profile()
        self.assertEqual(set(figures(profile, "hwprof.a")), {"main", "thread<[thread]<main"})

    def test_nothing_is_read_without_counters_or_when_switched_off(self):
        for settings in ({"hwprof": {"type": "dummy"}},
                         config(DUMMY, type="dummy", active=False)):
            program = compile_program("counters.c", ("-O1", "-pthread"))
            profile = self.profile([program, "3"], config=settings).profile()
            self.assertEqual(metrics_except_process(profile), [])
            self.assertNotIn("counters", profile["run"])

    def test_tables(self):
        result = self.counted(
            show_counters=True, show_summary=True, sort_by_column=1,
            observables=[{"name": "sum", "formula": "a + b", "unit": "u"},
                         {"name": "per call", "formula": "a / CALLS"}])
        text = result.text()
        rows = result.rows("HWProf - Observables (Dummy)")
        self.assertEqual(list(rows[0]), ["#Calls", "Func", "sum [u]", "per call"])
        per_call = [float(row["per call"]) for row in rows]
        self.assertEqual(per_call, sorted(per_call, reverse=True))
        leaf = [row for row in rows if row["Func"] == "leaf"]
        self.assertIn({"#Calls": "2", "Func": "leaf", "sum [u]": "4.000000",
                       "per call": "1.000000"}, leaf)
        counters = result.rows("HWProf - Hardware Counters (Dummy)")
        self.assertEqual(list(counters[0]), ["#Calls", "Func", "one", "two"])
        self.assertIn("\nHWProf observables summary:\n", text)
        self.assertIn("\nHWProf counters summary:\n", text)
        self.assertLess(text.index("HWProf - Observables"), text.index("Global call stacks:"))

    def test_pause_is_left_out(self):
        """The dummy counter is not read during a pause, nor by the pause itself."""
        profile = self.counted("pause").profile()
        self.assertEqual(figures(profile, "hwprof.a")["leaf<twice<main"], 2)

    def test_a_process_that_calls__exit_leaves_its_counts(self):
        program = compile_program("counters.c", ("-O1", "-pthread"))
        result = run([program, "3", "exit"], config=config(DUMMY, type="dummy"))
        self.assertEqual(figures(result.profile(), "hwprof.a")["leaf<twice<main"], 2)

    def test_readings_go_to_the_trace(self):
        program = compile_program("counters.c", ("-O1", "-pthread"))
        settings = config(DUMMY, type="dummy", levels=2)
        settings["sampling"] = {"active": True, "sample_interval": 0}
        result = self.profile([program, "3"], config=settings)
        self.assertEqual(figures(result.profile(), "hwprof.a")["twice<main"], 1)
        need_part("BUILD_TOOLS")
        dump = run([COMMAND, "dump", next(result.folder.glob("*.vfd"))], preload=False).stdout
        self.assertRegex(dump, r" 0 0 call main<init\n.* 1 1 call twice<main<init\n")
        self.assertRegex(dump, r"\n +[0-9.]+ 2 2 exit twice<main<init\n")
        self.assertIn("\n Counter names & symbols: \n\none -> a\ntwo -> b\n", dump)

    def test_the_exit_of_init_has_a_reading_of_its_own(self):
        program = scratch_folder() / "region"
        subprocess.run(["gcc", "-I", SOURCE / "include", "-x", "c", "-", "-o", program,
                        *LINK_LIBRARY], check=True, text=True, input="""
            #include <vftrace.h>
            int main(void) { vftrace_region_begin("r"); vftrace_region_end("r"); return 0; }""")
        settings = config(DUMMY, type="dummy")
        settings["sampling"] = {"active": True, "sample_interval": 0}
        result = self.profile([program], config=settings)
        need_part("BUILD_TOOLS")
        dump = run([COMMAND, "dump", next(result.folder.glob("*.vfd"))], preload=False).stdout
        samples = dump.split("Stack and message samples:\n")[1].split("\n\n")[0]
        self.assertEqual([line.split(maxsplit=1)[1] for line in samples.splitlines()],
                         ["0 0 call r*<init", "1 1 exit r*<init", "2 2 exit init"])
        self.assertEqual(figures(result.profile(), "hwprof.a"), {"r": 1})


class MpiFunctions:
    """They are functions like others: levels apply to them, and their names choose them."""

    def counted(self, **options):
        """The run, its MPI functions by call path, and the paths that have counts."""
        options = {f"hwprof.{key}": value for key, value in options.items()}
        result = run_mpi(self.family, compile_mpi(self.family, "pcontrol.c"), 2, PRELOAD, {
            "hwprof.counters": json.dumps(DUMMY), "hwprof.show_counters": "yes",
            "sampling.active": "yes", "sampling.sample_interval": 0, **options})
        profile = result.profile()
        mpi = {path_text(profile, node) for node in profile["nodes"]
               if profile["functions"][node["function"]]["kind"] == "mpi"}
        self.assertIn("MPI_Sendrecv<ring<main", mpi)
        self.assertIn("MPI_Pcontrol<main", mpi)
        return result, mpi, set(figures(profile, "hwprof.a"))

    def test_all_levels(self):
        result, mpi, counted = self.counted(levels=-1)
        # MPI_Init begins before there are counters.
        self.assertLessEqual({path for path in mpi if "MPI_Init" not in path}, counted)
        rows = {row["Func"]: row for row in result.rows("HWProf - Hardware Counters (Dummy)")}
        self.assertIn("MPI_Allreduce", rows)
        # Two ranks, six calls each, and one reading more at the end of a call than at its beginning.
        self.assertEqual((rows["MPI_Allreduce"]["#Calls"], rows["MPI_Allreduce"]["one"]), ("12", "12"))
        need_part("BUILD_TOOLS")
        for trace in result.folder.glob("*.vfd"):
            dump = run([COMMAND, "dump", trace], preload=False).stdout
            self.assertRegex(dump, r" (\d) \1 call MPI_Pcontrol\*<main<init\n")
            for before, after in re.findall(
                    r" (\d) \d call MPI_Pcontrol\*<main<init\n.* (\d) \d exit MPI_Pcontrol", dump):
                self.assertEqual(int(after), (int(before) + 1) % 10)

    def test_some_levels(self):
        _, mpi, counted = self.counted(levels=2)
        self.assertEqual({path for path in mpi if path in counted and "MPI_Init" not in path},
                         {path for path in mpi if path.count("<") == 1 and "MPI_Init" not in path})
        _, mpi, counted = self.counted(levels=1)
        self.assertEqual(counted & mpi, set())

    def test_by_name(self):
        _, mpi, counted = self.counted(levels=0, functions="^MPI_Send")
        self.assertEqual(counted, {path for path in mpi if path.startswith("MPI_Send")})


class OpenMpiFunctions(MpiFunctions, MpiTest):
    family = OPEN_MPI


class MpichFunctions(MpiFunctions, MpiTest):
    family = MPICH


class ObservablesWithoutCounters(ProgramTest):
    """Constants, T and CALLS need no counters."""
    OBSERVABLES = [{"name": "k", "formula": "42"}, {"name": "t", "formula": "T * 1e9", "unit": "ns"},
                   {"name": "n", "formula": "CALLS"}]

    def test_every_path_has_a_row(self):
        program = compile_program("counters.c", ("-O1", "-pthread"))
        result = self.profile([program, "3"], config={"hwprof": {
            "show_summary": True, "show_counters": True, "observables": self.OBSERVABLES}})
        rows = result.rows("HWProf - Observables (Dummy)")
        self.assertEqual(list(rows[0]), ["#Calls", "Func", "k", "t [ns]", "n"])
        profile = result.profile()
        names = {i: element["display"] for i, element in enumerate(profile["functions"])}
        self.assertEqual(
            sorted((row["Func"], float(row["t [ns]"]), float(row["n"])) for row in rows),
            sorted((names[node["function"]], node["exclusive_ns"], node["calls"])
                   for node in profile["nodes"][1:]))
        self.assertEqual({row["k"] for row in rows}, {"42.000000"})
        self.assertIn("\nHWProf observables summary:\n", result.text())
        for title in ("Hardware Counters", "HWProf counters summary", "read the counters"):
            self.assertNotIn(title, result.text())
        self.assertEqual(metrics_except_process(profile), [])
        need_part("BUILD_TOOLS")
        printed = command("report", "--hwprof", str(next(result.folder.glob("*_all.json"))))
        self.assertEqual(printed.status, 0, printed.stderr)
        self.assertTrue(printed.stdout.startswith("HWProf - Observables (Dummy)\n"))

    def test_they_can_be_switched_off(self):
        program = compile_program("counters.c", ("-O1", "-pthread"))
        for off in ("active", "show_observables"):
            result = self.profile([program, "3"], config={"hwprof": {
                off: False, "observables": self.OBSERVABLES}})
            self.assertNotIn("HWProf", result.text())


class PerfCounters(ProgramTest):
    def setUp(self):
        super().setUp()
        if not perf_counts_page_faults():
            self.skipTest("the kernel does not let this process count page faults")

    def counted(self, pages, what="calls", expect_stderr="", **options):
        program = compile_program("counters.c", ("-O1", "-pthread"))
        return self.profile([program, str(pages), what], expect_stderr=expect_stderr,
                            config=config(FAULTS, type="perf", **options))

    def assert_about(self, value, expected):
        """A few pages are touched for other reasons: stacks, tables."""
        self.assertGreaterEqual(value, expected)
        self.assertLessEqual(value, expected + 40)

    def test_page_faults_are_shown_where_they_happened(self):
        faults = figures(self.counted(500).profile(), "hwprof.faults")
        self.assert_about(faults["leaf<twice<main"], 1000)
        self.assert_about(faults["leaf<region<main"], 500)
        self.assert_about(faults["twice<main"], 0)
        self.assert_about(faults["region<main"], 0)

    def test_paths_without_readings_belong_to_their_callers(self):
        faults = figures(self.counted(500, levels=2).profile(), "hwprof.faults")
        self.assert_about(faults["twice<main"], 1000)
        self.assertNotIn("leaf<twice<main", faults)

    def test_every_thread_has_its_own(self):
        faults = figures(self.counted(300, "threads").profile(), "hwprof.faults")
        self.assert_about(faults["leaf<twice<thread<[thread]<main"], 1800)

    def test_calls_that_are_open_on_other_threads_count(self):
        faults = figures(self.counted(1, "blocked").profile(), "hwprof.faults")
        self.assert_about(faults["leaf<blocked<[thread]<main"], 50)
        self.assertIn("blocked<[thread]<main", faults)

    def test_pauses_are_left_out(self):
        faults = figures(self.counted(200, "pause").profile(), "hwprof.faults")
        self.assert_about(faults["main"], 0)
        self.assert_about(faults["leaf<twice<main"], 400)
        self.assert_about(faults["leaf<main"], 200)

    def test_a_program_that_closes_descriptors_is_not_harmed(self):
        faults = figures(self.counted(
            100, "close", expect_stderr=r"vftrace: hwprof: the counters can no longer be read "
            r"\(were descriptors closed\?\); this thread continues without counters\n").profile(),
                         "hwprof.faults")
        self.assert_about(faults["leaf<twice<main"], 200)

    def test_time_in_formulas(self):
        result = self.counted(2000, observables=[
            {"name": "rate", "formula": "faults / T", "unit": "1/s"}])
        rows = {row["Func"]: row for row in result.rows("HWProf - Observables (Perf)")
                if row["#Calls"] == "2"}
        self.assertGreater(float(rows["leaf"]["rate [1/s]"]), 1e4)


class WithoutCounters(ProgramTest):
    """One line, and a profile without counters."""

    def says(self, settings, line):
        program = compile_program("counters.c", ("-O1", "-pthread"))
        result = self.profile([program, "3"], config=settings,
                              expect_stderr=r"vftrace: hwprof: no counters are read: " + line +
                              "\n")
        return result

    def test_unknown_names(self):
        self.says(config([{"hwc_name": "cycels", "symbol": "c"}], type="perf"),
                  r'perf does not have a counter "cycels" \(did you mean "cycles"\?\)')

    def test_too_many(self):
        self.says(config([{"hwc_name": "x", "symbol": f"s{i}"} for i in range(33)], type="dummy"),
                  "there are 33, but at most 32 are possible")

    def test_papi_without_the_event(self):
        self.says(config([{"hwc_name": "NO_SUCH_EVENT", "symbol": "c"}], type="papi"), ".*PAPI.*|"
                  "the library libpapi.so is not installed, or its version is not supported")


class Papi(ProgramTest):
    """A stand-in for PAPI whose counters count readings in steps of 100."""
    SOURCE = r"""
    #include <string.h>
    static __thread long long reading;
    static __thread int events;
    int PAPI_library_init(int version) { return version; }
    int PAPI_thread_init(unsigned long (*id)(void)) { return id() ? 0 : -1; }
    int PAPI_create_eventset(int *set) { *set = 7; events = 0; return 0; }
    int PAPI_add_named_event(int set, const char *name) {
        events++; return set == 7 && strcmp(name, "GOOD") == 0 ? 0 : -7; }
    int PAPI_start(int set) { return set == 7 ? 0 : -1; }
    int PAPI_read(int set, long long *values) {
        reading += 100;
        for (int i = 0; i < events; i++) values[i] = reading;
        return set == 7 ? 0 : -1; }
    int PAPI_stop(int set, long long *values) { return PAPI_read(set, values); }
    int PAPI_cleanup_eventset(int set) { return set == 7 ? 0 : -1; }
    int PAPI_destroy_eventset(int *set) { *set = -1; return 0; }
    int PAPI_unregister_thread(void) { return 0; }
    char *PAPI_strerror(int error) { return error == -7 ? "Event does not exist" : "?"; }
    """

    def test_events_by_name(self):
        folder = scratch_folder()
        (folder / "papi.c").write_text(self.SOURCE)
        subprocess.run([os.environ.get("CC", "gcc"), "-shared", "-fPIC", "-o",
                        folder / "libpapi.so.7.2", folder / "papi.c"], check=True)
        program = compile_program("counters.c", ("-O1", "-pthread"))
        counters = [{"hwc_name": "GOOD", "symbol": "g"}]
        result = run([program, "3"], config=config(counters, type="papi"),
                     LD_LIBRARY_PATH=str(folder))
        self.assertEqual(result.stderr, "")
        self.assertEqual(figures(result.profile(), "hwprof.g")["twice<main"], 300)
        counters = [{"hwc_name": "BAD", "symbol": "g"}]
        result = run([program, "3"], config=config(counters, type="papi"),
                     LD_LIBRARY_PATH=str(folder))
        self.assertEqual(result.stderr,
                         'vftrace: hwprof: no counters are read: PAPI cannot count "BAD" here: '
                         'Event does not exist\n')


class Scenarios(CommandTest):
    def check(self, settings):
        folder = scratch_folder()
        (folder / "config.json").write_text(json.dumps(settings))
        return command("config", "check", "config.json", folder=folder)

    def test_a_scenario_replaces_the_arrays(self):
        folder = scratch_folder()
        (folder / "scenario.json").write_text(json.dumps(
            {"counters": DUMMY, "observables": [{"name": "s", "formula": "a*b"}]}))
        program = compile_program("counters.c", ("-O1", "-pthread"))
        result = run([program, "3"], config={"hwprof": {
            "type": "dummy", "default_scenario": str(folder / "scenario.json")}})
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.profile()["config"]["hwprof"]["counters"], DUMMY)
        self.assertEqual(len(result.rows("HWProf - Observables (Dummy)")[0]), 3)

    def test_errors_of_formulas_are_shown_with_their_place(self):
        result = self.check({"hwprof": {"counters": DUMMY, "observables": [
            {"name": "bad", "formula": "a + * b"}]}})
        self.assertNotEqual(result.status, 0)
        self.assertRegex(result.stderr + result.stdout,
                         r'hwprof: The formula of "bad" cannot be computed: .*\n {9}a \+ \* b\n {9}    +\^')

    def test_unusable_observables_are_reported(self):
        bad = self.check({"hwprof": {"counters": DUMMY, "observables": [
            {"name": "bad", "formula": "c / T"}]}})
        self.assertIn('hwprof: The formula of "bad" cannot be computed: ', bad.stderr)
        self.assertRegex(bad.stderr, r"\n +Its variables can be: a, b, T, CALLS\.\n")
        off = self.check({"hwprof": {"active": False, "observables": [
            {"name": "n", "formula": "CALLS"}]}})
        self.assertEqual(off.stderr, "vftrace: hwprof.active is false: no counters are read and no "
                         "observables are computed\n")
        good = self.check({"hwprof": {"observables": [{"name": "n", "formula": "CALLS"}]}})
        self.assertEqual((good.status, good.stderr), (0, ""))

    def test_the_log_shows_what_is_wrong_with_a_formula(self):
        program = compile_program("counters.c", ("-O1", "-pthread"))
        result = run([program, "3"], config=config(DUMMY, type="dummy", observables=[
            {"name": "bad", "formula": "a + c"}, {"name": "good", "formula": "a"}]))
        self.assertIn('"bad" cannot be computed: ', result.text())
        self.assertIn("\na + c\n    ^\n", result.text())
        self.assertEqual(list(result.rows("HWProf - Observables (Dummy)")[0]),
                         ["#Calls", "Func", "good"])

    def test_report_prints_the_tables_again(self):
        program = compile_program("counters.c", ("-O1", "-pthread"))
        result = run([program, "3"], config=config(DUMMY, type="dummy", show_counters=True,
                                                   observables=[{"name": "s", "formula": "a"}]))
        file = str(next(result.folder.glob("*_all.json")))
        printed = command("report", "--hwprof", file, folder=result.folder)
        self.assertEqual(printed.status, 0, printed.stderr)
        log = result.text()
        table = log[log.index("HWProf - Observables"):log.index("Global call stacks:")]
        self.assertEqual(words_of(printed.stdout)[:len(words_of(table))], words_of(table))
        without = run([program, "3"], config={"hwprof": {"type": "dummy"}})
        file = str(next(without.folder.glob("*_all.json")))
        printed = command("report", "--hwprof", file, folder=without.folder)
        self.assertEqual(printed.status, 2)
        self.assertIn("this run did not read hardware counters", printed.stderr)
