"""Containers are used only in guarded code: elsewhere running out of memory could not be handled.

Follows all calls in the machine code of the library, from all functions that others can call, and
checks that none reaches the failure of a container without passing run_guarded()."""
import bisect
import collections
import platform
import re
import subprocess
import unittest

from support import BUILD, LIBRARY, need

# Functions in which containers end that get no memory.
GIVES_UP = ("vftrace::give_up(", "operator new", "std::__throw_bad_", "std::__throw_length_error(")
# Functions in which they end if an access is out of range: these checks, mostly of texts, never fail.
FAULTS = ("std::__throw_out_of_range", "std::__throw_logic_error(")
# Functions that are in tables or passed as arguments, and that only guarded code calls.
CALLED_BY_GUARDED_CODE = (
    "vftrace::(anonymous namespace)::Conversion::take(",  # of a vfd file
    "vftrace::(anonymous namespace)::note_candidate(",
    "vftrace::(anonymous namespace)::all_views::{lambda(",  # of a text log
    "void vftrace::(anonymous namespace)::with<",
    "vftrace::write_counter_tables(", "vftrace::write_runtime_profile(",
    "vftrace::FunctionRef<void (unsigned long, vftrace::TableRow&)>::",  # rows of tables
    "vftrace::FunctionRef<void (vftrace::JsonWriter&)>::",  # further members of a profile's JSON
    "vftrace::FunctionRef<unsigned int (unsigned long)>::FunctionRef<vftrace::ProfileMerger::add(",
    "vftrace::TextTables::", "vftrace::has_metric_tables(", "vftrace::has_process_tables(",
    "vftrace::(anonymous namespace)::prepare(std::vector<vftrace::HardwareCounter",
    "vftrace::(anonymous namespace)::prepare(vftrace::Options const&",  # of sources
    "vftrace::end_of_growing_line",  # of print_live_line()
    "vftrace::prepare_recovery(")  # which looks for the library's own path by it
# The rules of findings and of the quality of a measurement, for the log.
ARGUMENTS_OF_RULES = "(vftrace::RunFacts const&, "


def is_called_by_guarded_code(name):
    return name.startswith(CALLED_BY_GUARDED_CODE) or ARGUMENTS_OF_RULES in name


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def is_guarded_work(name):
    return "vftrace::run_guarded<" in name and name.endswith(("_FUN(void*)", "__invoke(void*)"))


class Symbols:
    """Names by address."""

    def __init__(self):
        self.names, self.ends, self.starts = {}, {}, []

    def add(self, start, size, name):
        self.names[start] = name
        self.ends[start] = start + max(size, 1)

    def at(self, address):
        """The start of the function that contains the address, or None."""
        if not self.starts:
            self.starts = sorted(self.names)
        index = bisect.bisect_right(self.starts, address) - 1
        if index >= 0 and address < self.ends[self.starts[index]]:
            return self.starts[index]
        return None


class CallGraph:
    """The call graph of a shared library. A function whose address is taken counts as called by the code that
    takes it, those in a table as called by the code that refers to the table."""

    def __init__(self, library):
        self.library = library
        self.functions, self.data = Symbols(), Symbols()
        self.read_symbols()
        self.read_tables()
        self.read_code()

    def read_symbols(self):
        for line in output_of("nm", "-S", "-C", "--defined-only", self.library).splitlines():
            found = re.match(r"([0-9a-f]+) ([0-9a-f]+) (\S) (.*)", line)
            if found:
                kind = self.functions if found[3] in "tTwWi" else self.data
                kind.add(int(found[1], 16), int(found[2], 16), found[4])
        self.roots = {int(line.split()[0], 16) for line in
                      output_of("nm", "-D", "--defined-only", self.library).splitlines()
                      if line.split()[1] in "TWi"}

    def read_tables(self):
        """Addresses of functions that are stored in data."""
        self.slots, self.tables = {}, collections.defaultdict(set)
        for line in output_of("readelf", "-rW", self.library).splitlines():
            found = re.match(r"([0-9a-f]+)\s+[0-9a-f]+\s+R_X86_64_(?:RELATIVE|IRELATIV)\s+"
                             r"([0-9a-f]+)$", line.strip()) or \
                re.match(r"([0-9a-f]+)\s+[0-9a-f]+\s+R_X86_64_(?:64|GLOB_DAT|JUMP_SLO\w*)\s+"
                         r"([0-9a-f]+)\s", line)
            if not found or int(found[2], 16) not in self.functions.names:
                continue
            slot, function = int(found[1], 16), int(found[2], 16)
            self.slots[slot] = function
            table = self.data.at(slot)
            if table is None:  # constructors, destructors
                self.roots.add(function)
            else:
                self.tables[table].add(function)

    def read_code(self):
        self.calls, self.taken = collections.defaultdict(set), set()
        for line in output_of("objdump", "-d", "--no-show-raw-insn", self.library).splitlines():
            found = re.match(r"\s+([0-9a-f]+):\s+(\S+)\s*(.*)", line)
            caller = self.functions.at(int(found[1], 16)) if found else None
            if caller is None:
                continue
            for target in re.findall(r"([0-9a-f]+) <", found[3]):
                self.add_reference(caller, found[2], int(target, 16))

    def add_reference(self, caller, instruction, target):
        function = self.functions.at(target)
        if function is not None:
            takes = instruction in ("lea", "mov")
            if function != caller and (not takes or function == target):
                self.calls[caller].add(function)
            if takes and function == target:
                self.taken.add(function)
        elif target in self.slots and instruction != "lea":
            self.calls[caller].add(self.slots[target])
        else:
            table = self.data.at(target)
            # Sources are called through the list of all sources. A reference to one source means the end of the previous one.
            if not self.data.names.get(table, "").endswith("_source"):
                self.calls[caller] |= self.tables.get(table, set())

    def name(self, function):
        return self.functions.names[function]

    def unguarded(self, roots):
        """{function: its caller} of functions that can be reached without a guard."""
        callers = dict.fromkeys(roots)
        waiting = collections.deque(callers)
        while waiting:
            caller = waiting.popleft()
            for function in sorted(self.calls[caller]):
                name = self.name(function)
                if function not in callers and not is_guarded_work(name) and \
                        not name.startswith(FAULTS):
                    callers[function] = caller
                    waiting.append(function)
        return callers

    def ways_to_give_up(self, roots):
        callers = self.unguarded(roots)
        ways = []
        for function in callers:
            if callers[function] is None or not self.name(function).startswith(GIVES_UP) or \
                    self.name(callers[function]).startswith(GIVES_UP):
                continue
            way, step = [], function
            while step is not None:
                way.append(self.name(step))
                step = callers[step]
            ways.append("\n  <- ".join(way))
        return ways


class Guards(unittest.TestCase):
    def setUp(self):
        if platform.machine() != "x86_64":
            self.skipTest("reads the machine code of x86-64")
        for program in ("nm", "readelf", "objdump"):
            need(program)
        if "-fsanitize" in (BUILD / "config.log").read_text().split("## Output variables")[-1]:
            self.skipTest("does not apply to builds with sanitizers")

    def test_containers_are_used_in_guarded_code_only(self):
        graph = CallGraph(LIBRARY)
        names = graph.functions.names.values()
        # If the analysis did not work, it would find nothing.
        self.assertGreater(sum(map(is_guarded_work, names)), 10)
        self.assertTrue(any(name.startswith("vftrace::give_up(") for name in names))
        in_tables = set().union(*graph.tables.values()) | graph.taken
        others = {function for function in in_tables
                  if not is_guarded_work(graph.name(function)) and
                  not is_called_by_guarded_code(graph.name(function))}
        ways = graph.ways_to_give_up(graph.roots | others)
        self.assertEqual(ways, [], "\n".join(ways))
        guarded = [function for function, name in graph.functions.names.items()
                   if is_guarded_work(name)]
        self.assertNotEqual(graph.ways_to_give_up(guarded), [])
