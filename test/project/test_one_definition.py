"""Each name of namespace vftrace has one definition: the linker would mix two of them without a word."""
import collections
import re
import unittest

from support import SOURCE

# As clang-format puts it: at the beginning of a line, a namespace with its name at both ends.
TYPE = re.compile(r"^(?:struct|class|union|enum(?: class)?) (?:\[\[\w+(?:\(.*?\))?\]\] )?(?:alignas\(.*?\) )?(\w+)(?!::|<|\w)[^;]*(?:\{|$)")
NAMESPACE = re.compile(r"^namespace ([\w:]*)\s?\{$")
END = re.compile(r"^\}  // namespace ?")


def definitions(text):
    """Names of types that a file defines, with their namespaces; without those of anonymous namespaces."""
    inside, names = [], []
    for line in text.splitlines():
        if found := NAMESPACE.match(line):
            inside.append(found[1])
        elif END.match(line):
            inside.pop()
        elif "" not in inside and (found := TYPE.match(line)):
            names.append("::".join([*inside, found[1]]))
    return names


def files(*folders):
    return [path for folder in folders for path in sorted((SOURCE / folder).rglob("*")) if path.suffix in (".cpp", ".hpp")]


def defined_twice(texts):
    """{name: files} of the names that several files define. `texts`: {file: its text}."""
    where = collections.defaultdict(list)
    for file, text in texts.items():
        for name in dict.fromkeys(definitions(text)):
            where[name].append(file)
    return {name: places for name, places in where.items() if len(places) > 1}


class OneDefinition(unittest.TestCase):
    def test_pairs_are_seen(self):
        end = "}  // namespace vftrace\n"
        texts = {"a.hpp": "namespace vftrace {\nstruct Task {\n};\nstruct Node;\nstruct Key {};\n" + end,
                 "b.cpp": "namespace vftrace {\nclass Task : public Node {\n};\nnamespace {\nstruct Key {};\n}  // namespace\n" + end,
                 "c.cpp": "namespace vftrace {\nenum class Key : int { one };\nstruct Task::Part {\n};\n" + end,
                 "d.hpp": "namespace vftrace {\nnamespace abi {\nenum Key { one };\n}  // namespace abi\n" + end}
        self.assertEqual(defined_twice(texts), {"vftrace::Task": ["a.hpp", "b.cpp"], "vftrace::Key": ["a.hpp", "c.cpp"]})

    def check(self, *folders):
        texts = {str(path.relative_to(SOURCE)): path.read_text() for path in files(*folders)}
        self.assertEqual(defined_twice(texts), {})

    def test_library_and_commands(self):
        self.check("src")

    def test_unit_tests(self):
        self.check("test/unit")
