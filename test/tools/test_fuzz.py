"""The readers of files with the inputs that the fuzzer has found, and the fuzzer itself (test/fuzz)."""
import os
import re
import subprocess

import pytest

from command_support import CommandTest, command
from support import BUILD, EVERYTHING, HERE, SOURCE, scratch_folder

FUZZ = HERE / "fuzz"
PROFILE = HERE / "profiles" / "halo_4_ranks.json"

# What gives a file to the reader. No command takes the files of a mark, which begin with its length (trees.cpp), and
# messages of readers; names of hosts would be given to launchers.
COMMANDS = {"vfd": [["dump", "--threads"], ["dump", "--thread", "0"]],
            "tree": [["rollcall"], ["recover", "--keep", "--output", "."]],
            "mark": [],
            "trace": [["recover", "--keep", "--output", "."]],
            "profile": [["report", "--all"], ["export", "--format", "csv", "-o", "-"]],
            "parameters": [["filter", "--parameters"]],
            "models": [["report", "--html", "-o", "page.html", PROFILE]],
            "extrap": [["model"]],
            "hosts": [],
            "roll_call": [],
            "log": [["diff", PROFILE]],
            "configuration": [["config", "check"]]}


def readers():
    return re.findall(r'\{"(\w+)", read_', (FUZZ / "readers.hpp").read_text())


class Corpora(CommandTest):
    def test_every_reader_has_a_corpus(self):
        self.assertEqual(sorted(readers()), sorted(COMMANDS))
        self.assertEqual(sorted(path.name for path in (FUZZ / "corpus").iterdir()), sorted(COMMANDS))
        script = re.search(r"FUZZ_READERS:-([a-z_ ]+)\}", (FUZZ / "fuzz.sh").read_text())[1].split()
        self.assertEqual(script, readers())

    def test_commands_read_them(self):
        for reader, commands in COMMANDS.items():
            files = sorted((FUZZ / "corpus" / reader).iterdir())
            self.assertGreater(len(files), 0)
            # Those that were found, not made, are many.
            found = [file for file in files if re.fullmatch("[0-9a-f]{12}", file.name)]
            made = [file for file in files if file not in found]
            for file in [*made, *found[::1 if EVERYTHING else 7]]:
                for words in commands:
                    with self.subTest(file=file.name, command=words[0]):
                        result = command(*words, file, folder=scratch_folder(), timeout=60)
                        self.assertIn(result.status, (0, 1, 2), result.stderr)
                        self.assertRegex(result.stderr, r"\A(vftrace: .*\n|         .*\n|\n)*\Z")


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.timeout(5400)
class Fuzzer(CommandTest):
    """Each reader for a minute; the code of the commands is built for it first."""

    def test_readers(self):
        result = subprocess.run([FUZZ / "fuzz.sh", SOURCE], cwd=BUILD, check=False, capture_output=True, text=True,
                                errors="replace", env={"FUZZ_SECONDS": "60", **os.environ})
        if "no clang with libFuzzer was found" in result.stdout:
            self.skipTest(result.stdout.strip())
        self.assertEqual(result.returncode, 0, result.stdout[-2000:] + result.stderr[-4000:])
        self.assertEqual(re.findall(r"^fuzz\.sh: (\w+)$", result.stdout, re.M), readers())
