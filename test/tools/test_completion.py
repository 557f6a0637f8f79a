"""The completions for bash, zsh and fish offer what the commands' --help says, no more and no less."""
import re
import subprocess

from command_support import CommandTest, command
from support import BUILD, SOURCE, clean_environment, need, scratch_folder

SCRIPT = SOURCE / "completions" / "vftrace"
MADE = BUILD / "completions"  # those of zsh and fish
OLD_TOOLS = ("vftrace_vfd_dump", "vftrace_check_config", "vftrace_generate_default_config",
             "vftrace_diff_profiles")


# zsh's completion in a shell that completes nothing: what it would offer is printed, "*" and the endings for files.
ZSH = """
only_fitting() { local offer; for offer in $@; do [[ $offer != $words[CURRENT]* ]] || print -r -- $offer; done }
_describe() { local -a list; list=("${(@P)4}"); only_fitting "${(@)list%%:*}" }
_files() { if [[ $1 == -/ ]]; then print -- */(N:t); elif [[ -n $2 ]]; then setopt local_options null_glob; print -l -- ${~2} *(/); else print -l -- *(N); fi }
compadd() { if [[ $3 == -a ]]; then only_fitting "${(@P)4}"; else print -l -- $@; fi }
compset() { words[CURRENT]=${words[CURRENT]#*=} }
_normal() { print -r -- $words[1] }
_call_program() { shift; eval "$@" }
words=("$@") CURRENT=$#
functions[complete_it]="$(<$COMPLETION_FILE)"
complete_it
"""


class Completion(CommandTest):
    def setUp(self):
        super().setUp()
        need("bash")

    def offers_of_shell(self, shell, *words, folder=None):
        """The completions of zsh or fish for the last of the words."""
        environment = clean_environment(COMPLETION_FILE=MADE / "_vftrace", PATH=f"{BUILD}:/usr/bin:/bin",
                                        HOME=scratch_folder())
        if shell == "zsh":
            call = ["zsh", "-f", "-c", ZSH, "zsh", *words]
        else:
            call = ["fish", "--no-config", "-c", f"source {MADE / 'vftrace.fish'}; complete -C '{' '.join(words)}'"]
        result = subprocess.run(call, cwd=folder or scratch_folder(), env=environment, capture_output=True, text=True)
        self.assertEqual(result.stderr, "")
        return sorted({line.split("\t")[0].removesuffix("/") for line in result.stdout.split("\n") if line})

    def offers(self, *words, folder=None):
        """The completions for the last of the words."""
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
        """The values that --help lists, as {a,b,c}, and no file names for free values."""
        for words in self.all_commands():
            for name, values in re.findall(r"^  (?:-\w,)?(--[\w-]+) [A-Z]+:\{([\w,]+)\}",
                                           self.help(*words), re.M):
                with self.subTest(words=words, option=name):
                    self.assertEqual(self.offers("vftrace", *words, name, ""),
                                     sorted(values.split(",")))
        self.assertEqual(self.offers("vftrace", "diff", "--limit", ""), [])

    def test_formats(self):
        text = self.help("export")
        formats = re.findall(r"^  ([\w-]+) +\S.*\n +from: ", text, re.M)
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
        for words, expected in ((("report", ""), ["a.json", "c.vfd", "e f.vfd", "runs"]),
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

    def compare_with_bash(self, shell):
        need(shell)
        commands = list(self.all_commands())
        for words in commands:
            below = self.commands_of(self.help(*words))
            for last in ("-", *(["", below[0][:2]] if below else [])):
                with self.subTest(words=words, last=last):
                    self.assertEqual(self.offers_of_shell(shell, "vftrace", *words, last),
                                     self.offers("vftrace", *words, last))
        for words in (("report", "--sort", ""), ("report", "--sort-messages", "send"), ("run", "--mpi", ""), ("export", "-f", "per"),
                      ("export", "--format", ""), ("filter", "--format", ""), ("config", "check", "-"), ("diff", "--limit", ""),
                      ("merge", "--runs", ""), ("run", "--parameter", "")):
            with self.subTest(words=words):
                self.assertEqual(self.offers_of_shell(shell, "vftrace", *words), self.offers("vftrace", *words))
        settings = self.offers_of_shell(shell, "vftrace", "run", "--option", "mpi.")
        self.assertEqual([setting.rstrip("=") for setting in settings],
                         [setting.rstrip("=") for setting in self.offers("vftrace", "run", "--option", "mpi.")])
        self.assertIn("--show_threadtree", self.offers_of_shell(shell, "vftrace_vfd_dump", "--"))
        folder = scratch_folder()
        for name in ("a.json", "b.log", "c.vfd", "d.tmpvfd", "vftrace-1-2-3.tree", "g.txt"):
            (folder / name).touch()
        (folder / "runs").mkdir()
        for words in (("report", ""), ("diff", ""), ("dump", ""), ("export", ""), ("recover", ""), ("info", ""), ("merge", ""),
                      ("model", ""), ("filter", ""), ("analyze", ""), ("config", "check", ""), ("snapshot", "--output", ""),
                      ("run", "--config", ""), ("filter", "--parameters", ""), ("analyze", "--into", ""), ("merge", "--output", ""),
                      ("export", "-o", ""), ("run", "--output-directory", "")):
            with self.subTest(words=words):
                self.assertEqual(self.offers_of_shell(shell, "vftrace", *words, folder=folder),
                                 self.offers("vftrace", *words, folder=folder))
        self.assertIn("ls", self.offers_of_shell(shell, "vftrace", "run", "--", "ls"))

    def test_zsh_offers_what_bash_offers(self):
        self.compare_with_bash("zsh")

    def test_fish_offers_what_bash_offers(self):
        self.compare_with_bash("fish")

    def test_fish_offers_values_after_an_equals_sign(self):
        need("fish")
        self.assertEqual(self.offers_of_shell("fish", "vftrace", "export", "--format=per"), ["--format=perfetto", "--format=perfgraph"])

    def test_reader_of_help_can_be_quoted(self):
        text = (SOURCE / "completions" / "offers.awk").read_text()
        self.assertNotIn("'", text)
        self.assertNotIn("\\\\", text)

    def test_old_tools(self):
        for tool in OLD_TOOLS:
            with self.subTest(tool=tool):
                self.assertTrue((BUILD / tool).exists())
                self.assertIn("--help", self.offers(tool, "--h"))
