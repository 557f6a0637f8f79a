"""Messages about sections while they last."""
import os
import pty
import re
import subprocess

from support import LIBRARY, ProgramTest, clean_environment, run, scratch_folder
from test_sections_misused import compiled

PROGRAM = r"""
#include <vftrace/sections.hpp>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
static void take(double seconds) { usleep(static_cast<unsigned>(seconds * 1e6)); }
int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "closed")) close(2);
    VFTRACE_SECTION("clean", 1, "Cleaning the Dog");
    { VFTRACE_SECTION("soap", 2, "Soaping the Dog"); take(0.5); }
    take(0.35);
    { VFTRACE_SECTION("quiet", 2, "Quietly rinsing", false); take(0.25); }
    { VFTRACE_SECTION("silent", 2); take(0.15); }
    { VFTRACE_SECTION("grows", 1, "Growing"); char *p = static_cast<char *>(malloc(110 << 20)); memset(p, 1, 110 << 20); }
    for (int i = 0; i < 1000; i++) { VFTRACE_SECTION("short", 1, "Short"); }
    take(0.15);
}
"""
LIMIT = {"VFTR_SECTION_LIVE_TIME": "0.1"}
FIGURES = r" \[ *(\d+\.\d\d) s\] \[ *\d+ MB\]"


def on_terminal(command, **variables):
    """Runs it with a terminal as stderr; returns what it printed there."""
    master, slave = pty.openpty()
    environment = clean_environment(LD_PRELOAD=LIBRARY, **variables)
    process = subprocess.Popen(list(map(str, command)), cwd=scratch_folder(), env=environment, stderr=slave)
    os.close(slave)
    text = b""
    try:
        while piece := os.read(master, 65536):
            text += piece
    except OSError:
        pass  # the other side is closed
    os.close(master)
    assert process.wait() == 0
    return text.decode().replace("\r\n", "\n")


class LivePrint(ProgramTest):
    def test_on_a_terminal(self):
        said = on_terminal([compiled(PROGRAM)], **LIMIT)
        self.assertRegex(said, r"\ACleaning the Dog\n"
                               r"  Soaping the Dog\.+" + FIGURES + r"\n"
                               r"Still Cleaning the Dog\.*\n"
                               r"  Quietly rinsing" + FIGURES + r"\n"
                               r"(Still Cleaning the Dog\.*\n)?"
                               r"  Growing\.*" + FIGURES + r"\n"
                               r"(Still|Finished) Cleaning the Dog\.*" + FIGURES + r"\n\Z")
        times = re.findall(r"\[ *(\d+\.\d\d) s\]", said)
        self.assertAlmostEqual(float(times[0]), 0.5, delta=0.15)
        self.assertAlmostEqual(float(times[1]), 0.25, delta=0.15)

    def test_without_a_terminal_no_dots(self):
        result = run([compiled(PROGRAM)], **LIMIT, VFTR_SECTION_LIVE="on")
        self.assertEqual(result.status, 0)
        lines = [re.sub(r"\A\[\+\d+\.\d s\] ", "", line) for line in result.stderr.splitlines()]
        reported = [re.sub(FIGURES, "", line) for line in lines]
        reported = [line for line in reported if line != "  Finished Growing"]  # printed if it takes long, too
        self.assertEqual(reported,
                         ["Cleaning the Dog", "  Soaping the Dog", "  Finished Soaping the Dog", "  Quietly rinsing",
                          "  Finished Quietly rinsing",
                          "  Growing", "Finished Cleaning the Dog"])
        self.assertEqual(len(re.findall(r"^\[\+", result.stderr, re.M)), len(lines))

    def test_only_if_requested(self):
        program = compiled(PROGRAM)
        self.assertEqual(run([program], **LIMIT).stderr, "")
        self.assertEqual(on_terminal([program], **LIMIT, VFTR_SECTION_LIVE="off"), "")
        self.assertEqual(run([program], VFTR_SECTION_LIVE="on", VFTR_SECTION_LIVE_TIME="100",
                             VFTR_SECTION_LIVE_MEMORY="0").stderr, "")

    def test_not_if_stderr_is_closed(self):
        result = run([compiled(PROGRAM), "closed"], **LIMIT, VFTR_SECTION_LIVE="on")
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "", ""))

    def test_of_all_threads(self):
        program = compiled(r"""
#include <vftrace/sections.hpp>
#include <thread>
#include <unistd.h>
static void work() { VFTRACE_SECTION("work", 1, "Working"); usleep(300000); }
int main() { std::thread other(work); work(); other.join(); }
""")
        said = run([program], **LIMIT, VFTR_SECTION_LIVE="all").stderr
        self.assertEqual(len(re.findall(r"\[[01]\] Working$", said, re.M)), 2, said)
        self.assertEqual(len(re.findall(r"\[[01]\] Finished Working", said)), 2, said)
        alone = run([program], **LIMIT, VFTR_SECTION_LIVE="on").stderr
        self.assertEqual(len(re.findall("Finished Working", alone)), 1, alone)
