"""Messages about tasks that block their event loop, while they do."""
import re

from support import ProgramTest, run
from test_sections_live import on_terminal
from test_sections_misused import compiled

PROGRAM = r"""
#include <vftrace/tasks.h>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>
static void take(double seconds) { usleep(static_cast<unsigned>(seconds * 1e6)); }
static vftrace_task_id task(const char* type) { return vftrace_task_create(type, "dir/server.cpp", 40); }
static void once(const char* type, double seconds) {
    const vftrace_task_id one = task(type);
    vftrace_task_run(one);
    take(seconds);
    vftrace_task_complete(one);
}
static void loop() {
    const vftrace_task_id session = task("session");
    for (int i = 0; i < 8; i++) {  // 0.4 s in all, but with pauses
        vftrace_task_run(session);
        take(0.05);
        vftrace_task_pause(session);
    }
    vftrace_task_complete(session);
    once("parse", 0.6);
    const vftrace_task_id outer = task("outer");
    vftrace_task_run(outer);
    once("inner", 0.4);  // it is not the outer one that blocks
    vftrace_task_complete(outer);
    once("parse", 0.05);
}
int main(int argc, char** argv) {
    if (argc > 1 && !strcmp(argv[1], "closed")) close(2);
    vftrace_task_cancel(task("first"));
    if (argc > 1 && !strcmp(argv[1], "thread")) std::thread(loop).join();
    else loop();
    if (argc > 1 && !strcmp(argv[1], "never")) { vftrace_task_run(task("never")); take(0.4); }
}
"""
ON = {"VFTR_SECTION_LIVE": "on", "VFTR_TASK_BLOCKED_AFTER": "0.2"}
LINE = re.compile(r"(?:\[\+(\d+\.\d) s\] )?(\[[\d.]+\] )?event loop (was )?blocked by (\w+) \(server\.cpp:40\) "
                  r"for (\d+\.\d\d) s(?:, in (.+))?")
REPORTED = [("", "parse"), ("was ", "parse"), ("", "inner"), ("was ", "inner")]


class BlockedLoops(ProgramTest):
    def reported(self, text):
        lines = [LINE.fullmatch(line) for line in text.splitlines()]
        self.assertTrue(all(lines), text)
        return [(line[3] or "", line[4]) for line in lines], lines

    def test_once_when_it_is_too_long_and_once_when_it_is_over(self):
        reported, lines = self.reported(run([compiled(PROGRAM)], **ON).stderr)
        self.assertEqual(reported, REPORTED)
        for line, seconds in zip(lines, (0.2, 0.6, 0.2, 0.4)):
            self.assertAlmostEqual(float(line[5]), seconds, delta=0.15)
            self.assertIsNotNone(line[1])
            self.assertIsNone(line[2])
        self.assertLess(float(lines[0][5]), float(lines[1][5]))

    def test_calls_in_the_run(self):
        """The functions that run, the innermost first, if the program has hooks."""
        program = compiled(r"""
#include <vftrace/tasks.h>
#include <unistd.h>
__attribute__((noinline)) static void compare() { usleep(600000); }
__attribute__((noinline)) static void search() { compare(); }
int main() {
    const vftrace_task_id one = vftrace_task_create("parse", "dir/server.cpp", 40);
    vftrace_task_run(one);
    search();
    vftrace_task_complete(one);
}
""", "-finstrument-functions")
        _, lines = self.reported(run([program], **ON).stderr)
        self.assertEqual([line[6] for line in lines], ["compare < search", None])

    def test_on_a_terminal(self):
        program = compiled(PROGRAM)
        reported, lines = self.reported(on_terminal([program], VFTR_TASK_BLOCKED_AFTER="0.2"))
        self.assertEqual(reported, REPORTED)
        self.assertFalse(any(line[1] for line in lines))
        self.assertEqual(on_terminal([program], VFTR_TASK_BLOCKED_AFTER="0.2", VFTR_SECTION_LIVE="off"), "")

    def test_other_threads(self):
        for live, prefix in (("on", "[1] "), ("all", "[1] ")):
            reported, lines = self.reported(run([compiled(PROGRAM), "thread"], **{**ON, "VFTR_SECTION_LIVE": live}).stderr)
            self.assertEqual(reported, REPORTED)
            self.assertEqual({line[2] for line in lines}, {prefix})

    def test_only_if_requested(self):
        program = compiled(PROGRAM)
        for variables in ({}, {"VFTR_SECTION_LIVE": "on"}, {**ON, "VFTR_TASK_BLOCKED_AFTER": "0"},
                          {**ON, "VFTR_TASK_ACTIVE": "no"}):
            result = run([program], **variables)
            self.assertEqual((result.status, result.stdout, result.stderr), (0, "", ""))
        result = run([program, "closed"], **ON)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "", ""))

    def test_what_is_running_at_the_end(self):
        reported, _ = self.reported(run([compiled(PROGRAM), "never"], **ON).stderr)
        self.assertEqual(reported, [*REPORTED, ("", "never"), ("was ", "never")])

    def test_together_with_sections(self):
        """The message has a line of its own, even while the line of a section grows."""
        program = compiled(r"""
#include <vftrace/sections.hpp>
#include <vftrace/tasks.h>
#include <unistd.h>
int main() {
    VFTRACE_SECTION("serve", 1, "Serving");
    const vftrace_task_id one = vftrace_task_create("parse", "server.cpp", 40);
    usleep(250000);
    vftrace_task_run(one);
    usleep(400000);
    vftrace_task_complete(one);
    usleep(250000);
}
""")
        said = on_terminal([program], VFTR_TASK_BLOCKED_AFTER="0.2", VFTR_SECTION_LIVE_TIME="0.1")
        lines = said.splitlines()
        self.assertRegex(lines[0], r"\AServing\.*\Z")
        self.assertEqual(len([line for line in lines if LINE.fullmatch(line)]), 2, said)
        self.assertTrue(all(LINE.fullmatch(line) or re.match(r"(Still |Finished )?Serving", line) for line in lines),
                        said)

    def test_a_child_of_fork(self):
        """Prints messages only if all ranks and threads do."""
        program = compiled(r"""
#include <vftrace/tasks.h>
#include <sys/wait.h>
#include <unistd.h>
static void block(const char* type) {
    const vftrace_task_id one = vftrace_task_create(type, "server.cpp", 40);
    vftrace_task_run(one);
    usleep(400000);
    vftrace_task_complete(one);
}
int main() {
    block("parent");
    if (fork() == 0) { block("child"); return 0; }
    wait(0);
    block("parent");
}
""")
        of_parent = [("", "parent"), ("was ", "parent")]
        self.assertEqual(self.reported(run([program], **ON).stderr)[0], 2 * of_parent)
        self.assertEqual(self.reported(run([program], **{**ON, "VFTR_SECTION_LIVE": "all"}).stderr)[0],
                         [*of_parent, ("", "child"), ("was ", "child"), *of_parent])
