"""Synthetic traces of several ranks for the tests of vftrace analyze, and its results for them."""
import json

from command_support import CommandTest, command
from support import scratch_folder
from vfd_files import (ALL_TO_ALL, ALL_TO_ONE, BARRIER, MPI, ONE_TO_ALL, PREFIX, RECEIVE, SEND,
                       Vfd)

MS = 1_000_000  # ns; the tests give times in milliseconds
WORLD = 1
FUNCTIONS = {SEND: "MPI_Send", RECEIVE: "MPI_Recv", BARRIER: "MPI_Barrier",
             ALL_TO_ALL: "MPI_Allreduce", ONE_TO_ALL: "MPI_Bcast", ALL_TO_ONE: "MPI_Reduce",
             PREFIX: "MPI_Scan"}


class Rank:
    """main from begin to end, and below it the requested calls; all times are on the rank's own clock."""

    def __init__(self, rank, ranks, end, begin=0, **options):
        self.vfd = Vfd(rank=rank, processes=ranks, runtime_s=end * 1e-3, application="program",
                       **options)
        self.end = end
        self.numbers = {}  # of collectives, by communicator
        self.stacks = {"main": self.vfd.stack(0, "main")}
        self.events = [(begin, self.vfd.enter, "main"), (end, self.vfd.exit, "main")]
        self.vfd.communicator(WORLD, ranks)

    def stack(self, name):
        if name not in self.stacks:
            kind = {"kind": MPI} if name.startswith("MPI_") else {}
            self.stacks[name] = self.vfd.stack(self.stacks["main"], name, **kind)
        return self.stacks[name]

    def call(self, name, begin, end):
        self.stack(name)
        self.events += [(begin, self.vfd.enter, name), (end, self.vfd.exit, name)]
        return self

    def work(self, begin, end):
        return self.call("compute", begin, end)

    def operation(self, what, begin, end, name=None, wait=None, wait_name="MPI_Wait", **details):
        """`wait`: the time at which the call that completes the operation begins; the operation then ends with this call."""
        name = name or FUNCTIONS[what]
        more = {}
        if wait is not None:
            more = {"enter": int(wait * MS), "wait_stack": self.stack(wait_name)}
        self.vfd.operation(what, int(begin * MS), int(end * MS), self.stack(name), **more,
                           **details)
        return self

    def send(self, to, begin, end, tag=0, **details):
        return self.call("MPI_Send", begin, end).operation(SEND, begin, end, peer=to, tag=tag,
                                                           **details)

    def receive(self, source, begin, end, tag=0, **details):
        return self.call("MPI_Recv", begin, end).operation(RECEIVE, begin, end, peer=source,
                                                           tag=tag, **details)

    def collective(self, what, begin, end, root=-1, communicator=0):
        number = self.numbers.get(communicator, 0)
        self.numbers[communicator] = number + 1
        return self.call(FUNCTIONS[what], begin, end).operation(
            what, begin, end, peer=root, number=number, communicator=communicator)

    def bytes(self):
        # At equal times, ends come before beginnings, and main encloses everything.
        def order(event):
            ms, write, name = event
            is_enter = write == self.vfd.enter
            return (ms, is_enter, name != "main" if is_enter else name == "main")
        for ms, write, name in sorted(self.events, key=order):
            write(self.stacks[name], int(ms * MS))
        self.events.clear()
        self.vfd.exit(0, int(self.end * MS))
        return self.vfd.bytes()


def tables_of_json(text):
    """{id: [{id of column: value}]}."""
    return {table["id"]: [dict(zip((column["id"] for column in table["columns"]), row))
                          for row in table["rows"]] for table in json.loads(text)["tables"]}


class AnalyzeTest(CommandTest):
    def write(self, ranks):
        """Writes the files of ranks into a new folder."""
        self.folder = scratch_folder()
        files = []
        for number, rank in enumerate(ranks):
            files.append(self.folder / f"program_{number}.vfd")
            files[-1].write_bytes(rank.bytes())
        return files

    def tables(self, files, *options):
        result = command("analyze", *files, "--format", "json", *options)
        self.assertEqual(result.status, 0, result.stderr)
        self.remarks = result.stderr
        return tables_of_json(result.stdout)

    def analyze(self, ranks, *options):
        """Wait states {(pattern, rank, function): (ms, waits)}, causes {(rank, function, pattern,
        function that waits): ms}, critical path {(rank, function): (ms, imbalance in ms)}."""
        tables = self.tables(self.write(ranks), *options)

        def ms(seconds):
            return round(seconds * 1e3, 6)
        waits = {(row["pattern"], row["rank"], row["function"]): (ms(row["time"]), row["waits"])
                 for row in tables["wait_states"]}
        causes = {(row["rank"], row["function"], row["pattern"], row["waiting_function"]):
                  ms(row["time"]) for row in tables["wait_causes"]}
        critical = {(row["rank"], row["function"]): (ms(row["time"]), ms(row["imbalance"]))
                    for row in tables["critical_path"]}
        return waits, causes, critical
