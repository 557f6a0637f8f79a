"""What scripts written for Vftrace 2.0 can search for: file names, headings, lines and messages.

Each text stands here in the words of Vftrace 2.0, once. No change of wording may touch them; what is
different on purpose is in doc/from-vftrace-2.md and not here. (Layouts: test_log_layout.py.)"""
import json
import re
import unittest

from command_support import CHECK_CONFIG, GENERATE_CONFIG
from gpu_support import compile_gpu, standin_environment
from mpi_support import MPICH, OPEN_MPI, PRELOAD, compile_mpi, run_mpi
from support import BUILD, ProgramTest, compile_program, need_part, run, scratch_folder

# Regular expressions that lines of a log match from their beginning, in this order.
LOG = [
    r"Runtime profile for application:", r"Start Date: \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$",
    r"End Date:   \w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$",
    r"This is free software with ABSOLUTELY NO WARRANTY\.$",
    r"Total runtime:         +\d+\.\d\d s$", r"Application time:      +\d+\.\d\d s$",
    r"Overhead:              +\d+\.\d\d s$", r"   Function hooks:     +\d+\.\d\d s$",
    r"Vftrace used memory: +\d+\.\d\d [KM]iB$", r"Runtime profile$",
    r"\| *Calls *\| *t_excl\[s\] *\| *t_excl\[%\] *\| *t_incl\[s\] *\| *overhead\[s\] *\| *Function *"
    r"\| *Caller *\| *STID *\| *Callpath *\|$",
    r"\|.*\| *init *\| *---- *\|",
    r"Runtime profile \(Grouped by function name\)$",
    r"\| *Calls *\| *t_excl\[s\] *\| *t_excl\[%\] *\| *t_incl\[s\] *\| *Function *\| *STIDs *\|$",
    r"HWProf - Observables \(Dummy\)$", r"\| *#Calls *\| *Func *\| *o1 \[1/s\] *\| *o2 \[u\] *\|$",
    r"HWProf - Hardware Counters \(Dummy\)$", r"\| *#Calls *\| *Func *\| *one *\| *two *\|$",
    r"Global call stacks:$", r" +STID *Call stack *$", r" +STID\d+ +main<init *$",
    r'Vftrace configuration read from ".*"$', r"\{$"]
SUMMARIES = ["HWProf observables summary:", "HWProf counters summary:"]
OPTIONS = {
    "logfile_for_ranks": "all",
    "profile_table": {"show_callpath": True, "show_overhead": True},
    "name_grouped_profile_table": {"show_table": True},
    "sampling": {"active": True, "sample_interval": 0},
    "hwprof": {"show_counters": True, "show_summary": True,
               "counters": [{"hwc_name": "one", "symbol": "a"}, {"hwc_name": "two", "symbol": "b"}],
               "observables": [{"name": "o1", "formula": "a/T", "unit": "1/s"},
                               {"name": "o2", "formula": "b", "unit": "u"}]}}

# What vftrace_check_config prints for a file: (content, lines).
MARKER = " " * 16 + "<= Parsing error occoured here"
CHECKED = [
    ('{"off": 1}', ["off expects a boolean."]),
    ('{"demangle_cxx": 1}', ["demangle_cxx expects a boolean."]),
    ('{"sampling": {"outbuffer_size": "8"}}', ["sampling.outbuffer_size expects an integer."]),
    ('{"sampling": {"sample_interval": "1"}}', ["sampling.sample_interval expects an float."]),
    ('{"output_directory": 3}', ["output_directory expects a string."]),
    ('{"outfile_basename": 3}', ["outfile_basename expects a string of null."]),
    ('{"hwprof": {"counters": [{"hwc_name": "A"}]}}',
     ["hwprof.counters.symbol expects a string."]),
    ('{"output_directory": null}', ['output_directory cannot be "null"']),
    ('{"profile_table": {"sort_table": {"column": "x"}}}',
     ['"x" is not a valid option for profile_table.sort_table.column',
      'Valid options are: "time_excl", "time_incl", "calls", "stack_id", "overhead", "none"']),
    ('{"cuda": {"sort_table": {"column": "x"}}}',
     ['"x" is not a valid option for cuda.sort_table.column',
      'Valid options are: "time", "memcpy", "cbid", "calls", "none"']),
    ('{"mpi": {"sort_table": {"column": "x"}}}',
     ['"x" is not a valid option for mpi.sort_table.column',
      'Valid options are: "messages", "send_size", "recv_size", "send_bw", "recv_bw", "comm_time", '
      '"stack_id", "none"']),
    ('{"logfile_for_ranks": "foo"}',
     ['Unable to properly parse given list "foo" for "logfile_for_ranks".',
      'Valid values are: "all", "none", "a-b", "a,b", or a mix of the latter two.']),
    ('{"sampling": {"sample_interval": -1}}',
     ["-1.000000 is not a valid value for sampling.sample_interval"]),
    ('{"sampling": {"outbuffer_size": 0}}', ["0 is not a valid value for sampling.outbuffer_size"]),
    ('{"hwprof": {"counters": [{"hwc_name": "A", "symbol": "T"}]}}',
     ["hwprof: Symbol T is reserved for a builtin variable."]),
    ('{"offf": true, "mpi": {"show_tables": true}}',
     ['Warning: "offf" is not a valid vftrace option.', '         Did you mean "off"?',
      'Warning: "show_tables" is not a valid vftrace option.',
      '         Did you mean "show_table"?']),
    # An excerpt of at most three lines on either side of the error, counting the parts of its own.
    ('{\n"off": false,\n"mpi": {},\n"cuda": {},\n"hwprof" {},\n"a": 1,\n"b": 1,\n"c": 1\n}\n',
     ["Could not parse vftrace config file.", "Parsing failed in line 5", "...", '"mpi": {},',
      '"cuda": {},', '"hwprof" ' + MARKER, "{},", '"a": 1,', '"b": 1,', "..."]),
]
# Beginnings of messages that go on in other words.
CHECKED_BEGINNINGS = [
    ('{"sampling": {"precise_functions": "("}}', 'Invalid Regular Expression "("'),
    ('{"hwprof": {"type": "x"}}',
     '"x" is not a valid option for hwprof.type\nMust be one of: dummy, papi, likwid, ve')]

DEFAULT_CONFIGURATION = """{
   "off": false,
   "output_directory": ".",
   "outfile_basename": null,
   "logfile_for_ranks": "none",
   "print_config": true,
   "strip_module_names": false,
   "demangle_cxx": false,
   "include_cxx_prelude": false,
   "profile_table": {
      "show_table": true,
      "show_calltime_imbalances": false,
      "show_callpath": false,
      "show_overhead": false,
      "show_minmax_summary": false,
      "sort_table": {
         "column": "time_excl",
         "ascending": false
      }
   },
   "stacklist": {
      "show_stacklist": true
   },
   "name_grouped_profile_table": {
      "show_table": false,
      "max_stack_ids": 8,
      "sort_table": {
         "column": "time_excl",
         "ascending": false
      }
   },
   "sampling": {
      "active": false,
      "sample_interval": 0.005000,
      "outbuffer_size": 8,
      "precise_functions": null
   },
   "mpi": {
      "show_table": true,
      "log_messages": true,
      "only_for_ranks": "all",
      "show_sync_time": false,
      "show_callpath": false,
      "sort_table": {
         "column": "none",
         "ascending": false
      }
   },
   "cuda": {
      "show_table": true,
      "sort_table": {
         "column": "time",
         "ascending": false
      }
   },
   "hwprof": {
      "type": "dummy",
      "active": true,
      "show_observables": true,
      "show_counters": false,
      "show_summary": false,
      "sort_by_column": 0,
      "default_scenario": "",
      "counters": [
      ],
      "observables": [
      ]
   }
}
"""

VFD_HEADER = ["Version ID:      ", "Start Date:      ", "End Date:        ", "Processes:       0 of 1",
              "Threads:         1", "Sample interval: 0.000000e+00 seconds", "Job runtime:     ",
              "Samples:         ", "   Function:     ", "   Messages:     0", "Unique stacks:   ",
              "HW counters:     2", "HW observables:  2", "Stacks offset:   0x",
              "Sample offset:   0x9c", "Thread offset:   0x", "HWprof offset:   0x"]
VFD_LISTS = ["Threadtree:\n", "Stacks list:\n   0: init\n", "Stack and message samples:\n",
             "Counter names & symbols:", "one -> a\n", "two -> b\n", "Observables:", "o1: a/T [1/s]"]

MPI_LOG = [
    r"Nr\. of MPI ranks:     +2$", r"   Function hooks:     +\d+\.\d\d s$",
    r"   MPI wrappers:       +\d+\.\d\d s$", r"Runtime profile$",
    r"\|.*\| *Imbalances\[%\] *\| *on rank *\| *Function *\| *Caller *\| *STID *\|$",
    r" Summary: Min/Max runtime across all ranks$",
    r"\| *STID *\| *Function *\| *t_max\[s\] *\| *rank *\| *t_min\[s\] *\| *rank *\| *t_avg\[s\] *\|$",
    r"Communication profile$",
    r"\| *Messages *\| *avg send size\[B\] *\| *avg recv size\[B\] *\| *avg send BW\[B/s\] *"
    r"\| *avg recv BW\[B/s\] *\| *avg comm time\[s\] *\| *Function *\| *Caller *\| *STID *"
    r"\| *Callpath *\|$", r"Global call stacks:$"]
MPI_FILES = ["_0.log", "_0.vfd", "_0_mpi.log", "_1.log", "_1.vfd", "_1_mpi.log", "_all.json",
             "_all.log", "_all_minmax.log", "_all_mpi.log", "_all_namegroup.log"]

CUDA_LOG = [r"Total CUDA time:", r"   Compute:", r"   Memcpy:", r"   Other:", r"--Cuda Summary--$",
            r"Using \d+ GPUs?:", r"Visible GPUs: all$",
            r"\| *STID *\| *cudaName *\| *CBID *\| *#Calls *\| *t_compute\[s\] *\| *t_memcpy\[s\] *"
            r"\| *t_other\[s\] *\| *Host->Device\[B\] *\| *Device->Host\[B\] *\|$",
            r"CUDA ratio of memcpy / kernel calls:$", r"Global call stacks:$", r"CUPTI CBID names:$"]


class WordsTest(ProgramTest):
    def has_in_order(self, expressions, text):
        lines = iter(text.splitlines())
        for expression in expressions:
            self.assertTrue(any(re.match(expression, line) for line in lines),
                            f"{expression}\nis not there, or not after those before it, in\n{text}")


class Logs(WordsTest):
    def test_serial_program(self):
        result = run([compile_program("call_counts.c")], config=OPTIONS)
        self.assertEqual(result.files(), ["call_counts_0.log", "call_counts_0.vfd",
                                          "call_counts_all.json", "call_counts_all.log",
                                          "config.json"])
        log = result.text()
        self.has_in_order(LOG, log)
        for line in SUMMARIES:
            self.assertIn(f"\n{line}\n", log)
        own = result.text("_0.log")
        self.assertIn("\nHWProf profile - Observables (Dummy)\n", own)
        self.assertIn("\nTotal HWprof counters:\n", own)
        self.assertNotIn("Grouped by function name", own)

    def test_default_configuration_is_that_of_the_old_generator_except_for_names(self):
        """And it is no longer than it was."""
        log = run([compile_program("call_counts.c")], VFTR_OVERHEAD_BUDGET="").text()
        heading = "\nVftrace default configuration:\n"
        self.assertIn(heading, log)
        self.assertEqual(log.partition(heading)[2], DEFAULT_CONFIGURATION.replace(
            '"demangle_cxx": false', '"demangle_cxx": "full"'))

    def test_a_signal(self):
        result = run([compile_program("end_by_signal.c", ("-O1", "-pthread")), "raise", "15"])
        self.assertRegex(result.text(), r"(?m)^\*+$\n.*Application was cancelled by signal: Terminated")

    def test_separate_files(self):
        result = run([compile_program("call_counts.c")],
                     config={**OPTIONS, "profile_table": {"separate": True}})
        self.assertEqual([name for name in result.files() if name.endswith(".log")],
                         ["call_counts_0.log", "call_counts_0_hwprof.log", "call_counts_all.log",
                          "call_counts_all_hwprof.log", "call_counts_all_namegroup.log"])

    def test_cuda(self):
        result = run([compile_gpu("two_streams.c")], **standin_environment())
        self.has_in_order(CUDA_LOG, result.text())


class MpiLogs:
    def test_log_and_files(self):
        self.family.need("mpicc", "mpirun")
        options = {"profile_table.show_calltime_imbalances": True, "mpi.show_callpath": True,
                   "profile_table.show_minmax_summary": True}
        program = compile_mpi(self.family, "p2p_blocking.c")
        self.has_in_order(MPI_LOG, run_mpi(self.family, program, 2, PRELOAD, options).text())
        result = run_mpi(self.family, program, 2, PRELOAD, {
            **options, "profile_table.separate": True, "logfile_for_ranks": "all",
            "name_grouped_profile_table.show_table": True, "sampling.active": True})
        self.assertLessEqual({"p2p_blocking" + suffix for suffix in MPI_FILES}, set(result.files()))


class OpenMpiLogs(MpiLogs, WordsTest):
    family = OPEN_MPI


class MpichLogs(MpiLogs, WordsTest):
    family = MPICH


class Tools(WordsTest):
    def setUp(self):
        super().setUp()
        need_part("BUILD_TOOLS")

    def check(self, content):
        path = scratch_folder() / "checked.json"
        path.write_text(content)
        result = run([CHECK_CONFIG, path], preload=False)
        return result, f"Checking of config file {path} is complete\n"

    def test_check_config(self):
        for content, lines in CHECKED:
            with self.subTest(content=content):
                result, complete = self.check(content)
                self.assertEqual(result.stderr.splitlines(), lines)
                warned_only = lines[0].startswith("Warning: ")
                self.assertEqual(result.stdout, complete if warned_only else "")
        for content, beginning in CHECKED_BEGINNINGS:
            with self.subTest(content=content):
                result, _ = self.check(content)
                self.assertTrue(result.stderr.startswith(beginning), result.stderr)

    def test_library_says_more(self):
        """In the words of Vftrace 2.0 too, but also where a wrong key is."""
        result = run([compile_program("call_counts.c")], config={"mpi": {"show_tables": True}})
        self.assertIn('Warning: "show_tables" is not a valid vftrace option.\n', result.stderr)
        self.assertIn('This is in "mpi".\n', result.stderr)

    def test_missing_configuration(self):
        result = run([compile_program("call_counts.c")], VFTR_CONFIG="/does/not/exist")
        self.assertEqual(result.stderr, 'vftrace: cannot read the configuration file '
                         '"/does/not/exist": No such file or directory\n')

    def test_generate_default_config(self):
        result = run([GENERATE_CONFIG], preload=False)
        self.assertEqual((result.status, result.stderr, result.stdout), (0, "", DEFAULT_CONFIGURATION))
        json.loads(result.stdout)

    def test_vfd_dump(self):
        result = run([compile_program("call_counts.c")], config=OPTIONS)
        dump = run([BUILD / "vftrace_vfd_dump", "--show_threadtree",
                    result.folder / "call_counts_0.vfd"], preload=False).stdout
        self.has_in_order(map(re.escape, VFD_HEADER), dump)
        for text in VFD_LISTS:
            self.assertIn(text, dump)
        self.assertRegex(dump, r"(?m)^ +\d+\.\d{6} 0 0 call main<init$")
        self.assertRegex(dump, r"(?m)^ +\d+\.\d{6} .* exit init$")


if __name__ == "__main__":
    unittest.main()
