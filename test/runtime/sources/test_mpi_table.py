"""Compares the table of MPI functions and the constants of MPI families with every installed MPI,
and with the exports of the library."""
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from support import CORE, LIBRARY, RUNTIME_SOURCES, SOURCE, clean_environment, scratch_folder

TABLE = SOURCE / "wrappers" / "mpi_functions.txt"
FAMILIES = RUNTIME_SOURCES / "mpi" / "families.inc"
DATATYPES = CORE / "record" / "mpi_datatypes.inc"

COMPILERS = ("mpicc", "mpicc.openmpi", "mpicc.mpich", "mpicc.mpich-mpi-abi", "mpicc_abi", "mpiicx",
             "mpiicc", os.environ.get("VFTRACE_MPICC", "mpicc"))
HEADERS = ("/usr/include/mpi.h", "/usr/include/*/mpi.h", "/usr/include/*/*/mpi.h",
           "/usr/lib/*/*/include/mpi.h", "/usr/lib*/*/include/mpi.h", "/usr/local/include/mpi.h",
           "/opt/*/include/mpi.h", "/opt/*/*/include/mpi.h")

# The comment at the start of the table explains why these do not have a wrapper.
LEFT_OUT = re.compile(r"MPI_\w+_(c2f|f2c|toint|fromint)|MPI_Status_(c2f08|f082c|f082f|f2f08)")
FUNCTION = re.compile(r"MPI_(T_)?[A-Z][a-z]\w*")

# The C types that the arguments of a role must have; "*" also stands for an array.
ROLE_TYPES = {
    "count|sendcount|recvcount|incount|origin_count|result_count": "int|MPI_Count",
    "sendcounts|recvcounts": r"int \*|MPI_Count \*",
    "partitions|peer|sendpeer|recvpeer|root|source|tag|sendtag|recvtag": "int",
    "buffer|sendbuf|recvbuf": r"void \*",
    "datatype|sendtype|recvtype|origin_type|result_type": r"MPI_Datatype( \*)?",
    "sendtypes|recvtypes": r"MPI_Datatype \*", "comm": r"MPI_Comm( \*)?",
    "newcomm": r"MPI_Comm \*",
    "window": r"MPI_Win( \*)?", "group": r"MPI_Group( \*)?", "file": r"MPI_File( \*)?",
    "session": r"MPI_Session( \*)?", "info": r"MPI_Info( \*)?", "op": r"MPI_Op( \*)?",
    "errhandler": r"MPI_Errhandler( \*)?", "request": r"MPI_Request( \*)?",
    "requests": r"MPI_Request \*", "message": r"MPI_Message \*",
    "status|statuses": r"MPI_Status \*",
    "flag|index|indices|outcount|provided": r"int \*",
    "callback": r"MPI_\w+(_fn|_function|_function_c)( \*)?",
    "in|out|inout": r".* \*+", "value": r"\w+"}
TYPE_OF_ROLE = {role: type_ for roles, type_ in ROLE_TYPES.items() for role in roles.split("|")}


def plain_type(argument):
    """The type of a declared argument without const and name; arrays are pointers."""
    stars = argument.count("*") + argument.count("[")
    words = [word for word in re.sub(r"\[\d*\]|\*", " ", argument).split() if word != "const"]
    return " ".join(words[:-1]) + (" " + "*" * stars if stars else "")


def table():
    """{name: its description}, as the generator reads the table."""
    folder = scratch_folder()
    subprocess.run([sys.executable, SOURCE / "wrappers" / "generate.py", TABLE, "--output", folder],
                   check=True)
    return {function["name"]: function
            for function in json.loads((folder / "mpi_functions.json").read_text())}


def preprocess(command):
    result = subprocess.run([*command, "-E", "-x", "c", "-"], input="#include <mpi.h>\n",
                            capture_output=True, text=True)
    return result.stdout if result.returncode == 0 else None


def installed_headers():
    """{path of mpi.h: the preprocessor's output}, each file once. Skips if there is none."""
    commands = [[name] for name in COMPILERS if shutil.which(name)]
    commands += [["gcc", f"-I{pathlib.Path(path).parent}"]
                 for pattern in HEADERS for path in glob.glob(pattern)]
    found = {}
    for command in commands:
        text = preprocess(command)
        path = text and re.search(r'^# \d+ "(.*/mpi\.h)"', text, re.M)
        if path:
            found.setdefault(os.path.realpath(path[1]), text)
    if not found:
        raise unittest.SkipTest("no MPI is installed")
    return found


def installed_compilers():
    """MPI compilers that differ; skips if there is none."""
    found = {os.path.realpath(shutil.which(name)): name for name in COMPILERS if shutil.which(name)}
    by_header = {}
    for name in found.values():
        text = preprocess([name])
        path = text and re.search(r'^# \d+ "(.*/mpi\.h)"', text, re.M)
        if path:
            by_header.setdefault(os.path.realpath(path[1]), name)
    if not by_header:
        raise unittest.SkipTest("no MPI compiler is installed")
    return sorted(by_header.values())


def prototypes(preprocessed):
    """{name: (return type, [arguments])} of all MPI functions that a header declares."""
    text = re.sub(r"^#.*$", "", preprocessed, flags=re.M)
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)", "", text)
    pattern = re.compile(r"(?:^|[;{}])\s*(?:extern\s+)?(\w+)\s+(P?MPI_\w+)\s*"
                         r"\(((?:[^()]|\([^()]*\))*)\)\s*(?=;)")
    found = {}
    for returns, name, arguments in pattern.findall(text):
        arguments = re.sub(r"\([^()]*\)", "", arguments)
        words = [word.strip() for word in arguments.split(",")]
        found[name] = (returns, [] if words in ([""], ["void"]) else words)
    return found


class TableAndHeaders(unittest.TestCase):
    maxDiff = None

    def test_every_function_of_every_header_is_in_the_table(self):
        functions = table()
        for path, text in installed_headers().items():
            with self.subTest(header=path):
                declared = [name for name in prototypes(text)
                            if FUNCTION.fullmatch(name) and not LEFT_OUT.fullmatch(name)]
                self.assertGreater(len(declared), 300)
                self.assertEqual([name for name in declared if name not in functions], [])

    def test_arguments_and_return_types_are_those_of_the_headers(self):
        functions = table()
        for path, text in installed_headers().items():
            for name, (returns, arguments) in prototypes(text).items():
                function = functions.get(name[1:] if name.startswith("P") else name)
                if function:
                    with self.subTest(header=path, function=name):
                        expected = function["arguments"] + function["variadic"]
                        self.assertEqual((len(arguments), returns, "..." in arguments),
                                         (expected, function["returns"], function["variadic"]))

    def test_roles_fit_the_types_of_the_headers(self):
        functions = table()
        for path, text in installed_headers().items():
            for name, (_, arguments) in prototypes(text).items():
                if name not in functions:
                    continue
                for roles, argument in zip(functions[name]["roles"], arguments):
                    declared = plain_type(argument)
                    for role in roles.split("+"):
                        with self.subTest(header=path, function=name, role=role):
                            self.assertRegex(declared, rf"^({TYPE_OF_ROLE[role]})$")
                            counts = re.match(r".*\b(true|false)\b", functions[name]["operation"])
                            # Partitioned operations took an MPI_Count before MPI-5.0.
                            if (counts and re.search(r"counts?$", role) and
                                    not name.startswith(("MPI_Psend", "MPI_Precv"))):
                                self.assertEqual("MPI_Count" in declared, counts[1] == "true")

    def test_every_function_of_the_mpi_libraries_is_in_the_table(self):
        # Removed functions are still exported, though no header declares them.
        functions = table()
        for compiler in installed_compilers():
            folder = scratch_folder()
            (folder / "main.c").write_text("#include <mpi.h>\nint main(int argc, char **argv) "
                                           "{ return MPI_Init(&argc, &argv); }\n")
            subprocess.run([compiler, "main.c", "-o", "main"], cwd=folder, check=True)
            loaded = subprocess.run(["ldd", "main"], cwd=folder, check=True, capture_output=True,
                                    text=True).stdout
            library = re.search(r"libmpi\w*\.so\S* => (\S+)", loaded)
            with self.subTest(compiler=compiler):
                self.assertTrue(library, loaded)
                exported = {name for name in exported_names(library[1])
                            if FUNCTION.fullmatch(name) and not LEFT_OUT.fullmatch(name)}
                self.assertGreater(len(exported), 300)
                self.assertEqual(exported - set(functions), set())

    def test_library_exports_every_function_twice(self):
        expected = {prefix + name for name in table() for prefix in ("", "P")}
        exported = {name for name in exported_names(LIBRARY) if re.match(r"P?MPI_", name)}
        self.assertEqual(exported, expected)


def exported_names(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True,
                             text=True, check=True).stdout
    return {line.split()[-1].partition("@")[0] for line in listing.splitlines()}


def constant_rows():
    """[(member, C expression, [Open MPI, MPICH, standard ABI])] of families.inc
    and record/mpi_datatypes.inc."""
    text = re.sub(r"//.*", "", FAMILIES.read_text())
    rows = []
    for row in re.findall(r"VFTRACE_MPI_CONSTANT\(((?:[^()]|\([^()]*\))*)\)", text):
        member, rest = row.split(",", 1)
        expression, *values = rest.rsplit(",", 3)
        rows.append((member.strip(), " ".join(expression.split()),
                     [value.strip() for value in values]))
    for row in re.findall(r"VFTRACE_MPI_DATATYPE\((.*)\)$", DATATYPES.read_text(), re.MULTILINE):
        name, *values = row.split(", ")
        if values != ["Open MPI", "MPICH", "MPI-5 standard ABI"]:  # the header row
            rows.append((name, name, values))
    return rows


# What the library assumes about every family in addition to the rows.
TAKEN_FOR_GRANTED = (
    "sizeof(MPI_Request) == sizeof(MPI_Comm)", "sizeof(MPI_Datatype) == sizeof(MPI_Comm)",
    "sizeof(MPI_Message) == sizeof(MPI_Comm)", "sizeof(MPI_Win) == sizeof(MPI_Comm)",
    "sizeof(MPI_Op) == sizeof(MPI_Comm)", "sizeof(MPI_Group) == sizeof(MPI_Comm)",
    "sizeof(((MPI_Status *)0)->MPI_SOURCE) == sizeof(int)",
    "sizeof(((MPI_Status *)0)->MPI_TAG) == sizeof(int)",
    "sizeof(((MPI_Status *)0)->MPI_ERROR) == sizeof(int)",
    "sizeof(MPI_Count) == 8", "sizeof(MPI_Aint) == sizeof(void *)", "MPI_SUCCESS == 0")

COLUMNS = {"Open MPI": 0, "MPICH": 1, "standard ABI": 2}

PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#if defined(OPEN_MPI)
#define FAMILY "Open MPI"
#elif defined(MPICH_VERSION) || defined(I_MPI_VERSION) || defined(MVAPICH_VERSION)
#define FAMILY "MPICH"
#elif defined(MPI_ABI_VERSION)
#define FAMILY "standard ABI"
#else
#define FAMILY "unknown"
#endif
static void show(const char *member, intptr_t value, const char *object) {
    int is_object = *object && value && (void *)value == dlsym(RTLD_DEFAULT, object);
    printf("%s = %lld%s%s\\n", member, (long long)value, is_object ? " is " : "",
           is_object ? object : "");
}
static void check(const char *condition, int holds) {
    printf("%s: %s\\n", holds ? "holds" : "fails", condition);
}
int main(int argc, char **argv) {
    (void)argv;
    if (argc > 99) MPI_Init(NULL, NULL);  // so that the library is linked
    puts(FAMILY);
@
    return 0;
}
"""


class Constants(unittest.TestCase):
    def run_with(self, compiler, lines):
        """The output of a program compiled by an MPI compiler: the family, and the rest."""
        folder = scratch_folder()
        (folder / "constants.c").write_text(PROGRAM.replace("@", "\n".join(lines)))
        built = subprocess.run([compiler, "-w", "constants.c", "-o", "constants", "-ldl"],
                               cwd=folder, capture_output=True, text=True)
        self.assertEqual(built.returncode, 0, built.stderr)
        printed = subprocess.run(["./constants"], cwd=folder, capture_output=True, text=True,
                                 check=True, env=clean_environment()).stdout.splitlines()
        if printed[0] not in COLUMNS:
            self.skipTest(f"{compiler} is of a family that the library does not know")
        return printed[0], printed[1:]

    def test_constants_are_those_of_the_headers(self):
        rows = constant_rows()
        self.assertGreater(len(rows), 15)
        for compiler in installed_compilers():
            for column in COLUMNS.values():
                for member, _, values in rows:
                    self.assertRegex(values[column], r"^(-?\d+|0x[0-9a-f]+|[a-z]\w+)$", member)
            family, _ = self.run_with(compiler, [])
            column = COLUMNS[family]
            objects = [values[column] if values[column][0].isalpha() else ""
                       for _, _, values in rows]
            lines = [f'    show("{member}", (intptr_t)({expression}), "{object}");'
                     for (member, expression, _), object in zip(rows, objects)]
            _, printed = self.run_with(compiler, lines)
            self.assertEqual(len(printed), len(rows))
            for (member, expression, values), line in zip(rows, printed):
                with self.subTest(compiler=compiler, member=member, expression=expression):
                    value = values[column]
                    if value[0].isalpha():
                        self.assertRegex(line, rf"^{member} = \d+ is {value}$")
                    else:
                        self.assertEqual(line, f"{member} = {int(value, 0)}")

    def test_what_all_families_have_in_common(self):
        for compiler in installed_compilers():
            _, printed = self.run_with(compiler, [f'    check("{condition}", {condition});'
                                                  for condition in TAKEN_FOR_GRANTED])
            with self.subTest(compiler=compiler):
                self.assertEqual(printed, [f"holds: {condition}"
                                           for condition in TAKEN_FOR_GRANTED])
