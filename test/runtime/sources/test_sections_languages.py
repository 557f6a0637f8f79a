"""Sections in Fortran and C, in coroutines, and together with exceptions and regions."""
import csv
import io
import subprocess

from support import (COMMAND, LIBRARY, LINK_LIBRARY, BUILD, HERE, ProgramTest, need, need_part, run, scratch_folder)
from test_sections import report, section_rows
from test_sections_misused import compiled


def fortran_program(name):
    """A program of test/fortran that uses the module, and is linked with the library."""
    need("gfortran")
    need_part("HAVE_FORTRAN")
    program = scratch_folder() / name
    subprocess.run(["gfortran", "-O1", "-I", BUILD / "fortran", HERE / "fortran" / f"{name}.F90", "-o", program,
                    *LINK_LIBRARY], check=True)
    return program


class Fortran(ProgramTest):
    def test_module_procedures(self):
        program = fortran_program("sections")
        result = run([program], preload=False, VFTR_SECTION_LEVEL="6")
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(result.stdout, "calls 3.0\nsum T\nunknown T T\nmissing 0.0\ntext T\n T T\n")
        sections = section_rows(result.text())
        self.assertEqual((sections["plain"]["Calls"], sections["detailed"]["Calls"]), ("3", "3"))


# Two coroutines that hold a section across suspensions, resumed in turns and on another thread.
COROUTINES = r"""
#include <vftrace/sections.hpp>
#include <coroutine>
#include <cstdio>
#include <thread>
struct Task {
    struct promise_type {
        Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
    std::coroutine_handle<promise_type> handle;
};
static Task work(const char *name) {
    VFTRACE_SECTION(std::string(name), 1);
    co_await std::suspend_always();
    { VFTRACE_SECTION("step", 2); co_await std::suspend_always(); }
}
static void between() { VFTRACE_SECTION("between", 1); }
int main() {
    Task first = work("first"), second = work("second"), third = work("third");
    for (int i = 0; i < 3; i++) {
        first.handle.resume();
        between();
        second.handle.resume();
    }
    third.handle.resume();
    std::thread([&] { third.handle.resume(); third.handle.resume(); between(); }).join();
    for (Task *task : {&first, &second, &third}) task->handle.destroy();
    between();
    std::printf("%g %g\n", vftrace::section_data(vftrace::data_type::CALLS, "step"),
                vftrace::section_data(vftrace::data_type::CALLS, "between"));
}
"""
EXCEPTIONS = r"""
#include <vftrace/sections.hpp>
#include <csetjmp>
#include <cstdlib>
extern "C" __attribute__((noinline)) void calls_back(void (*back)(const void *), const vftrace_section *section) {  // compiled as C code is
    vftrace_section_begin(section);
    back(nullptr);
    vftrace_section_end(section);
}
static void throws(const void *) { throw 1; }
static void returns(const void *) {}
static __attribute__((noinline)) void has_guards() {
    VFTRACE_SECTION("guard", 1);
    VFTRACE_SECTION("second guard", 1);
    throw 2;
}
static __attribute__((noinline)) void jumps(std::jmp_buf place) {
    struct vftrace_section_mark mark;
    vftrace_section_open(vftrace_section_register("left", 1, "", 1), &mark);
    std::longjmp(place, 1);
}
int main() {
    const vftrace_section *in_c = vftrace_section_register("in C", 1, "", 1), *after = vftrace_section_register("after", 1, "", 1);
    for (int i = 0; i < 3; i++) {
        try { calls_back(throws, in_c); } catch (int) {}
    }
    calls_back(returns, in_c);
    for (int i = 0; i < 3; i++) {
        try { has_guards(); } catch (int) {}
    }
    static std::jmp_buf place;
    for (volatile int i = 0; i < 3; i = i + 1)
        if (!setjmp(place)) jumps(place);
    vftrace_section_begin(after);
    vftrace_section_end(after);
}
"""
REGIONS = r"""
#include <vftrace.hpp>
#include <vftrace/sections.hpp>
int main() {
    VFTRACE_REGION("region");
    VFTRACE_SECTION("section", 1);
    VFTRACE_REGION("inner region");
}
"""


class Cxx(ProgramTest):
    def test_coroutines(self):
        for compiler, *flags in (("g++", "-O0"), ("g++", "-O2"), ("clang++", "-O1"),
                                 ("g++", "-O1", "-finstrument-functions",
                                  "-finstrument-functions-exclude-file-list=/usr/include")):
            with self.subTest(compiler=compiler, flags=flags):
                program = compiled(COROUTINES, "-std=c++20", *flags, compiler=compiler)
                result = run([program], VFTR_SECTION_HEAVIEST_SECTIONS="9")
                self.assertEqual((result.status, result.stdout, result.stderr), (0, "3 5\n", ""))
                rows = section_rows(result.text(), "Heaviest Sections:")
                self.assertEqual({name: rows[name]["Calls"] for name in ("first", "second", "third")},
                                 {"first": "1", "second": "1", "third": "1"})

    def test_exceptions_and_jumps(self):
        """The ends of guarded sections are seen; other sections continue below the caller, like regions."""
        for flags in (("-O1",), ("-O0",), ("-O1", "-finstrument-functions")):
            with self.subTest(flags=flags):
                result = run([compiled(EXCEPTIONS, *flags)], VFTR_SECTION_HEAVIEST_SECTIONS="9")
                self.assertEqual((result.status, result.stderr), (0, ""))
                rows = section_rows(result.text(), "Heaviest Sections:")
                self.assertEqual({name: row["Calls"] for name, row in rows.items()},
                                 {"in C": "4", "guard": "3", "second guard": "3", "left": "3", "after": "1"})
                tree = result.paths()
                self.assertEqual(len([path for path in tree if path.startswith("guard<")]), 1)
                left, = (path for path in tree if path.startswith("left<"))
                self.assertNotIn("guard", left)
                # No functions of the header are in the profile.
                functions = {function["name"] for function in result.profile()["functions"]}
                self.assertLessEqual(functions, {"init", "main", "calls_back", "throws", "returns", "has_guards", "jumps",
                                                 "in C", "guard", "second guard", "left", "after"} |
                                     {name for name in functions if name.startswith("_ZL")})

    def test_regions_as_sections(self):
        program = compiled(REGIONS, *LINK_LIBRARY)
        result = run([program], preload=False)
        self.assertEqual(list(section_rows(result.text())), ["program (main)", "section"])
        profile = next(result.folder.glob("*_all.json"))
        rows = section_rows("\n" + report(profile, "--sections", "--regions"))
        self.assertEqual(list(rows), ["program (main)", "region", "section", "inner region"])
        result = run([program], preload=False, VFTR_SECTION_REGIONS="yes")
        self.assertEqual(list(section_rows(result.text())), list(rows))

    def test_merge_and_diff(self):
        """Sections of several runs are matched by name."""
        program = compiled(REGIONS, *LINK_LIBRARY)
        first, second = (next(run([program], preload=False).folder.glob("*_all.json")) for _ in range(2))
        merged = first.parent / "merged.json"
        subprocess.run([COMMAND, "merge", "--runs", "sum", "-o", merged, first, second], check=True)
        self.assertEqual(section_rows("\n" + report(merged, "--sections"))["section"]["Calls"], "2")
        said = subprocess.run([COMMAND, "diff", "--by", "path", first, second], capture_output=True, text=True)
        self.assertEqual(said.stderr, "")
        self.assertIn("section", said.stdout)

    def test_snapshots(self):
        program = compiled(r"""
#include <vftrace/sections.hpp>
#include <cstdlib>
static void step(int i) { VFTRACE_SECTION("step", 1); if (i % 10 == 9) { VFTRACE_SECTION("output", 2); } }
int main(int argc, char **argv) {
    const int steps = atoi(argv[1]);
    for (int i = 0; i < steps; i++) { step(i); vftrace::section_snapshot(100 + i); }
}
""")
        for steps in (20, 3000):
            with self.subTest(steps=steps):
                result = run([program, steps])
                self.assertEqual((result.status, result.stderr), (0, ""))
                self.assertNotIn("snapshot", result.text().partition("Vftrace configuration")[0])
                profile = next(result.folder.glob("*_all.json"))
                rows = list(csv.DictReader(io.StringIO(report(profile, "--table", "section_snapshots", "--format", "csv"))))
                of_steps = [(float(row["label"]), int(row["calls"])) for row in rows if row["section"] == "step"]
                self.assertLessEqual(len(of_steps), 256)
                self.assertEqual(of_steps[-1], (99 + steps, steps))
                # Labels that stand for several snapshots have the figures of the last one.
                self.assertEqual([label for label, _ in of_steps], [99 + calls for _, calls in of_steps])
                self.assertEqual(len(of_steps), 20 if steps == 20 else len(set(of_steps)))
                totals = [float(row["time_incl[s]"]) for row in rows if row["section"] == "step"]
                self.assertEqual(totals, sorted(totals))
                output = [int(row["calls"]) for row in rows if row["section"] == "output"]
                self.assertEqual((output[0], output[-1]) if steps == 20 else output[-1], (1, 2) if steps == 20 else 300)

    def test_snapshots_by_time(self):
        program = compiled(r"""
#include <vftrace/sections.hpp>
#include <unistd.h>
int main() { VFTRACE_SECTION("sleeps", 1); usleep(500000); }
""")
        profile = next(run([program], VFTR_SECTION_SNAPSHOT_INTERVAL="0.05").folder.glob("*_all.json"))
        rows = list(csv.DictReader(io.StringIO(report(profile, "--table", "section_snapshots", "--format", "csv"))))
        self.assertGreater(len(rows), 5)
        for row in rows:
            self.assertAlmostEqual(float(row["label"]), float(row["time[s]"]), delta=0.02)
            self.assertAlmostEqual(float(row["time_incl[s]"]), float(row["time[s]"]), delta=0.05)

    def test_allocations(self):
        library = LIBRARY.parent / "libvftrace_allocations.so"
        result = run([compiled(r"""
#include <vftrace/sections.hpp>
#include <cstdio>
#include <cstdlib>
int main() {
    void *volatile block, *volatile other;
    {
        VFTRACE_SECTION("outer", 1);
        block = malloc(10 << 20);
        VFTRACE_SECTION("inner", 1);
        other = malloc(5 << 20);
    }
    { VFTRACE_SECTION("frees", 1); free(block); free(other); }
    for (const char *name : {"outer", "inner", "frees"})
        printf("%.1f %.1f\n", vftrace::section_data(vftrace::data_type::SELF_MEMORY, name),
               vftrace::section_data(vftrace::data_type::TOTAL_MEMORY, name));
}
""")], preload=False, LD_PRELOAD=f"{LIBRARY}:{library}", VFTR_SECTION_MEMORY="allocations")
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(result.stdout, "10.0 15.0\n5.0 5.0\n-15.0 -15.0\n")
        rows = section_rows(result.text())
        self.assertEqual([rows[name]["Mem(MB)"] for name in ("outer", "inner", "frees")], ["15", "5", "-15"])

    def test_descriptors_and_errno_are_the_programs(self):
        """The library's descriptor may be closed and taken by the program; none is open without sections."""
        result = run([compiled(r"""
#include <vftrace/sections.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
static int open_descriptors() {
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}
static void grows(int mebibytes) {
    VFTRACE_SECTION("grows", 1, "Growing");
    const size_t bytes = static_cast<size_t>(mebibytes) << 20;
    volatile char *block = static_cast<volatile char *>(malloc(bytes));
    for (size_t i = 0; i < bytes; i += 1024) block[i] = 1;
}
static double grown() { return vftrace::section_data(vftrace::data_type::TOTAL_MEMORY, "grows"); }
int main() {
    const int before = open_descriptors();
    vftrace::register_section("grows", 1);
    printf("none %d\n", open_descriptors() == before);
    errno = 77;
    grows(16);
    for (int i = 3; i < 4096; i++) close(i);
    int last = -1;
    for (int i = 3; i < 4096; i++) {  // a file of the program's wherever the library had its own
        int file = open("mine", O_RDWR | O_CREAT, 0600);
        if (file < 0) break;
        last = file;
    }
    close(100);
    errno = 77;
    grows(16);
    printf("errno %d, still open %d\n", errno, fcntl(last, F_GETFD) >= 0 && lseek(last, 0, SEEK_CUR) == 0);
    printf("grown %d\n", grown() > 30 && grown() < 40);
    fflush(stdout);
    if (fork() == 0) {
        grows(8);
        printf("of a child %d\n", grown() > 5 && grown() < 12);
        fflush(stdout);
        _exit(0);
    }
    wait(nullptr);
}
""")])
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(result.stdout, "none 1\nerrno 77, still open 1\ngrown 1\nof a child 1\n")

    def test_allocations_without_the_library(self):
        result = run([compiled(REGIONS, *LINK_LIBRARY)], preload=False, VFTR_SECTION_MEMORY="allocations")
        self.assertEqual(result.stderr, "vftrace: section.memory: allocations are not counted, because "
                                        "libvftrace_allocations.so is not preloaded (vftrace run does that)\n")
