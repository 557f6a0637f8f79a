"""Programs that are annotated for other tools: each interface, with the tool's library and without it."""
import json
import os
import subprocess

from command_support import CommandTest, command
from support import COMMAND, LIBRARY, SOURCE, compile_program, need, run, scratch_folder, some_of
from waits_support import tables_of_json

ANNOTATIONS = LIBRARY.with_name("libvftrace_annotations.so")
INTERFACES = {"GPTL": "gptl", "LIKWID": "likwid", "ROCTX": "roctx", "PERFSTUBS": "perfstubs", "CALIPER": "caliper",
              "SCOREP": "scorep", "TAU": "tau", "EXTRAE": "extrae", "DLB": "dlb"}
FLAGS = ("-O1", "-w")


def regions_of(profile):
    """{(interface, name): the row}, without what has no duration."""
    return {(row["interface"], row["name"]): row for row in profile.get("annotations", [])}


def parameters_of(result):
    return {parameter["name"]: parameter["value"] for parameter in result.profile()["run"]["parameters"]}


class AnnotationTest(CommandTest):
    @staticmethod
    def tools():
        """A library with the functions of all tools, which counts its calls and prints them at exit."""
        return compile_program("annotations/tools.c", (*FLAGS, "-fPIC", "-shared"), instrument=False, output="libtools.so")

    def run_both(self, program, *arguments, options=(), **environment):
        """The program alone and under vftrace run: its output and status are the same, unless PerfStubs reports a tool."""
        folder = scratch_folder()
        alone = run([program, *arguments], preload=False, folder=folder)
        result = run([COMMAND, "run", *options, "--", program, *arguments], preload=False, folder=folder,
                     **environment)
        self.assertEqual((result.status, result.stdout), (alone.status, alone.stdout), result.stderr)
        return result

class Interfaces(AnnotationTest):
    def check_tree(self, result, interface, inner="inner", sampled=False):
        calls = {path: count for path, count in result.calls().items() if count}
        of_regions = {name: sum(count for path, count in calls.items() if path.split("<")[0] == name)
                      for name in ("outer", inner)}
        self.assertEqual(of_regions, {"outer": 1, inner: 3})
        self.assertTrue(any(path.startswith(f"{inner}<") and "<outer<" in path for path in calls), calls)
        if not sampled:
            self.assertEqual(sum(count for path, count in calls.items() if path.startswith(f"work<{inner}<")), 3)
        rows = regions_of(result.profile())
        self.assertIn((interface, "outer"), rows)
        self.assertFalse([row for row in rows.values() if row.get("unmatched") or row.get("crossed")])

    def test_with_the_library(self):
        library = self.tools()
        for define, interface in INTERFACES.items():
            with self.subTest(interface=interface):
                program = compile_program("annotations/annotated.c", (*FLAGS, f"-D{define}"), output=f"linked_{interface}",
                                          link=[str(library), f"-Wl,-rpath,{library.parent}"])
                self.check_tree(self.run_both(program), interface, "inner 7" if interface == "extrae" else "inner")

    def test_without_the_library(self):
        for define, interface in INTERFACES.items():
            if interface in ("gptl", "likwid"):
                continue  # their program prints figures: test_figures_without_the_library
            with self.subTest(interface=interface):
                program = compile_program("annotations/annotated.c", (*FLAGS, f"-D{define}", "-DWEAKLY"), instrument=False,
                                          output=f"weak_{interface}")
                self.check_tree(self.run_both(program, options=("--sample",)), interface,
                                "inner 7" if interface == "extrae" else "inner", sampled=True)

    def test_figures_without_the_library(self):
        """A program that asks for its figures gets ours."""
        for define, interface in (("GPTL", "gptl"), ("LIKWID", "likwid")):
            with self.subTest(interface=interface):
                program = compile_program("annotations/annotated.c", (*FLAGS, f"-D{define}", "-DWEAKLY"),
                                          output=f"weak_{interface}")
                folder = scratch_folder()
                alone = run([program], preload=False, folder=folder)
                result = run([COMMAND, "run", "--", program], preload=False, folder=folder)
                self.assertIn("count -1\n", alone.stdout)
                self.assertIn("count 3\n", result.stdout)
                self.check_tree(result, interface)

    def test_linked_statically(self):
        """The entries of the functions are overwritten, whatever the compiler makes of them."""
        variants = [(compiler, level) for compiler in ("gcc", "clang") for level in ("-O0", "-O1", "-O2", "-O3")]
        for compiler, level in some_of(variants, 4):
            with self.subTest(compiler=compiler, level=level):
                need(compiler)
                folder = scratch_folder()
                program = folder / "static"
                sources = [SOURCE / "test/programs/annotations" / name for name in ("annotated.c", "tools.c")]
                subprocess.run([compiler, level, "-w", "-DGPTL", "-o", program, *sources], check=True)
                result = self.run_both(program, options=("--sample",))
                self.assertEqual(result.stderr, "")
                self.check_tree(result, "gptl", sampled=True)

    def test_fortran(self):
        """Also a program that is linked with our library in place of the tools'."""
        need("gfortran")
        program = compile_program("annotations/annotated.F90", ("-O1",), instrument=False,
                                  link=[str(ANNOTATIONS), f"-Wl,-rpath,{ANNOTATIONS.parent}"])
        result = self.run_both(program, options=("--sample",))
        calls = {path.split("<")[0]: count for path, count in result.calls().items() if count}
        self.assertEqual({name: calls[name] for name in ("gptl", "tau", "timer", "padded")},
                         {"gptl": 1, "tau": 1, "timer": 3, "padded": 3})

    def test_ranks(self):
        """Rows of several ranks are added up."""
        program = compile_program("annotations/annotated_mpi.c", FLAGS, "mpicc.openmpi", instrument=False)
        folder = scratch_folder()
        result = run(["mpirun.openmpi", "--oversubscribe", "-n", "3", COMMAND, "run", "--", program], preload=False, folder=folder,
                     OMPI_ALLOW_RUN_AS_ROOT=1, OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
        self.assertEqual(result.status, 0, result.stderr)
        rows = regions_of(result.profile())
        self.assertEqual(result.calls()["MPI_Barrier<solve<init"], 3 * 2)
        self.assertEqual((rows["perfstubs", "bytes"]["values"], rows["perfstubs", "bytes"].get("smallest", 0),
                          rows["perfstubs", "bytes"]["largest"]), (3, 0, 2))
        self.assertEqual(rows["gptl", "after"]["unmatched"], 3)

    def test_a_tool_that_measures_too(self):
        folder = scratch_folder()
        (folder / "tau.c").write_text("void Tau_init_initializeTAU(void) {}\n")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", folder / "libTAU.so", folder / "tau.c"], check=True)
        program = compile_program("annotations/nvtx.c", FLAGS, link=["-Wl,--no-as-needed", folder / "libTAU.so", f"-Wl,-rpath,{folder}"])
        result = self.run_both(program)
        self.assertEqual(result.stderr.count("TAU is in this program and measures it, too"), 1)

    def test_what_cannot_be_overwritten_is_reported(self):
        folder = scratch_folder()
        source = folder / "short.c"
        source.write_text('int GPTLstart(const char*);\n'
                          '__asm__(".globl GPTLstart\\n.type GPTLstart, @function\\nGPTLstart: xor %eax, %eax\\nret\\n"\n'
                          '        ".size GPTLstart, .-GPTLstart\\n");\n'
                          'int main(void) { return GPTLstart("x"); }\n')
        program = folder / "short"
        subprocess.run(["gcc", "-O1", "-o", program, source], check=True)
        result = run([COMMAND, "run", "--sample", "--", program], preload=False, folder=folder)
        self.assertEqual(result.status, 0)
        self.assertRegex(result.stderr, "calls of GPTLstart, which is linked statically, are not recorded: it is too short")

    def test_nvtx(self):
        result = self.run_both(compile_program("annotations/nvtx.c", FLAGS))
        rows = regions_of(result.profile())
        self.assertEqual(result.calls()["work<inner<outer<main<init"], 3)
        self.assertEqual(rows["nvtx", "(unnamed)"]["unmatched"], 1)
        self.assertEqual((rows["nvtx", "request"]["role"], rows["nvtx", "request"]["events"]), ("task", 2))
        self.assertEqual(rows["nvtx", "half"]["events"], 1)

    def test_itt(self):
        for copies in (1, 2):
            with self.subTest(copies=copies):
                program = compile_program("annotations/itt.c", (*FLAGS, *(["-DCOPIES"] if copies == 2 else [])),
                                          output=f"itt_{copies}")
                result = self.run_both(program)
                rows = {name: row for (interface, name), row in regions_of(result.profile()).items()}
                self.assertEqual(sum(count for path, count in result.calls().items() if path.startswith("work<inner<outer<")),
                                 3 * copies)
                self.assertEqual((rows["request"]["role"], rows["request"]["events"]), ("task", 2 * copies))
                self.assertEqual((rows["output.bytes"]["values"], rows["output.bytes"]["largest"]), (2 * copies, 30))
                self.assertEqual(rows["write"]["detail"], "output")
                self.assertEqual(rows["tolerance"]["detail"], "2.5")
                self.assertEqual(parameters_of(result)["tolerance"], 2.5)

    def kokkos(self):
        return compile_program("annotations/kokkos.cpp", FLAGS, instrument=False)

    def check_kokkos(self, result):
        rows = {(row["role"], row["name"]): row for row in result.profile()["annotations"]}
        calls = {}
        for path, count in result.calls().items():
            calls[path.split("<")[0]] = calls.get(path.split("<")[0], 0) + count
        self.assertEqual({name: calls[name] for name in ("outer", "axpy", "dot", "deep_copy u from v", "Kokkos::fence")},
                         {"outer": 1, "axpy": 3, "dot": 1, "deep_copy u from v": 1, "Kokkos::fence": 1})
        self.assertEqual(rows["parallel_for", "axpy"]["detail"], "OpenMP")
        self.assertEqual(rows["parallel_reduce", "dot"]["detail"], "Cuda")
        self.assertEqual(rows["deep_copy", "deep_copy u from v"]["bytes"], 1 << 20)
        memory = rows["allocation", "u"]
        self.assertEqual((memory["events"], memory["bytes"], memory["peak"], memory["live"]), (2, 4 << 20, 4 << 20, 1 << 20))
        self.assertEqual({name for role, name in rows if role == "task"}, {"assembly", "halo"})
        self.assertEqual(parameters_of(result)["version"], 40700)
        displays = [function["display"] for function in result.profile()["functions"]]
        self.assertIn("main::{lambda(int)#1}", displays)  # a kernel without a label has the name of its type

    def test_kokkos(self):
        result = self.run_both(self.kokkos(), options=("--sample",))
        self.check_kokkos(result)
        self.assertEqual(result.stdout, "fences 0\n")

    def test_another_tool_of_kokkos_gets_every_call(self):
        folder = scratch_folder()
        (folder / "tool.c").write_text(
            '#include <stdint.h>\n#include <stdio.h>\nstatic uint64_t next = 100;\nstatic int open_kernels;\n'
            'void kokkosp_begin_parallel_for(const char* n, uint32_t d, uint64_t* id) { *id = ++next; open_kernels++; }\n'
            'void kokkosp_end_parallel_for(uint64_t id) { if (id != next) printf("wrong id\\n"); open_kernels--; }\n'
            'void kokkosp_push_profile_region(const char* n) { printf("push %s\\n", n); }\n'
            'void kokkosp_finalize_library(void) { printf("%d open, last %d\\n", open_kernels, (int)next); }\n')
        tool = folder / "tool.so"
        subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-o", tool, folder / "tool.c"], check=True)
        for value in (str(tool), f"{ANNOTATIONS};{tool}"):
            with self.subTest(value=value):
                result = run([COMMAND, "run", "--sample", "--", self.kokkos()], preload=False, folder=folder,
                             KOKKOS_TOOLS_LIBS=value)
                self.assertEqual(result.stdout, "push outer\n0 open, last 103\nfences 0\n", result.stderr)
                self.check_kokkos(result)

    def test_real_kokkos(self):
        """Kokkos 3, which knows only KOKKOS_PROFILE_LIBRARY."""
        if not os.path.exists("/usr/include/trilinos/Kokkos_Core.hpp"):
            self.skipTest("no Kokkos (libtrilinos-kokkos-dev)")
        program = compile_program("annotations/real_kokkos.cpp", ("-O1", "-fopenmp", "-I/usr/include/trilinos"), instrument=False,
                                  link=["-ltrilinos_kokkoscore"])
        result = self.run_both(program, options=("--sample",))
        rows = {(row["role"], row["name"]): row for row in result.profile()["annotations"]}
        calls = {path.split("<")[0]: count for path, count in result.calls().items() if count}
        self.assertEqual((calls["solve"], calls["axpy"], calls["dot"]), (1, 4, 1))
        self.assertEqual(rows["allocation", "x"]["bytes"], 800000)
        self.assertEqual(rows["deep_copy", "deep_copy x from y"]["bytes"], 800000)
        self.assertIn(("task", "assembly"), rows)

    def test_real_likwid(self):
        if not os.path.exists("/usr/include/likwid-marker.h"):
            self.skipTest("no LIKWID (likwid)")
        program = compile_program("annotations/real_likwid.c", ("-O1",), instrument=False, link=["-llikwid"])
        result = self.run_both(program, options=("--sample",))
        self.assertEqual({path.split("<")[0]: count for path, count in result.calls().items()
                          if path.split("<")[0] in ("solve", "inner")}, {"solve": 5, "inner": 10})


class Names(AnnotationTest):
    def test_names_made_for_each_call_and_the_same_place_twice(self):
        result = self.run_both(compile_program("annotations/folded.c", FLAGS))
        rows = regions_of(result.profile())
        calls = result.calls()
        self.assertEqual(calls["work<iter 3<main<init"], 1)
        self.assertEqual(calls["work<iter *<main<init"], 1000 - 16)
        folded = rows["gptl", "iter *"]
        self.assertEqual((folded["values"], folded["smallest"], folded["largest"]), (984, 17, 1000))
        # One place, two tools: one region.
        self.assertEqual(calls["work<solve<main<init"], 5)
        self.assertNotIn("solve<solve<main<init", calls)
        self.assertEqual(rows["caliper", "solve"]["merged"], 5)
        self.assertEqual(calls["work<half<main<init"], 1)  # it goes on until the last of the two has ended
        # LIKWID's regions end by themselves, GPTL's those inside, too.
        self.assertEqual(calls["work<a<main<init"], 1)
        self.assertEqual(calls["work<b<a<main<init"], 1)
        self.assertEqual(calls["work<b<main<init"], 1)
        self.assertEqual(calls["work<inner<outer<main<init"], 1)
        self.assertEqual(calls["work<main<init"], 1)
        self.assertEqual(rows["gptl", "outer"]["crossed"], 1)
        self.assertEqual(rows["gptl", "inner"]["unmatched"], 1)

    def test_misuse(self):
        """A hundred programs that annotate wrongly work as they do alone, and their trees are sane."""
        program = compile_program("annotations/misuse.c", ("-O1", "-w", "-pthread"))
        for number in some_of(range(1, 101), 12):
            with self.subTest(number=number):
                result = self.run_both(program, str(number), options=("--sample",) if number % 2 else ())
                files = list(result.folder.glob("*_all.json"))
                self.assertEqual(len(files), 2)  # the child of fork, too
                for file in files:
                    for node in json.loads(file.read_text())["nodes"]:
                        self.assertLess(node["inclusive_ns"], 60e9)
                        self.assertGreaterEqual(node["inclusive_ns"], 0)

    def test_some_interfaces_only(self):
        library = self.tools()
        program = compile_program("annotations/annotated.c", (*FLAGS, "-DGPTL"), output="linked_gptl",
                                  link=[str(library), f"-Wl,-rpath,{library.parent}"])
        for value, expected in (("off", False), ("caliper,tau", False), ("gptl", True), ("caliper,gptl", True)):
            with self.subTest(value=value):
                result = self.run_both(program, VFTR_ANNOTATIONS_ACTIVE=value)
                self.assertEqual(("gptl", "outer") in regions_of(result.profile()), expected)
        result = self.run_both(program, VFTR_ANNOTATIONS_ACTIVE="gptl,gpt")
        self.assertIn('there is no interface "gpt"', result.stderr)

    def test_killed(self):
        folder = scratch_folder()
        source = folder / "killed.c"
        source.write_text('#include <signal.h>\nint GPTLstart(const char*) __attribute__((weak));\n'
                          'int GPTLstop(const char*) __attribute__((weak));\n'
                          'int main(void) { for (int i = 0; GPTLstart && i < 3; i++) { GPTLstart("lost"); GPTLstop("lost"); }\n'
                          'if (GPTLstop) GPTLstop("never"); raise(SIGKILL); }\n')
        program = folder / "killed"
        subprocess.run(["gcc", "-O1", "-finstrument-functions", "-o", program, source], check=True)
        trees = scratch_folder()
        result = run([COMMAND, "run", "--", program], preload=False, folder=folder, VFTR_TREE_FILE_DIRECTORY=trees)
        self.assertEqual(result.status, -9)
        tree, = trees.iterdir()
        self.assertEqual(command("recover", tree, folder=folder).status, 0)
        rows = regions_of(result.profile())
        self.assertEqual(rows["gptl", "never"]["unmatched"], 1)
        self.assertIn(("gptl", "lost"), rows)

    def test_tables_and_the_last_line_of_the_report(self):
        program = self.kokkos_program()
        folder = scratch_folder()
        run([COMMAND, "run", "--sample", "--", program], preload=False, folder=folder)
        report = command("report", "kokkos_all.json", folder=folder).stdout
        self.assertRegex(report, r"\nRegions of Kokkos \(8\): --regions\n\Z")
        text = command("report", "--regions", "kokkos_all.json", folder=folder).stdout
        self.assertIn("Regions annotated for other tools", text)
        self.assertIn("Memory annotated for other tools", text)
        tables = tables_of_json(command("report", "--regions", "--format", "json", "kokkos_all.json",
                                        folder=folder).stdout)
        rows = {row["name"]: row for row in tables["annotations"]}
        self.assertEqual((rows["axpy"]["interface"], rows["axpy"]["calls"]), ("Kokkos", 3))
        html = command("report", "--html", "-o", "page.html", "kokkos_all.json", folder=folder)
        self.assertEqual(html.status, 0)

    def kokkos_program(self):
        return compile_program("annotations/kokkos.cpp", FLAGS, instrument=False)

    def test_threads_and_both_ends(self):
        """An end on another thread is not that of a region there."""
        result = self.run_both(compile_program("annotations/misuse.c", ("-O1", "-w", "-pthread")), "1")
        profile = json.loads((result.folder / "misuse_all.json").read_text())
        self.assertEqual(regions_of(profile)["gptl", "of main"]["unmatched"], 1)
        self.assertIn("in thread", [function["name"] for function in profile["functions"]])
