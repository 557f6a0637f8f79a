"""The generator of the MPI wrappers: what it makes of the table, and what it says to a bad one."""
import pathlib
import re
import subprocess
import sys
import unittest

from support import SOURCE, scratch_folder

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


def wrappers(folder):
    return "".join((folder / name).read_text() for name in WRAPPER_FILES)


def squeezed(text):
    return " ".join(text.split())


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
                ("MPI_Send(buffer b)  1.0  Plain", 4, "MPI_Send: stands in line 3 too"),
                ("MPI_Send_c(buffer b)  4.0  Plain", 4, "MPI_Send_c: stands in line 3 too"),
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
                ("[One]\n    comm)  1.0  Plain", 5, "nothing that this line could continue")):
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
                            ("  MPI_Foo()  1.0  Plain\n", "nothing that this line could continue"),
                            ("MPI_Foo()  1.0  Plain\n", "stands before the first [chapter]")):
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
        times = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
        generate(TABLE, folder.parent)
        self.assertEqual(contents(folder), first)
        for path, before in times.items():
            self.assertGreater(path.stat().st_mtime_ns, before, path)

    def test_wrappers_are_spread_over_all_files(self):
        folder = self.made()
        sizes = [(folder / name).stat().st_size for name in WRAPPER_FILES]
        self.assertLess(max(sizes), 1.3 * min(sizes))

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

    def test_wrapper_of_a_send(self):
        text = squeezed(wrappers(self.made(
            "[One]\nMPI_Isend(buffer buf, count, datatype, peer dest, tag tag, comm, request)"
            "  1.0 c=4.0  Send request\n")))
        words = "Word buf, Word count, Word datatype, Word dest, Word tag, Word comm, Word request"
        passed = "buf, count, datatype, dest, tag, comm, request"
        for name, large in (("MPI_Isend", "false"), ("MPI_Isend_c", "true")):
            self.assertIn(
                "namespace { [[gnu::always_inline]] inline Word "
                f"wrapped_{name}({words}, const Site& site) {{ "
                f"Send<{large}, Completion::request> operation{{.count = count, "
                ".datatype = datatype, .peer = dest, .tag = tag, .comm = comm, .request = request}; "
                f"return wrap(FunctionId::{name}, site, operation, [&](RealFunction<7> real) "
                f"{{ return real({passed}); }}); }} }} // namespace "
                f"VFTRACE_MPI_EXPORT Word {name}({words}) {{ return wrapped_{name}({passed}, "
                "VFTRACE_MPI_SITE(called_as_mpi)); } "
                f"VFTRACE_MPI_EXPORT Word P{name}({words}) {{ return wrapped_{name}({passed}, "
                "VFTRACE_MPI_SITE(called_as_pmpi)); }", text)

    def test_wrappers_of_other_kinds(self):
        text = squeezed(wrappers(self.made(
            "[One]\ndouble MPI_Wtime()  1.0  Clock\nMPI_Pcontrol(value level, ...)  1.0  Pcontrol\n"
            "MPI_Finalize()  1.0  Finalize\n"
            "MPI_Send(count, datatype, peer, tag, comm)  1.0  Send\n"
            "MPI_Recv(count, datatype, peer, comm, status)  1.0  Receive\n"
            "MPI_Sendrecv_replace(buffer, sendcount+recvcount count, sendtype+recvtype type,\n"
            "        sendpeer to, sendtag tag, recvpeer from, recvtag, comm, status)  1.0  SendReceive\n"
            "MPI_Barrier_init(comm, info, request)  4.0  Collective barrier persistent\n"
            "MPI_Rget(count, datatype, peer, window, request)  3.0  OneSided get request\n"
            "MPI_Odd(value operator, value site, value real, value operation, value and)  1.0  "
            "Plain\n")))
        for expected in (
                "VFTRACE_MPI_EXPORT double MPI_Wtime() { return wrap_clock(FunctionId::MPI_Wtime, "
                "VFTRACE_MPI_SITE(called_as_mpi)); } VFTRACE_MPI_EXPORT double PMPI_Wtime() "
                "{ return wrap_clock(FunctionId::MPI_Wtime, VFTRACE_MPI_SITE(called_as_pmpi)); }",
                "inline Word wrapped_MPI_Finalize(const Site& site) { Finalize operation; "
                "return wrap(FunctionId::MPI_Finalize, site, operation, "
                "[&](RealFunction<0> real) { return real(); }); }",
                "VFTRACE_MPI_EXPORT Word PMPI_Finalize() { "
                "return wrapped_MPI_Finalize(VFTRACE_MPI_SITE(called_as_pmpi)); }",
                "Send<false, Completion::blocking> operation{.count = count, "
                ".datatype = datatype, .peer = peer, .tag = tag, .comm = comm};",
                "Receive<false, Completion::blocking> operation{.count = count, "
                ".datatype = datatype, .peer = peer, .comm = comm, .status = status};",
                "SendReceive<false, Completion::blocking> operation{.sendcount = count, "
                ".sendtype = type, .sendpeer = to, .sendtag = tag, .recvcount = count, .recvtype = type, "
                ".recvpeer = from, .recvtag = recvtag, .comm = comm, .status = status};",
                "Collective<Pattern::barrier, false, Completion::persistent> "
                "operation{.comm = comm, .request = request};",
                "OneSided<Direction::get, false, Completion::request> operation{.count = count, "
                ".datatype = datatype, .peer = peer, .window = window, .request = request};",
                "return real(operator_, site_, real_, operation_, and_);"):
            self.assertIn(expected, text)
        self.assertNotIn("MPI_Pcontrol(", text)

    def test_rows_for_the_enumeration_and_the_documentation(self):
        folder = self.made("[One & two]\nMPI_Send(count, datatype, peer, tag, comm)  1.0 c=4.0  Send\n"
                           "MPI_Pcontrol(value level, ...)  1.0  Pcontrol\n")
        self.assertEqual((folder / "mpi_functions.inc").read_text().splitlines()[1:],
                         ['VFTRACE_MPI_FUNCTION(MPI_Send, "mpi_send")',
                          'VFTRACE_MPI_FUNCTION(MPI_Send_c, "mpi_send_c")',
                          'VFTRACE_MPI_FUNCTION(MPI_Pcontrol, "mpi_pcontrol")'])
        pages = (folder / "mpi-functions.md").read_text()
        self.assertIn("\n## One & two\n", pages)
        self.assertIn("| `MPI_Send` | 1.0 | `MPI_Send_c` (4.0) | sends |\n", pages)
        self.assertIn("| `MPI_Pcontrol` | 1.0 |  |  |\n", pages)
        self.assertEqual(pages.count("MPI_Send_c"), 1)
