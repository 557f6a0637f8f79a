"""The bash completion offers what the commands' --help says, no more and no less."""
import re
import subprocess

from command_support import CommandTest, command
from support import BUILD, SOURCE, clean_environment, need, scratch_folder

SCRIPT = SOURCE / "completions" / "vftrace"
OLD_TOOLS = ("vftrace_vfd_dump", "vftrace_check_config", "vftrace_generate_default_config",
             "vftrace_diff_profiles")


class Completion(CommandTest):
    def setUp(self):
        super().setUp()
        need("bash")

    def offers(self, *words, folder=None):
        """What is offered for the last of the words."""
        script = (f"source {SCRIPT}\nCOMP_WORDS=(\"$@\")\nCOMP_CWORD=$(($# - 1))\n_vftrace\n"
                  "printf '%s\\n' \"${COMPREPLY[@]}\"\n")
        result = subprocess.run(["bash", "--norc", "-c", script, "bash", *words], cwd=folder,
                                env=clean_environment(), capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return sorted(filter(None, result.stdout.split("\n")))

    def help(self, *words):
        result = command(*words, "--help")
        self.assertEqual(result.status, 0, result.stderr)
        return result.stdout

    def options_of(self, text):
        lines = re.findall(r"^  (-[^ ].*)$", text, re.M)
        names = (re.match(r"(?:-\w,)?(--[\w-]+)", line) for line in lines)
        return sorted(match[1] for match in names if match)

    def commands_of(self, text):
        block = re.search(r"^Subcommands:\n((?:  .*\n)*)", text, re.M)
        return sorted(set(re.findall(r"^  (\w+) ", block[1], re.M))) if block else []

    def all_commands(self, above=()):
        yield above
        for name in self.commands_of(self.help(*above)):
            yield from self.all_commands((*above, name))

    def test_commands_and_options(self):
        commands = list(self.all_commands())
        self.assertIn(("config", "default"), commands)
        self.assertIn(("diff",), commands)
        for words in commands:
            with self.subTest(words=words):
                text = self.help(*words)
                self.assertEqual(self.offers("vftrace", *words, "-"), self.options_of(text))
                if self.commands_of(text):
                    self.assertEqual(self.offers("vftrace", *words, ""), self.commands_of(text))

    def test_values(self):
        """The values that --help lists, as {a,b,c}, and no file names where a value is free."""
        for words in self.all_commands():
            for name, values in re.findall(r"^  (?:-\w,)?(--[\w-]+) [A-Z]+:\{([\w,]+)\}",
                                           self.help(*words), re.M):
                with self.subTest(words=words, option=name):
                    self.assertEqual(self.offers("vftrace", *words, name, ""),
                                     sorted(values.split(",")))
        self.assertEqual(self.offers("vftrace", "diff", "--limit", ""), [])

    def test_formats(self):
        text = self.help("export")
        formats = re.findall(r"^  (\w+) +\S.*\n +from: ", text, re.M)
        self.assertGreater(len(formats), 5)
        self.assertEqual(self.offers("vftrace", "export", "--format", ""), sorted(formats))
        self.assertEqual(self.offers("vftrace", "export", "-f", "per"), ["perfetto", "perfgraph"])
        self.assertEqual(self.offers("vftrace", "export", "--format", "=", "per"), ["perfetto", "perfgraph"])

    def test_every_option_with_a_value_is_known(self):
        """An option that takes a value never has other options offered in its place."""
        for words in self.all_commands():
            for name in re.findall(r"^  (?:-\w,)?(--[\w-]+) [A-Z]+(?![a-z])", self.help(*words),
                                   re.M):
                with self.subTest(words=words, option=name):
                    self.assertFalse([offer for offer in self.offers("vftrace", *words, name, "-")
                                      if offer.startswith("--")])

    def test_files(self):
        folder = scratch_folder()
        for name in ("a.json", "b.log", "c.vfd", "d.tmpvfd", "vftrace-1-2-3.tree", "e f.vfd",
                     "g.txt"):
            (folder / name).touch()
        (folder / "runs").mkdir()
        for words, expected in ((("report", ""), ["a.json", "runs"]),
                                (("diff", "a.json", ""), ["a.json", "b.log", "runs"]),
                                (("dump", "c"), ["c.vfd"]),
                                (("dump", "e"), ["e f.vfd"]),
                                (("export", "--format", "chrome", ""),
                                 ["a.json", "c.vfd", "e f.vfd", "runs"]),
                                (("recover", ""), ["d.tmpvfd", "runs", "vftrace-1-2-3.tree"]),
                                (("config", "check", ""), ["a.json", "runs"]),
                                (("snapshot", "--output", ""), ["runs"]),
                                (("run", "--output-directory", ""), ["@auto", "runs"]),
                                (("export", "-o", "g"), ["g.txt"])):
            with self.subTest(words=words):
                self.assertEqual(self.offers("vftrace", *words, folder=folder), expected)
        self.assertEqual(self.offers("vftrace_vfd_dump", "", folder=folder),
                         ["c.vfd", "e f.vfd", "runs"])

    def test_options_of_the_configuration(self):
        offers = self.offers("vftrace", "run", "--option", "profile_table.")
        self.assertIn("profile_table.show_callpath=", offers)
        self.assertTrue(all(offer.startswith("profile_table.") for offer in offers))

    def test_program_of_run(self):
        self.assertIn("ls", self.offers("vftrace", "run", "--", "l"))

    def test_old_tools(self):
        for tool in OLD_TOOLS:
            with self.subTest(tool=tool):
                self.assertTrue((BUILD / tool).exists())
                self.assertIn("--help", self.offers(tool, "--h"))
