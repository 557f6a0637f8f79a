"""vftrace report --brief, --function, --path: the most important facts, for readers in a hurry and for programs."""
import json
import re
import shlex
import subprocess

from command_support import CommandTest, command
from support import COMMAND, SOURCE, compile_program, run, scratch_folder

SCHEMA = json.loads((SOURCE / "share/schema/brief.json").read_text())


def problems(value, schema, place="$"):
    """Where a value is not what the schema says; the few words of JSON Schema that brief.json uses."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    found = []
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        found.append(f"{place}: {value!r}")
    kinds = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int, "boolean": bool}
    if "type" in schema and not isinstance(value, kinds[schema["type"]]):
        return [f"{place}: not a {schema['type']}"]
    if isinstance(value, dict):
        found += [f"{place}.{key} is missing" for key in schema.get("required", []) if key not in value]
        for key, member in value.items():
            inner = schema.get("properties", {}).get(key, schema.get("additionalProperties", False))
            found += [f"{place}.{key}: unknown"] if inner is False else problems(member, inner, f"{place}.{key}")
    if isinstance(value, list):
        for i, member in enumerate(value):
            found += problems(member, schema.get("items", {}), f"{place}[{i}]")
    return found


class Brief(CommandTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = scratch_folder()
        cls.program = compile_program("call_counts.c", ("-O1", "-g"))
        run([COMMAND, "run", "--", cls.program], preload=False, folder=cls.folder)
        cls.profile = cls.folder / "call_counts_all.json"

    def brief(self, *words):
        result = command("report", *words, self.profile, folder=self.folder)
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result.stdout

    def test_size_and_content(self):
        text = self.brief("--brief")
        self.assertLessEqual(len(text.encode()), 6144)
        self.assertLessEqual(text.count("\n"), 60)
        for part in ("vftrace brief 1 of ", "run: call_counts, ", "quality: ", "functions by own time: ", "\nnext:\n"):
            self.assertIn(part, text)
        self.assertNotIn("\x1b", text)
        self.assertNotRegex(text, r"\b20\d\d\b")  # no dates
        self.assertEqual(text, self.brief("--brief"))

    def test_many_long_names(self):
        """What does not fit is cut, and counted."""
        profile = json.loads(self.profile.read_text())
        name = "f" * 300
        base = profile["functions"][-1]
        for i in range(500):
            function = len(profile["functions"])
            profile["functions"].append({**base, "name": f"{name}{i}", "display": f"{name}{i}", "symbol": f"{name}{i}"})
            profile["nodes"].append({**profile["nodes"][-1], "id": len(profile["nodes"]), "function": function, "parent": 0})
        path = self.folder / "many_all.json"
        path.write_text(json.dumps(profile))
        result = command("report", "--brief", "--limit", "400", path, folder=self.folder)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertLessEqual(len(result.stdout.encode()), 6144)
        self.assertLessEqual(result.stdout.count("\n"), 60)
        self.assertRegex(result.stdout, r"cut: \d+ functions: ")

    def test_json_follows_the_schema(self):
        for words in (("--brief",), ("--function", "main")):
            with self.subTest(words=words):
                document = json.loads(self.brief(*words, "--format", "json"))
                self.assertEqual(problems(document, SCHEMA), [])
        self.assertIn("functions", json.loads(self.brief("--brief", "--format", "json")))
        self.assertEqual(problems({"format": "vftrace-brief", "version": 1, "next": [], "more": 1}, SCHEMA), ["$.more: unknown"])

    def test_function_and_path(self):
        text = self.brief("--function", "main")
        self.assertIn("function: main", text)
        self.assertIn("callees, part of the total time:\n", text)
        identity = re.search(r"--path ([0-9a-f]+) ", text)[1]
        of_path = self.brief("--path", identity)
        self.assertIn("path: init > main\n", of_path)
        document = json.loads(self.brief("--path", identity, "--format", "json"))
        self.assertEqual((problems(document, SCHEMA), document["path"]), ([], ["init", "main"]))

    def test_identities_of_paths_are_those_of_another_run(self):
        folder = scratch_folder()
        run([COMMAND, "run", "--", self.program], preload=False, folder=folder)
        identity = re.search(r"--path ([0-9a-f]+) ", self.brief("--function", "main"))[1]
        other = command("report", "--path", identity, "call_counts_all.json", folder=folder)
        self.assertIn("path: init > main\n", other.stdout)

    def test_commands_for_agents_exist(self):
        """Those of share/AGENTS.md: each command, and each of its options."""
        lines = re.findall(r"^    (.*)$", (SOURCE / "share/AGENTS.md").read_text(), re.M)
        self.assertGreater(len(lines), 8)
        for line in lines:
            words = shlex.split(line, comments=True)
            words = words[words.index("vftrace") + 1:]
            options = [word for word in words[1:words.index("--") if "--" in words else None] if word.startswith("--")]
            helped = command(words[0], "--help").stdout
            for option in options:
                self.assertRegex(helped, rf"(?m)^\s.*{option}\b", line)

    def test_what_is_different(self):
        """Calls are exact: one call more is seen, and what is the same is said to be."""
        program = compile_program("ab.c", ("-O1", "-g"))
        folder = scratch_folder()
        for name, calls in (("old", 20), ("new", 21)):
            run([COMMAND, "run", "--output-directory", folder / name, "--", program, calls, 100000], preload=False, folder=folder)
        words = ("report", "--brief", "--diff", "old/ab_all.json", "new/ab_all.json")
        text = command(*words, folder=folder).stdout
        self.assertTrue(text.startswith("vftrace brief 1 of new/ab_all.json compared with old/ab_all.json\nrun: "))
        self.assertRegex(text, r"\nwork: changed: calls of 1 function differ, of \d+ they are the same\n- work: 20 -> 21 calls\n")
        self.assertIn("evidence: one run of each", text)
        self.assertEqual(text, command(*words, folder=folder).stdout)
        document = json.loads(command(*words, "--format", "json", folder=folder).stdout)
        self.assertEqual(problems(document, SCHEMA), [])
        row, = document["difference"]["other_calls"]
        self.assertEqual((row["name"], row["old_calls"], row["new_calls"]), ("work", 20, 21))
        same = command("report", "--brief", "--diff", "old/ab_all.json", "old/ab_all.json", folder=folder).stdout
        self.assertIn("work: the same as far as it was counted", same)
        self.assertNotIn("finding:", same)
        # Sampled: no calls are known, and a function may be in one of them only.
        run([COMMAND, "run", "--sample", "--output-directory", folder / "sampled", "--", program, 20, 20000000], preload=False,
            folder=folder)
        sampled = command("report", "--brief", "--diff", "old/ab_all.json", "sampled/ab_all.json", folder=folder).stdout
        self.assertIn("work: not known", sampled)

    def test_wrong_words(self):
        self.fails("report", "--function", "no_such_function", self.profile, message='no function has a name with "no_such_function"')
        self.fails("report", "--path", "zz", self.profile, message="0 call paths have a number that begins with zz")
        for words, message in ((("--brief", "--sort", "calls"), "--sort cannot be used with --brief"),
                               (("--brief", "--function", "main"), "cannot be used together"),
                               (("--function", "main", "--diff", self.profile), "--diff cannot be used with --function"),
                               (("--brief", "--diff", "missing.json"), "missing.json"),
                               (("--brief", "--format", "csv"), "cannot be used with --format csv")):
            with self.subTest(words=words):
                self.fails("report", *words, self.profile, message=message)

    def test_next_commands_lead_to_the_planted_line(self):
        """A reader that follows only the commands reaches the line that takes the time."""
        source = """
static volatile double sum;
static void setup(void) { for (int i = 0; i < 100000; i++) sum += i; }
static void __attribute__((noinline)) kernel(int n) {
    for (int i = 1; i < n; i++)
        sum += 1.0 / (i * 1.5 + sum); /* planted */
}
static void __attribute__((noinline)) step(void) { kernel(20000000); }
int main(void) { setup(); for (int i = 0; i < 4; i++) step(); return 0; }
"""
        folder = scratch_folder()
        (folder / "planted.c").write_text(source)
        subprocess.run(["gcc", "-O1", "-g", "-o", folder / "planted", folder / "planted.c"], check=True)
        run([COMMAND, "run", "--sample", "--", folder / "planted"], preload=False, folder=folder)
        words = ["report", "--brief", "planted_all.json"]
        for _ in range(4):
            text = command(*words, folder=folder).stdout
            if re.search(r"planted\.c:[56]\b", text):
                break
            next_command = re.search(r"\nnext:\n  vftrace (.*)\n", text)
            self.assertIsNotNone(next_command, text)
            words = shlex.split(next_command[1])
        else:
            self.fail(text)
