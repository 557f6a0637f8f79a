"""Every command has a manual page, whose options are those of --help; `vftrace help` opens it."""
import re
import subprocess

from command_support import CommandTest, command
from support import COMMAND, SOURCE, clean_environment, need, scratch_folder

PAGES = SOURCE / "doc" / "man"
SECTIONS = ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "SEE ALSO")
# Terms that must not be mistaken for options of the command.
OPTION = re.compile(r"--[a-z][a-z-]*")


def summaries():
    """By command, without help."""
    block = re.search(r"^Subcommands:\n((?:  .*\n)*)", command("--help").stdout, re.M)
    return {name: text for name, text in re.findall(r"^  (\w+) +(\S.*)$", block[1], re.M) if name != "help"}


def commands():
    return sorted(summaries())


def text_of(page):
    return page.read_text().replace("\\-", "-").replace("\\fR", "").replace("\\fI", "")


def options_of_help(*words):
    """The options that have a line in --help, without --help itself."""
    lines = re.findall(r"^  (?:-\w,)?(--[\w-]+)", command(*words, "--help").stdout, re.M)
    return set(lines) - {"--help", "--version"}


class Pages(CommandTest):
    def test_every_command_has_a_page(self):
        overview = text_of(PAGES / "vftrace.1")
        self.assertGreater(len(commands()), 12)
        for name in commands():
            with self.subTest(name):
                self.assertTrue((PAGES / f"vftrace-{name}.1").exists())
                self.assertIn(f"vftrace-{name} (1)", overview)

    def test_summaries_agree_with_help(self):
        overview = text_of(PAGES / "vftrace.1")
        for name, summary in summaries().items():
            with self.subTest(name):
                in_name_line = summary[0].lower() + summary[1:]
                self.assertIn(f".SH NAME\nvftrace-{name} - {in_name_line}\n", text_of(PAGES / f"vftrace-{name}.1"))
                self.assertIn(f"vftrace-{name} (1)\n{summary}.\n", overview)

    def test_options_agree_with_help(self):
        for name in commands():
            with self.subTest(name):
                page = text_of(PAGES / f"vftrace-{name}.1")
                known = options_of_help(name)
                for part in re.findall(r"^  (\w+) ", command(name, "--help").stdout.partition("Subcommands:")[2], re.M):
                    known |= options_of_help(name, part)
                self.assertEqual(known - set(OPTION.findall(page)), set(), "not in the page")
                described = set()
                for line in re.findall(r"^\.TP\n(\..*)$", page, re.M):
                    described |= set(OPTION.findall(line))
                self.assertEqual(described - known, set(), "not in --help")

    def test_form(self):
        version = command("--version").stdout.split()[1]
        pages = sorted(PAGES.glob("*.1"))
        self.assertGreater(len(pages), 18)
        for page in pages:
            with self.subTest(page.name):
                text = page.read_text()
                self.assertRegex(text, rf'\A\.TH {page.stem.upper()} 1 \d{{4}}-\d\d-\d\d "vftrace {version}" "vftrace manual"\n')
                self.assertEqual([name for name in SECTIONS if f"\n.SH {name}\n" not in text], [])

    def test_installed(self):
        makefile = (SOURCE / "Makefile.am").read_text()
        for page in PAGES.glob("*.1"):
            self.assertIn(f"doc/man/{page.name}", makefile)

    def test_mandoc(self):
        need("mandoc")
        for page in sorted(PAGES.glob("*.1")):
            result = subprocess.run(["mandoc", "-Tlint", "-Wwarning", page], capture_output=True, text=True)
            self.assertEqual(result.stdout, "")


class WithoutCommand(CommandTest):
    def test_lists_the_commands(self):
        result = command(COMMAND)
        self.assertEqual((result.status, result.stdout), (2, ""))
        for name, summary in summaries().items():
            self.assertRegex(result.stderr, rf"(?m)^  {name} +{re.escape(summary)}$")


class Help(CommandTest):
    def help(self, *words, path=""):
        result = command("help", *words, PATH=path + ":/nowhere")
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result.stdout

    def test_opens_the_page(self):
        folder = scratch_folder()
        (folder / "man").write_text('#!/bin/sh\ncase $1 in -w) [ "$3" = vftrace-report ] && echo /pages/$3.1 ;; '
                                    '-l) echo "page $2" ;; esac\n')
        (folder / "man").chmod(0o755)
        self.assertEqual(self.help("report", path=str(folder)), "page /pages/vftrace-report.1\n")
        # A page that man does not have.
        self.assertEqual(self.help("diff", path=str(folder)), command("diff", "--help").stdout)

    def test_without_man(self):
        self.assertEqual(self.help("report"), command("report", "--help").stdout)
        self.assertEqual(self.help("config", "check"), command("config", "check", "--help").stdout)
        self.assertIn("Usage: vftrace [OPTIONS]", self.help())

    def test_unknown(self):
        self.fails("help", "reprot", message='"vftrace reprot" is not a command; did you mean "report"?')
