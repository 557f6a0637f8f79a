"""The generator of the MPI wrappers: its output for the table, and its messages about invalid tables."""
import functools
import json
import pathlib
import re
import subprocess
import sys
import unittest

from support import HERE, INCLUDE_RUNTIME, SOURCE, need, scratch_folder

sys.path.insert(0, str(SOURCE / "wrappers"))
import mpi_table  # noqa: E402

TABLE = SOURCE / "wrappers" / "mpi_functions.txt"
GENERATOR = SOURCE / "wrappers" / "generate.py"

WRAPPER_FILES = [f"mpi_wrappers_{part}.cpp" for part in range(1, 9)]
ALL_FILES = sorted(WRAPPER_FILES + ["mpi-functions.md", "mpi_functions.inc", "mpi_functions.json"])


def generate(table, folder=None):
    """(process, folder) of a run of the generator; table is a path or the text of one."""
    folder = folder or scratch_folder()
    if not isinstance(table, pathlib.Path):
        (folder / "table.txt").write_text(table)
        table = folder / "table.txt"
    process = subprocess.run([sys.executable, str(GENERATOR), str(table), "--output",
                              str(folder / "made")], capture_output=True, text=True)
    return process, folder / "made"


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class BadTables(unittest.TestCase):
    GOOD = ("# head\n[One]\n"
            "MPI_Send(buffer buf, count, datatype, peer dest, tag tag, comm)  1.0 c=4.0  Send\n")

    def test_error_names_file_line_and_fault(self):
        for row, line, fault in (
                ("MPI_Foo(colour red)  1.0  Plain", 4, "unknown role 'colour'"),
                ("MPI_Foo(colour)  1.0  Plain", 4, "unknown role 'colour'"),
                ("MPI_Foo(count+colour red)  1.0  Plain", 4, "unknown role 'colour'"),
                ("MPI_Foo(comm)  1.0  Dance", 4, "unknown operation 'Dance'"),
                ("MPI_Foo(comm)  1.0  Collective tango", 4, "unknown operation 'Collective tango'"),
                ("MPI_Foo(comm)  1.0  request", 4, "unknown operation ''"),
                ("MPI_Foo(comm)  0.9  Plain", 4, "unknown version '0.9'"),
                ("MPI_Foo(comm)  1.0 c=0.9  Plain", 4, "unknown version '0.9'"),
                ("MPI_Foo(comm)  1.0", 4, "not a row"),
                ("MPI_Foo  1.0  Plain", 4, "not a row"),
                ("MPI_Foo(comm  1.0  Plain", 4, "not a row"),
                ("Foo(comm)  1.0  Plain", 4, "not a row"),
                ("MPI_Send(buffer b)  1.0  Plain", 4, "MPI_Send: is also in line 3"),
                ("MPI_Send_c(buffer b)  4.0  Plain", 4, "MPI_Send_c: is also in line 3"),
                ("MPI_Foo_c(comm)  4.0 c=4.0  Plain", 4, "itself the form with large counts"),
                ("MPI_Foo(comm, group comm)  1.0  Plain", 4, "two arguments named 'comm'"),
                ("MPI_Foo(comm,, group)  1.0  Plain", 4, "missing between commas"),
                ("MPI_Foo(comm,)  1.0  Plain", 4, "missing between commas"),
                ("MPI_Foo(value 7up)  1.0  Plain", 4, "has no name"),
                ("MPI_Foo(a b c)  1.0  Plain", 4, "is not 'role name'"),
                ("MPI_Foo(int * p)  1.0  Plain", 4, "is not 'role name'"),
                ("MPI_Foo(comm, ...)  1.0  Plain", 4, "only operation Pcontrol takes '...'"),
                ("MPI_Foo(..., comm)  1.0  Pcontrol", 4, "argument after '...'"),
                ("double MPI_Foo()  1.0  Plain", 4, "operation Clock is for"),
                ("MPI_Foo()  1.0  Clock", 4, "operation Clock is for"),
                ("char MPI_Foo()  1.0  Plain", 4, "unknown return type 'char'"),
                ("MPI_Foo(comm)  1.0  Finalize request", 4, "cannot be 'request'"),
                ("MPI_Foo(comm, request)  1.0  Collective barrier", 4, "has a request, so"),
                ("MPI_Foo(comm)  1.0  Collective barrier request", 4, "needs role 'request'"),
                ("MPI_Foo(count, datatype, datatype d, peer, comm)  1.0  Send", 4,
                 "needs role 'datatype', but more than one argument has it"),
                ("MPI_Foo_c(datatype, peer, window win)  4.0  AtomicUpdate", 4,
                 "has no form with large counts"),
                ("\n\nMPI_Foo(comm,\n        colour red)  1.0  Plain", 6, "unknown role 'colour'"),
                ("[One", 4, "a chapter is written [title]"),
                ("[One]\n    comm)  1.0  Plain", 5, "there is no row that this line could continue")):
            with self.subTest(row=row):
                process, folder = generate(self.GOOD + row + "\n")
                self.assertNotEqual(process.returncode, 0)
                self.assertEqual(process.stdout, "")
                self.assertRegex(process.stderr, rf"^generate\.py: .*table\.txt:{line}: ")
                self.assertIn(fault, process.stderr)
                self.assertEqual(process.stderr.count("\n"), 1, "one line, no traceback")
                self.assertFalse(folder.exists())

    def test_error_of_tables_without_functions(self):
        for text, fault in (("", "no functions"), ("# nothing\n[One]\n", "no functions"),
                            ("  MPI_Foo()  1.0  Plain\n", "there is no row that this line could continue"),
                            ("MPI_Foo()  1.0  Plain\n", "is before the first [chapter]")):
            with self.subTest(text=text):
                process, _ = generate(text)
                self.assertNotEqual(process.returncode, 0)
                self.assertIn("table.txt:1: ", process.stderr)
                self.assertIn(fault, process.stderr)

    def test_files_that_cannot_be_read_or_written(self):
        missing, _ = generate(pathlib.Path("/nowhere/table.txt"))
        self.assertNotEqual(missing.returncode, 0)
        self.assertRegex(missing.stderr, r"^generate\.py: .*/nowhere/table\.txt")
        folder = scratch_folder()
        (folder / "binary.txt").write_bytes(b"[One]\n\xff\xfe\n")
        binary, _ = generate(folder / "binary.txt")
        self.assertRegex(binary.stderr, r"^generate\.py: ")
        (folder / "made").write_text("a file where the folder should be")
        blocked, _ = generate(self.GOOD, folder)
        self.assertNotEqual(blocked.returncode, 0)
        self.assertRegex(blocked.stderr, r"^generate\.py: .*made")


class Output(unittest.TestCase):
    maxDiff = None

    def made(self, table=TABLE):
        process, folder = generate(table)
        self.assertEqual((process.returncode, process.stdout, process.stderr), (0, "", ""))
        return folder

    def test_same_files_every_time_and_always_written(self):
        folder = self.made()
        self.assertEqual(sorted(path.name for path in folder.iterdir()), ALL_FILES)
        first = contents(folder)
        self.assertEqual(contents(self.made()), first)
        for path in folder.iterdir():
            path.write_text("damaged")
        generate(TABLE, folder.parent)
        self.assertEqual(contents(folder), first)

    def test_wrappers_are_spread_over_all_files(self):
        """There are several files so that they are compiled in parallel."""
        folder = self.made()
        parts = [re.findall(r" (MPI_\w+)\(.*{$", (folder / name).read_text(), re.M)
                 for name in WRAPPER_FILES]
        names = [function.name for function in mpi_table.read_table(TABLE) if not function.variadic]
        self.assertEqual(sorted(sum(parts, [])), sorted(names))
        self.assertLessEqual(max(map(len, parts)), min(map(len, parts)) + 1)

    def test_every_operation_refuses_a_row_without_one_of_its_roles(self):
        examples = {(function.operation_name, function.completion): function
                    for function in mpi_table.read_table(TABLE)}
        self.assertEqual({operation for operation, _ in examples}, set(mpi_table.OPERATIONS))
        table = scratch_folder() / "table.txt"
        refused = 0
        for (operation, completion), function in examples.items():
            for role, _ in function.members():
                arguments = [("+".join("value" if other == role else other for other in roles),
                              name) for roles, name in function.arguments]
                words = operation if completion == "blocking" else f"{operation} {completion}"
                table.write_text("[One]\n" + f"{function.name}("
                                 + ", ".join(" ".join(argument) for argument in arguments)
                                 + f")  4.0  {words}\n")
                with self.subTest(operation=words, role=role):
                    with self.assertRaisesRegex(
                            mpi_table.TableError,
                            rf"table\.txt:2: .*needs role '{role}', but no argument has it"):
                        mpi_table.read_table(table)
                refused += 1
        self.assertGreater(refused, 300)

    def test_rows_for_the_enumeration_and_the_documentation(self):
        folder = self.made("[One & two]\nMPI_Send(count, datatype, peer, tag, comm)  1.0 c=4.0  Send\n"
                           "MPI_Pcontrol(value level, ...)  1.0  Pcontrol\n")
        self.assertEqual(re.findall(r'(\w+), "(\w+)"', (folder / "mpi_functions.inc").read_text()),
                         [("MPI_Send", "mpi_send"), ("MPI_Send_c", "mpi_send_c"),
                          ("MPI_Pcontrol", "mpi_pcontrol")])
        chapter = (folder / "mpi-functions.md").read_text().partition("## One & two\n")[2]
        rows = [[cell.strip(" `") for cell in line.split("|")[1:-1]]
                for line in chapter.splitlines() if line.startswith("| `")]
        self.assertEqual(rows, [["MPI_Send", "1.0", "MPI_Send_c` (4.0)", "sends"],
                                ["MPI_Pcontrol", "1.0", "", ""]])


# Names of arguments that have a meaning in C++ or in a wrapper.
ODD_ROW = "[Odd]\nMPI_Odd(value operator, value site, value real, value operation, value and)  1.0  Plain\n"
# Types of operations by which calls are distinguished; all others are "another type".
TYPES = ("Finalize", "Send<false, Completion::blocking>", "Send<false, Completion::request>",
         "Send<true, Completion::request>", "Receive<false, Completion::blocking>",
         "SendReceive<false, Completion::blocking>", "OneSided<Direction::get, false, Completion::request>",
         "Collective<Pattern::barrier, false, Completion::persistent>")


@functools.lru_cache(maxsize=None)
def player():
    """The program that calls all wrappers of the table, and the special one: with 1 for the first argument, 2
    for the second. They have the library's operations, but print what they pass on
    (test/mpi/wrapper_player)."""
    process, folder = generate(TABLE.read_text() + ODD_ROW)
    assert process.returncode == 0, process.stderr
    roles = {role for operation in mpi_table.OPERATIONS.values()
             for completion in ("blocking", "request") for role in operation.members(completion)}
    (folder / "roles.inc").write_text("".join(f"ROLE({role})\n" for role in sorted(roles)))
    source = ['#include "mpi/operations.hpp"', "namespace vftrace {"]
    source += [f'template <> constexpr const char* type_name<{name}> = "{name}";' for name in TYPES]
    # Operations are constructed, but never used.
    source += ["CompletedRequests::~CompletedRequests() {}", "}", *(f'#include "{name}"' for name in WRAPPER_FILES),
               "int main() {"]
    for function in json.loads((folder / "mpi_functions.json").read_text()):
        words = ", ".join(map(str, range(1, function["arguments"] + 1)))
        form = "%.1f" if function["returns"] == "double" else "%zu"
        source += [f'std::printf(" = {form}\\n", vftrace::{prefix}{function["name"]}({words}));'
                   for prefix in ("", "P") if not function["variadic"]]
    (folder / "player.cpp").write_text("\n".join([*source, "}", ""]))
    built = subprocess.run(["g++", "-std=c++20", "-I", folder, "-I", HERE / "mpi" / "wrapper_player",
                            *INCLUDE_RUNTIME, folder / "player.cpp", "-o", folder / "player"],
                           capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder / "player"


class Wrappers(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        need("g++")
        output = subprocess.run([player()], capture_output=True, text=True, check=True).stdout
        # {function: (type of its operation, the operation's members, what the real function got)}
        self.reported = {}
        for line in output.splitlines():
            name, kind, members, passed = re.fullmatch(r"(\w+): (?:\[(.*)\] )?(.*)->(.*)", line).groups()
            self.reported[name] = kind, dict(member.split("=") for member in members.split()), passed.strip()

    def check(self, name, kind, members, passed):
        members = {role: str(place) for role, place in members.items()}
        for function in (name, "P" + name):
            self.assertEqual(self.reported[function], (kind, members, passed), function)

    def test_a_send_that_has_large_counts_too(self):
        members = {"count": 2, "datatype": 3, "peer": 4, "tag": 5, "comm": 6, "request": 7}
        for name, large in (("MPI_Isend", "false"), ("MPI_Isend_c", "true")):
            self.check(name, f"Send<{large}, Completion::request>", members, "1 2 3 4 5 6 7 = 1000")

    def test_other_kinds(self):
        self.check("MPI_Wtime", None, {}, "= 0.5")
        self.check("MPI_Finalize", "Finalize", {}, "= 1000")
        self.check("MPI_Send", "Send<false, Completion::blocking>",
                   {"count": 2, "datatype": 3, "peer": 4, "tag": 5, "comm": 6}, "1 2 3 4 5 6 = 1000")
        self.check("MPI_Recv", "Receive<false, Completion::blocking>",
                   {"count": 2, "datatype": 3, "peer": 4, "comm": 6, "status": 7}, "1 2 3 4 5 6 7 = 1000")
        # One argument may be used twice.
        self.check("MPI_Sendrecv_replace", "SendReceive<false, Completion::blocking>",
                   {"sendcount": 2, "recvcount": 2, "sendtype": 3, "recvtype": 3, "sendpeer": 4,
                    "sendtag": 5, "recvpeer": 6, "recvtag": 7, "comm": 8, "status": 9},
                   "1 2 3 4 5 6 7 8 9 = 1000")
        self.check("MPI_Barrier_init", "Collective<Pattern::barrier, false, Completion::persistent>",
                   {"comm": 1, "request": 3}, "1 2 3 = 1000")
        self.check("MPI_Rget", "OneSided<Direction::get, false, Completion::request>",
                   {"count": 2, "datatype": 3, "peer": 4, "window": 8, "request": 9},
                   "1 2 3 4 5 6 7 8 9 = 1000")
        self.check("MPI_Odd", "another type", {}, "1 2 3 4 5 = 1000")
        self.assertNotIn("MPI_Pcontrol", self.reported)  # written by hand

    def test_every_function_of_the_table(self):
        functions = [function for function in mpi_table.read_table(TABLE)
                     if function.operation_name != "Clock" and not function.variadic]
        self.assertGreater(len(functions), 500)
        for function in functions:
            arguments = [name for _, name in function.arguments]
            places = map(str, range(1, len(arguments) + 1))
            self.check(function.name, self.reported[function.name][0],
                       {role: arguments.index(name) + 1 for role, name in function.members()},
                       " ".join([*places, "= 1000"]))
