"""What commands do only on a terminal: colours, widths, the pager of the report, wrapped help."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading

from command_support import CommandTest, command
from support import COMMAND, HERE, clean_environment, scratch_folder

PROFILE = HERE / "profiles" / "halo_4_ranks.json"
ESCAPE = "\x1b["


def at_terminal(*arguments, rows=500, columns=130, **variables):
    """What the command prints on a terminal of this size."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    environment = {**clean_environment(), "TERM": "xterm", **variables}
    process = subprocess.Popen([str(COMMAND), *map(str, arguments)], env=environment, stdin=terminal,
                               stdout=terminal, stderr=subprocess.PIPE)
    os.close(terminal)
    errors = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    reader.start()
    printed = b""
    while True:
        try:
            piece = os.read(controller, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        printed += piece
    status = process.wait()
    reader.join()
    process.stderr.close()
    os.close(controller)
    return status, printed.decode().replace("\r\n", "\n"), errors[0].decode()


class Colours(CommandTest):
    def test_only_on_terminals(self):
        piped = command("report", PROFILE)
        self.assertEqual((piped.status, piped.stderr), (0, ""))
        self.assertNotIn("\x1b", piped.stdout)
        status, printed, errors = at_terminal("report", PROFILE)
        self.assertEqual((status, errors), (0, ""))
        self.assertIn(f"{ESCAPE}1mRuntime profile{ESCAPE}0m\n", printed)
        self.assertRegex(printed, r"\x1b\[31m57\.6\x1b\[0m")  # a large share
        self.assertRegex(printed, r"\x1b\[33m2\.5\x1b\[0m")
        self.assertNotRegex(printed, r"\x1b\[\d+m0\.2\b")
        self.assertNotIn("\x1b", at_terminal("report", PROFILE, "--color=never")[1])

    def test_variables(self):
        self.assertNotIn("\x1b", at_terminal("report", PROFILE, NO_COLOR="1")[1])
        self.assertIn("\x1b", at_terminal("report", PROFILE, NO_COLOR="")[1])
        self.assertNotIn("\x1b", at_terminal("report", PROFILE, TERM="dumb")[1])
        # The command line takes precedence.
        self.assertIn("\x1b", command("report", PROFILE, "--color", "always", NO_COLOR="1").stdout)

    def test_colours_change_nothing_else(self):
        coloured = command("report", PROFILE, "--color=always").stdout
        self.assertEqual(re.sub(r"\x1b\[\d+m", "", coloured), command("report", PROFILE).stdout)
        self.assertNotIn("\x1b", command("report", PROFILE, "--format", "csv", "--color=always").stdout)
        self.fails("report", PROFILE, "--color", "sometimes", message="sometimes")


class Pager(CommandTest):
    def setUp(self):
        super().setUp()
        self.folder = scratch_folder()
        self.pager = self.folder / "pager"
        self.pager.write_text("#!/bin/sh\necho paged: \"$LESS\"\ncat\n")
        self.pager.chmod(0o755)

    def test_long_output_is_paged(self):
        status, printed, errors = at_terminal("report", PROFILE, rows=24, PAGER=str(self.pager))
        self.assertEqual((status, errors), (0, ""))
        self.assertTrue(printed.startswith("paged: FRX\n"), printed[:100])
        self.assertIn("More of this profile", printed)
        self.assertIn("\x1b[1m", printed)

    def test_not_paged(self):
        plain = at_terminal("report", PROFILE, rows=500, PAGER=str(self.pager))[1]
        self.assertNotIn("paged", plain)
        for arguments, pager in ((("--no-pager",), str(self.pager)), ((), ""), ((), "cat"), ((), "/nowhere/pager"),
                                 (("--format", "csv"), str(self.pager))):
            with self.subTest(arguments=arguments, pager=pager):
                status, printed, _ = at_terminal("report", PROFILE, *arguments, rows=24, PAGER=pager)
                self.assertEqual(status, 0)
                self.assertNotIn("paged", printed)
                if not arguments:
                    self.assertEqual(printed, plain)
        self.assertNotIn("paged", command("report", PROFILE, PAGER=str(self.pager)).stdout)

    def test_reader_that_stops_early(self):
        self.pager.write_text("#!/bin/sh\nread line\necho \"first: $line\"\n")
        status, printed, errors = at_terminal("report", PROFILE, rows=24, PAGER=str(self.pager))
        self.assertEqual((status, errors, printed), (0, "", "first: halo: 1.99 s on 4 ranks. Quality of the measurement: good\n"))


class Width(CommandTest):
    def test_of_the_terminal(self):
        def widest(columns):
            printed = at_terminal("report", PROFILE, "--color=never", columns=columns)[1]
            return max(len(line) for line in printed.split("\n") if line.startswith("|"))
        # The communication table of this profile cannot be narrower than its numbers.
        self.assertLessEqual(widest(300), 160)
        self.assertLessEqual(widest(150), 150)


class Help(CommandTest):
    def test_wrapped_to_the_terminal(self):
        for words in ("run", "report", "top", "parameters"):
            piped = command(words, "--help").stdout
            for columns, widest in ((80, 80), (300, 110)):
                with self.subTest(words=words, columns=columns):
                    status, printed, errors = at_terminal(words, "--help", columns=columns)
                    self.assertEqual((status, errors), (0, ""))
                    lines = printed.split("\n")
                    lines = lines[lines.index("Options:"):]
                    lines = lines[:lines.index("")]
                    self.assertGreater(len(lines), 10)
                    self.assertLessEqual(max(map(len, lines)), widest)
                    text = " ".join(printed.split())
                    for description in re.findall(r"^(?:  -\S.*? {2,}| {30})(\S.*)", piped, re.M):
                        self.assertIn(" ".join(description.rstrip(")").split()), text)
                    self.assertNotIn("{", text)
        self.assertEqual(at_terminal("run", "--help", columns=40)[1], command("run", "--help").stdout)

    def test_usage_shows_the_program(self):
        self.assertIn("\nUsage: vftrace run [OPTIONS] -- PROGRAM [ARGUMENTS]\n", command("run", "--help").stdout)
        self.assertIn("\n       vftrace parameters --run [OPTIONS] -- PROGRAM [ARGUMENTS]\n",
                      command("parameters", "--help").stdout)
