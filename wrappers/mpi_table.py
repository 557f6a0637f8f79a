"""Reads the table of MPI functions and checks it: the rows, the roles of their arguments, and the
arguments that each kind of operation needs."""
import re

VERSIONS = ("1.0", "1.1", "1.2", "2.0", "2.1", "2.2", "3.0", "3.1", "4.0", "4.1", "5.0")
RETURN_TYPES = ("int", "double", "MPI_Aint")

# Roles that no operation needs; they only describe an argument.
DESCRIPTIVE_ROLES = frozenset("""buffer callback errhandler file group in info inout out source
    tag value""".split())


class Operation:
    """What a function does to messages, and the arguments that its wrapper needs for that.

    struct is the C++ type: L in it stands for "counts are MPI_Count", C for the way of completion.
    roles are the struct's members in order; "a|b" is a for blocking calls (nothing if empty) and b
    for those that return a request. messages is for the documentation; None if there are none."""

    def __init__(self, struct, roles="", messages=None):
        self.struct = struct
        self.roles = roles.split()
        self.messages = messages
        parameters = re.findall(r"\w+", struct.partition("<")[2])
        self.has_large = "L" in parameters
        self.has_completion = "C" in parameters

    def members(self, completion):
        chosen = []
        for role in self.roles:
            if "|" in role:
                role = role.split("|")[completion != "blocking"]
            if role:
                chosen.append(role)
        return chosen


def _collective(pattern, roles):
    return Operation(f"Collective<Pattern::{pattern}, L, C>", f"{roles} |request", "collective")


OPERATIONS = {
    "Plain": Operation("Plain"),
    "Clock": Operation("Clock"),        # returns double
    "Pcontrol": Operation("Pcontrol"),  # variadic; its wrapper is written by hand

    "Send": Operation("Send<L, C>", "count datatype peer tag comm |request", "sends"),
    "Receive": Operation("Receive<L, C>", "count datatype peer comm status|request", "receives"),
    "SendReceive": Operation("SendReceive<L, C>", "sendcount sendtype sendpeer sendtag recvcount "
                             "recvtype recvpeer recvtag comm status|request", "sends and receives"),
    "MatchedProbe": Operation("MatchedProbe", "comm message"),
    "ImmediateProbe": Operation("ImmediateProbe", "flag"),
    "ImmediateMatchedProbe": Operation("ImmediateMatchedProbe", "comm flag message"),
    "MatchedReceive": Operation("MatchedReceive<L, C>", "count datatype message status|request",
                                "receives"),
    "PartitionedSend": Operation("PartitionedSend<L>",
                                 "partitions count datatype peer tag comm request", "sends"),
    "PartitionedReceive": Operation("PartitionedReceive<L>",
                                    "partitions count datatype peer tag comm request", "receives"),

    "Start": Operation("Start", "request", "starts a request"),
    "StartAll": Operation("StartAll", "count requests", "starts requests"),
    "Wait": Operation("Wait", "request status", "completes a request"),
    "RequestStatus": Operation("RequestStatus", "request flag status", "completes a request"),
    "WaitAny": Operation("WaitAny", "count requests index status", "completes a request"),
    "WaitSome": Operation("WaitSome", "incount requests outcount indices statuses",
                          "completes requests"),
    "WaitAll": Operation("WaitAll", "count requests statuses", "completes requests"),
    "Test": Operation("Test", "request flag status", "completes a request"),
    "TestAny": Operation("TestAny", "count requests index flag status", "completes a request"),
    "TestSome": Operation("TestSome", "incount requests outcount indices statuses",
                          "completes requests"),
    "TestAll": Operation("TestAll", "count requests flag statuses", "completes requests"),
    "FreeRequest": Operation("FreeRequest", "request", "frees a request"),
    "CancelRequest": Operation("CancelRequest", "request", "cancels a request"),

    "OneSided put": Operation("OneSided<Direction::put, L, C>",
                              "count datatype peer window |request", "sends"),
    "OneSided get": Operation("OneSided<Direction::get, L, C>",
                              "count datatype peer window |request", "receives"),
    "FetchAndReplace": Operation("FetchAndReplace<L, C>", "origin_count origin_type result_count "
                                 "result_type op peer window |request", "sends and receives"),
    "AtomicUpdate": Operation("AtomicUpdate", "datatype peer window", "sends and receives"),

    "Collective barrier": _collective("barrier", "comm"),
    "Collective bcast": _collective("bcast", "count datatype root comm"),
    "Collective gather": _collective("gather", "sendbuf sendcount sendtype recvcount recvtype "
                                     "root comm"),
    "Collective gatherv": _collective("gatherv", "sendbuf sendcount sendtype recvcounts recvtype "
                                      "root comm"),
    "Collective scatter": _collective("scatter", "sendcount sendtype recvbuf recvcount recvtype "
                                      "root comm"),
    "Collective scatterv": _collective("scatterv", "sendcounts sendtype recvbuf recvcount recvtype "
                                       "root comm"),
    "Collective allgather": _collective("allgather", "sendbuf sendcount sendtype recvcount "
                                        "recvtype comm"),
    "Collective allgatherv": _collective("allgatherv", "sendbuf sendcount sendtype recvcounts "
                                         "recvtype comm"),
    "Collective alltoall": _collective("alltoall", "sendbuf sendcount sendtype recvcount recvtype "
                                       "comm"),
    "Collective alltoallv": _collective("alltoallv", "sendbuf sendcounts sendtype recvcounts "
                                        "recvtype comm"),
    "Collective alltoallw": _collective("alltoallw", "sendbuf sendcounts sendtypes recvcounts "
                                        "recvtypes comm"),
    "Collective reduce": _collective("reduce", "sendbuf count datatype root comm"),
    "Collective allreduce": _collective("allreduce", "sendbuf count datatype comm"),
    "Collective reduce_scatter": _collective("reduce_scatter", "sendbuf recvcounts datatype comm"),
    "Collective reduce_scatter_block": _collective("reduce_scatter_block",
                                                   "sendbuf recvcount datatype comm"),
    "Collective scan": _collective("scan", "count datatype comm"),
    "Collective exscan": _collective("exscan", "count datatype comm"),
    "Collective neighbor_allgather": _collective("neighbor_allgather", "sendcount sendtype "
                                                 "recvcount recvtype comm"),
    "Collective neighbor_allgatherv": _collective("neighbor_allgatherv", "sendcount sendtype "
                                                  "recvcounts recvtype comm"),
    "Collective neighbor_alltoall": _collective("neighbor_alltoall", "sendcount sendtype "
                                                "recvcount recvtype comm"),
    "Collective neighbor_alltoallv": _collective("neighbor_alltoallv", "sendcounts sendtype "
                                                 "recvcounts recvtype comm"),
    "Collective neighbor_alltoallw": _collective("neighbor_alltoallw", "sendcounts sendtypes "
                                                 "recvcounts recvtypes comm"),

    "NewCommunicator": Operation("NewCommunicator", "comm newcomm"),
    "FreeCommunicator": Operation("FreeCommunicator", "comm"),
    "FreeWindow": Operation("FreeWindow", "window"),
    "Initialize": Operation("Initialize"),
    "InitializeThread": Operation("InitializeThread", "provided"),
    "Finalize": Operation("Finalize"),
    "Abort": Operation("Abort"),
    "AskInitialized": Operation("AskInitialized", "flag"),
    "BeginSession": Operation("BeginSession", "session"),
    "EndSession": Operation("EndSession", "session"),
}

ROLES = DESCRIPTIVE_ROLES | {alternative for operation in OPERATIONS.values()
                             for role in operation.roles
                             for alternative in role.split("|") if alternative}

ROW = re.compile(r"(?:(?P<returns>\w+) )?(?P<name>MPI_\w+)\((?P<arguments>[^()]*)\)"
                 r" (?P<version>\d\.\d)(?: c=(?P<large_version>\d\.\d))? (?P<operation>\w.*)")


class TableError(Exception):
    """A row that cannot be used; the text says where and why."""


class Function:
    """One MPI function: its arguments as (roles, name), and what it does.

    large_form_of is the name of the function with the same arguments but 32-bit counts, or None."""

    def __init__(self, name, version, chapter, row):
        self.name = name
        self.version = version
        self.chapter = chapter
        self.large_form_of = row["name"] if name != row["name"] else None
        self.returns = row["returns"] or "int"
        self.variadic = False
        self.arguments = []
        self._read_arguments(row["arguments"])
        words = row["operation"].split()
        self.completion = words.pop() if words[-1] in ("request", "persistent") else "blocking"
        self.operation_name = " ".join(words)
        if self.operation_name not in OPERATIONS:
            raise TableError(f"{name}: unknown operation '{self.operation_name}'")
        self.operation = OPERATIONS[self.operation_name]
        self.is_large = name.endswith("_c")
        self._check()

    def _read_arguments(self, text):
        for word in filter(None, (part.strip() for part in text.split(","))):
            if self.variadic:
                raise TableError(f"{self.name}: argument after '...'")
            if word == "...":
                self.variadic = True
                continue
            match = re.fullmatch(r"([\w+]+)(?: (\w+))?", word)
            if not match:
                raise TableError(f"{self.name}: argument '{word}' is not 'role name'")
            roles = match[1].split("+")
            for role in roles:
                if role not in ROLES:
                    raise TableError(f"{self.name}: unknown role '{role}'")
            name = match[2] or match[1]
            if not name.isidentifier():
                raise TableError(f"{self.name}: argument '{word}' has no name")
            if name in (other for _, other in self.arguments):
                raise TableError(f"{self.name}: two arguments named '{name}'")
            self.arguments.append((roles, name))
        if text.strip() and len(text.split(",")) != len(self.arguments) + self.variadic:
            raise TableError(f"{self.name}: an argument is missing between commas")

    def _check(self):
        if self.returns not in RETURN_TYPES:
            raise TableError(f"{self.name}: unknown return type '{self.returns}'")
        if (self.returns == "double") != (self.operation_name == "Clock") or (
                self.operation_name == "Clock" and self.arguments):
            raise TableError(f"{self.name}: operation Clock is for functions without arguments "
                             "that return double")
        if self.variadic != (self.operation_name == "Pcontrol"):
            raise TableError(f"{self.name}: only operation Pcontrol takes '...'")
        if self.completion != "blocking" and not self.operation.has_completion:
            raise TableError(f"{self.name}: operation {self.operation_name} cannot be "
                             f"'{self.completion}'")
        if (self.operation.has_completion and self.completion == "blocking"
                and self.named("request")):
            raise TableError(f"{self.name}: has a request, so its operation must be 'request' or "
                             "'persistent'")
        if self.is_large and self.operation.messages and not self.operation.has_large:
            raise TableError(f"{self.name}: operation {self.operation_name} has no form with "
                             "large counts")
        self.members()

    def named(self, role):
        return [name for roles, name in self.arguments if role in roles]

    def members(self):
        """(member of the operation's struct, name of the argument that it refers to), in order."""
        result = []
        for role in self.operation.members(self.completion):
            names = self.named(role)
            if len(names) != 1:
                count = "no" if not names else "more than one"
                raise TableError(f"{self.name}: operation {self.operation_name} needs role "
                                 f"'{role}', but {count} argument has it")
            result.append((role, names[0]))
        return result


def _joined_rows(text):
    """(line number, text) of rows and chapters; indented lines continue the row before them."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace():
            if not rows or rows[-1][1].startswith("["):
                raise TableError(f"{number}: there is no row that this line could continue")
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {line.strip()}")
        else:
            rows.append((number, line.strip()))
    return [(number, re.sub(r"\s+", " ", row)) for number, row in rows]


def _functions_of(row, chapter):
    match = ROW.fullmatch(row)
    if not match:
        raise TableError("not a row 'name(arguments) version operation'")
    names = [(match["name"], match["version"])]
    if match["large_version"]:
        if match["name"].endswith("_c"):
            raise TableError(f"{match['name']}: is itself the form with large counts")
        names.append((match["name"] + "_c", match["large_version"]))
    for _, version in names:
        if version not in VERSIONS:
            raise TableError(f"{match['name']}: unknown version '{version}'")
    if not chapter:
        raise TableError(f"{match['name']}: is before the first [chapter]")
    return [Function(name, version, chapter, match) for name, version in names]


def read_table(path):
    """All functions in table order. Raises TableError 'file:line: what is wrong'."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    functions, lines, chapter, number = [], {}, None, 0
    try:
        rows = _joined_rows(text)
    except TableError as error:
        raise TableError(f"{path}:{error}")
    for number, row in rows:
        try:
            if row.startswith("["):
                if not re.fullmatch(r"\[[^\[\]]+\]", row):
                    raise TableError("a chapter is written [title]")
                chapter = row[1:-1]
                continue
            for function in _functions_of(row, chapter):
                if function.name in lines:
                    raise TableError(f"{function.name}: is also in line {lines[function.name]}")
                lines[function.name] = number
                functions.append(function)
        except TableError as error:
            raise TableError(f"{path}:{number}: {error}")
    if not functions:
        raise TableError(f"{path}:1: no functions")
    return functions
