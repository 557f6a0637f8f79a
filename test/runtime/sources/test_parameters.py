"""Parameters of runs: values that the program records or that are given from outside, and where they are shown."""
import json
import signal
import subprocess
import time

from command_support import CommandTest, command
from mpi_support import LINKED, MPICH, OPEN_MPI, PRELOAD, PRELOAD_LAUNCHER, MpiTest, compile_mpi, launch_mpi, run_mpi
from support import (CLANG, COMMAND, HERE, LINK_LIBRARY, SOURCE, ProgramTest, clean_environment,
                     compile_program, need, need_part, run, scratch_folder)
from test_sections_languages import fortran_program
from thread_support import saved_profiles

PROGRAMS = HERE / "programs"
# The values of test/programs/parameter_types.c.
TYPES = {"plain_char": -1, "signed_char": -2, "unsigned_char": 253, "short_int": -4, "unsigned_short": 65531,
         "int_int": -6, "unsigned_int": 4294967289, "long_int": -8, "unsigned_long": 18446744073709551615.0,
         "single": 0.5, "twice": -1e-300, "longer": 0.125, "boolean": 1, "constant": 12, "changing": 13,
         "array[1]": 2, "grid.nx": 14}


def values(profile):
    """{name: value}; the list is sorted and has each name once."""
    parameters = profile["run"].get("parameters", [])
    names = [parameter["name"] for parameter in parameters]
    assert names == sorted(set(names)), names
    return {parameter["name"]: parameter["value"] for parameter in parameters}


def notices(profile):
    """Only the notices about parameters, because on busy machines there are also some about the cost of hooks."""
    return [notice["text"] for notice in profile["run"].get("notices", []) if notice["code"].startswith("parameter-")]


def program(flags=("-O1", "-pthread")):
    return compile_program("parameter_values.c", flags)


def changed(name):
    return f"The parameter {name} was given different values: the profile has the last one."


class Recorded(ProgramTest):
    def recorded(self, *words, stderr="", **variables):
        result = self.profile([program(), *words], preload=False, expect_stderr=stderr, **variables)
        self.assertEqual((result.status, result.stdout), (0, "done\n"))
        return result

    def test_types_and_sizes(self):
        given = {"i1:a": -128, "i2:b": -32768, "i4:c": -2147483648, "i8:d": -4503599627370496,
                 "u1:e": 255, "u2:f": 65535, "u4:g": 4294967295, "u8:h": 9223372036854775808,
                 "f4:i": 0.25, "f8:j": 0.1, "f16:k": 0.1, "plain1:l": -1, "plain2:m": -2, "plain4:n": -3,
                 "plain8:o": -4}
        result = self.recorded(*(f"{name}={value}" for name, value in given.items()), "work")
        self.assertEqual(values(result.profile()), {name.split(":")[1]: value for name, value in given.items()})
        self.assertEqual(notices(result.profile()), [])

    def test_log_and_report_have_a_line_only_where_there_are_some(self):
        result = self.recorded("f8:tol=1e-6", "i4:n=1000", "work")
        line = "\nParameters:           n = 1000, tol = 1e-06\nTotal runtime:"
        self.assertIn(line, result.text())
        json_file = next(result.folder.glob("*.json"))
        self.assertIn(line, command("report", json_file).stdout)
        self.assertIn("Parameters:    n = 1000, tol = 1e-06", command("info", json_file).stdout)
        without = self.recorded("work")
        self.assertNotIn("Parameters:", without.text())
        self.assertNotIn("parameters", without.profile()["run"])
        self.assertEqual(without.text().split("\n\n")[0], result.text().split("\n\n")[0].replace(
            result.text().splitlines()[2], without.text().splitlines()[2]).replace(
            result.text().splitlines()[3], without.text().splitlines()[3]))

    def test_at_any_moment(self):
        for words, variables in ((["i4:n=5", "work"], {}), (["work", "i4:n=5"], {}),
                                 (["pause", "i4:n=5", "resume", "work"], {}), (["pause", "i4:n=5"], {}),
                                 (["thread", "i4:n=5", "work"], {}), (["work"], {"EARLY": "i4:n=5"}),
                                 (["work"], {"EARLY": "i4:n=5", "VFTR_INCLUDE_CXX_PRELUDE": "yes"})):
            with self.subTest(words=words, variables=variables):
                result = self.recorded(*words, **variables)
                self.assertEqual((values(result.profile()), notices(result.profile())), ({"n": 5}, []))

    def test_threads(self):
        profile = self.recorded("threads", "work").profile()
        self.assertEqual(values(profile), {f"t{thread}_{i}": i for thread in range(4) for i in range(20)})

    def test_the_last_value_counts(self):
        profile = self.recorded("i4:n=5", "i4:m=1", "i4:n=5", "i4:n=6", "work", "i4:m=1", "i8:n=7").profile()
        self.assertEqual((values(profile), notices(profile)), ({"m": 1, "n": 7}, [changed("n")]))
        notice, = profile["run"]["notices"]
        self.assertEqual((notice["code"], notice["arguments"]), ("parameter-changed", ["n"]))

    def test_off_and_finished(self):
        result = self.recorded("i4:n=5", "i5:bad=1", "null", "work", VFTR_OFF="yes")
        self.assertEqual(result.files(), [])
        self.assertEqual(values(self.recorded("last", "i4:n=5", "work").profile()), {"last": 1, "n": 5})

    def test_parameters_not_recorded_are_reported_once(self):
        long_name = "x" * 127
        for word, reason in (
                ("plain3:n=1", r'\("n"\): a number of type 0 cannot have 3 bytes'),
                ("plain16:n=1", r'\("n"\): a number of type 0 cannot have 16 bytes'),
                ("f2:n=1", r'\("n"\): a number of type 2 cannot have 2 bytes'),
                ("u0:n=1", r'\("n"\): a number of type 1 cannot have 0 bytes'),
                ("f8:n=nan", r'\("n"\): the value is not finite'),
                ("f4:n=inf", r'\("n"\): the value is not finite'),
                ("f16:n=1e4000", r'\("n"\): the value is not finite'),
                ("i4:=1", ": the name is empty"),
                (f"i4:x{long_name}=1", ": the name is longer than 127 bytes"),
                ("i4:a\nb=1", ": the name has a control character")):
            with self.subTest(word=word):
                result = self.recorded("i4:m=1", "work", word, word, f"i4:{long_name}=3",
                                       stderr=rf"\Avftrace: vftrace_parameter{reason}; not recorded \(reported once\)\n\Z")
                self.assertEqual(values(result.profile()), {"m": 1, long_name: 3})
        result = self.recorded("null", "null", "work",
                               stderr=r'\A(vftrace: vftrace_parameter(\("null"\): the variable is a null pointer|'
                                      r": the name is a null pointer); not recorded \(reported once\)\n){2}\Z")
        self.assertEqual(values(result.profile()), {})

    def test_256_parameters(self):
        result = self.recorded("work", "many:300", "i4:p7=70",
                               stderr=r'\Avftrace: vftrace_parameter\("p256"\): there are already 256 parameters; '
                                      r"not recorded \(reported once\)\n\Z")
        self.assertEqual(values(result.profile()), {**{f"p{i}": i for i in range(256)}, "p7": 70})

    def test_names_of_any_text(self):
        result = self.recorded('i4:größe "1", \\=5', "work")
        self.assertEqual(values(result.profile()), {'größe "1", \\': 5})
        self.assertIn('\nParameters:           größe "1", \\ = 5\n', result.text())

    def test_floating_point_traps(self):
        program_with_traps = scratch_folder() / "traps"
        need("gcc")
        (program_with_traps.parent / "traps.c").write_text(
            "#define _GNU_SOURCE\n#include <fenv.h>\n#include <math.h>\n#include <vftrace.h>\n"
            "int main(void) { feenableexcept(FE_ALL_EXCEPT); long double x = 1e4000L; unsigned long n = ~0ul;\n"
            'double y = NAN; VFTRACE_PARAMETER(n); VFTRACE_PARAMETER(x); VFTRACE_PARAMETER(y);\n'
            "return fetestexcept(FE_ALL_EXCEPT); }\n")
        subprocess.run(["gcc", "-O1", "-finstrument-functions", "-I", SOURCE / "include", program_with_traps.with_suffix(".c"),
                        "-o", program_with_traps, *LINK_LIBRARY], check=True)
        result = run([program_with_traps], preload=False)
        self.assertEqual((result.status, values(result.profile())), (0, {"n": 2.0**64}))


class Languages(ProgramTest):
    def test_types_of_variables(self):
        builds = [("parameter_types.c", "gcc", ["-std=c99"]), ("parameter_types.c", "gcc", ["-std=c11"]),
                  ("parameter_types.c", "clang", ["-std=c99"]), ("parameter_types.cpp", "g++", []),
                  ("parameter_types.cpp", "clang++", [])]
        for name, compiler, flags in builds:
            with self.subTest(compiler=compiler, flags=flags):
                need(compiler)
                result = run([compile_program(name, ("-O0", "-pedantic", "-Wall", "-Wextra", "-Werror", *flags), compiler)],
                             preload=False)
                self.assertEqual((result.status, result.stderr), (0, ""))
                self.assertEqual(values(result.profile()), TYPES)
                # The header's own functions are not in the profile.
                self.assertEqual(set(result.paths()), {"init", "main<init"})

    def test_old_standards_and_other_compilers(self):
        folder = scratch_folder()
        # Types that a compiler without extensions cannot distinguish.
        small = {**TYPES, "unsigned_char": -3, "unsigned_short": -5}
        for compiler, flags, expected in (("gcc", ["-std=c99", "-DAS_OTHER_COMPILERS"], small),
                                          ("g++", ["-std=c++98", "-x", "c++"], TYPES),
                                          ("clang++", ["-std=c++98", "-x", "c++"], TYPES)):
            with self.subTest(compiler=compiler):
                need(compiler)
                output = folder / compiler
                subprocess.run([compiler, "-O1", "-finstrument-functions", "-pedantic", "-Wall", "-Wextra", "-Werror", *flags,
                                "-I", SOURCE / "include", PROGRAMS / "parameter_types.c", "-x", "none", "-o", output,
                                *LINK_LIBRARY], check=True)
                self.assertEqual(values(run([output], preload=False).profile()), expected)

    def test_what_is_not_a_variable_of_an_arithmetic_type_does_not_compile(self):
        for statement in ("int *p = 0; VFTRACE_PARAMETER(p);", "VFTRACE_PARAMETER(3);",
                          "struct { int a; } s; VFTRACE_PARAMETER(s);"):
            for language in ("c", "c++"):
                with self.subTest(statement=statement, language=language):
                    text = f"#include <vftrace.h>\nint main(void) {{ {statement} return 0; }}\n"
                    result = subprocess.run(["gcc", "-x", language, "-fsyntax-only", "-I", SOURCE / "include", "-"],
                                            input=text, text=True, capture_output=True)
                    self.assertNotEqual(result.returncode, 0)

    def test_fortran(self):
        result = run([fortran_program("parameters")], preload=False)
        self.assertEqual((result.status, result.stdout), (0, "done\n"))
        self.assertEqual(result.stderr, "vftrace: vftrace_parameter: the name is empty; not recorded (reported once)\n")
        self.assertEqual(values(result.profile()), {"steps": -7, "cells": 4000000000, "ratio": 0.5, "tolerance": 1e-6,
                                                    "size 2": 20, "constant": 100})

    def test_names_of_perf_taint(self):
        for compiler in ("g++", CLANG["g++"]):
            with self.subTest(compiler=compiler):
                flags = ("-O1", "-Wall", "-Wextra", "-Werror", "-I", str(SOURCE / "include" / "vftrace" / "perf_taint"))
                result = run([compile_program("perf_taint_names.cpp", flags, compiler), "7"], preload=False)
                self.assertEqual((result.status, result.stdout, result.stderr), (0, "7 14 2\n", ""))
                self.assertEqual(values(result.profile()), {"x1": 7, "x2": 14})


class Given(CommandTest):
    """The option `parameters`, and vftrace run --parameter."""

    def given(self, text, *words, stderr="", **variables):
        result = self.profile([program(), *words, "work"], preload=False, expect_stderr=stderr, VFTR_PARAMETERS=text,
                              **variables)
        return values(result.profile()), notices(result.profile())

    def test_option(self):
        self.assertEqual(self.given("n=1000, tol = 1e-6 ,m=argv[2]", "i4:x=5", "pause", "resume", stderr=None)[0],
                         {"n": 1000, "tol": 1e-6, "x": 5})
        self.assertEqual(self.given(""), ({}, []))
        result = self.profile([program(), "work"], preload=False, config={"parameters": "n=5"})
        self.assertEqual(values(result.profile()), {"n": 5})

    def test_arguments_of_the_program(self):
        number = compile_program("perf_taint_names.cpp",
                                 ("-O1", "-I", str(SOURCE / "include" / "vftrace" / "perf_taint")))
        long_text = "9" * 20000
        words = [" 12 ", "-2.5e3", "0x10", long_text, "", "n", "77"]
        result = run([number, *words], preload=False,
                     VFTR_PARAMETERS="a=argv[1],b=argv[2],c=argv[3],d=argv[4],e=argv[5],f=argv[6],g=argv[7],h=argv[8],"
                                     "i=argv[0],j=argv[4294967295]")
        self.assertEqual(values(result.profile()), {"a": 12, "b": -2500, "c": 16, "g": 77, "x1": 12, "x2": 24})
        lines = result.stderr.splitlines()
        self.assertEqual([line[:90] for line in lines], [
            line[:90] for line in (
                f'vftrace: the parameter d is not recorded: argv[4], "{long_text}',
                'vftrace: the parameter e is not recorded: argv[5], "", is not a number',
                'vftrace: the parameter f is not recorded: argv[6], "n", is not a number',
                "vftrace: the parameter h is not recorded: the program does not have an argument argv[8]",
                f'vftrace: the parameter i is not recorded: argv[0], "{number}',
                "vftrace: the parameter j is not recorded: the program does not have an argument argv[4294967295]")])

    def test_mistakes(self):
        for text, reason in (("n", '"n" must be of the form name=value'), ("=1", '"=1" does not have a name'),
                             ("n=x", '"n=x" must have a number, or argv[NUMBER], as its value')):
            result = self.profile([program(), "work"], preload=False, expect_stderr=None, VFTR_PARAMETERS=f"m=1,{text}")
            self.assertEqual(values(result.profile()), {"m": 1})
            self.assertEqual(result.stderr.splitlines(), [
                f"vftrace: parameters: {reason}", "         This is in the environment variable VFTR_PARAMETERS.",
                "vftrace: invalid values in the configuration are ignored; the run continues"])

    def test_values_of_the_program_override_the_option(self):
        self.assertEqual(self.given("n=5,m=1", "i4:n=6", "i4:m=1"), ({"n": 6, "m": 1}, [changed("n")]))
        many = ",".join(f"q{i}={i}" for i in range(300))
        found, _ = self.given(many, stderr=r"\Avftrace: the parameter q256 and those after it are not recorded: there are "
                                           r"more than 256\n\Z")
        self.assertEqual(found, {f"q{i}": i for i in range(256)})

    def test_run_command(self):
        result = command("run", "--parameter", "n=5", "--parameter=m=argv[1]", "--parameter", "grid size = 2", "--", "/bin/sh", "-c",
                         f"cd . && {program()} i4:x=5 work")
        self.assertEqual((result.status, result.stdout), (0, "done\n"))
        self.assertEqual(values(result.profile()), {"n": 5, "grid size": 2, "x": 5})
        self.assertEqual(result.stderr,
                         'vftrace: the parameter m is not recorded: argv[1], "i4:x=5", is not a number\n')
        result = command("run", "--parameter", "n=6", "--parameter", "k=1e400", "--", program())
        self.assertEqual(result.status, 2)

    def test_run_command_adds_to_the_configuration(self):
        result = command("run", "--parameter", "n=6", "--", program(), "work", VFTR_PARAMETERS="n=5,m=1")
        self.assertEqual((values(result.profile()), notices(result.profile())), ({"n": 6, "m": 1}, []))
        folder = scratch_folder()
        (folder / "my.json").write_text('{"parameters": "a=1,n=2"}')
        result = command("run", "--config", folder / "my.json", "--parameter", "n=6", "--", program(), "work")
        self.assertEqual(values(result.profile()), {"a": 1, "n": 6})
        result = command("run", "--option", "parameters=a=1", "--parameter", "n=6", "--", program(), "work")
        self.assertEqual(values(result.profile()), {"a": 1, "n": 6})

    def test_run_command_refuses(self):
        for words, message in ((["n"], "--parameter n must be of the form name=value"),
                               (["=1"], "--parameter =1 does not have a name"),
                               (["n=x"], "--parameter n=x must have a number, or argv[NUMBER], as its value"),
                               (["n=argv[x]"], "must have a number, or argv[NUMBER]"),
                               (["n=1e400"], "must have a number"),
                               (["n=1,m=2"], "--parameter n=1,m=2 must have a number"),
                               (["a,b=2"], "--parameter a,b=2 contains a comma; use one --parameter per parameter"),
                               (["x" * 128 + "=1"], "has a name that is longer than 127 bytes"),
                               (["n=1", "n=2"], '--parameter n=2: "n" is given twice')):
            with self.subTest(words=words):
                options = [option for word in words for option in ("--parameter", word)]
                self.fails("run", *options, "--", program(), message=message)
        self.assertIn("--parameter NAME=VALUE", command("run", "--help").stdout)


class Lives(CommandTest):
    def killed(self, *words, **variables):
        """The folder in which a process was killed while it waited."""
        folder = scratch_folder()
        (folder / "trees").mkdir()
        environment = clean_environment(VFTR_TREE_FILE_DIRECTORY=folder / "trees", VFTR_OVERHEAD_BUDGET=0, **variables)
        process = subprocess.Popen([program(), *words, "wait"], cwd=folder, env=environment)
        limit = time.monotonic() + 60
        while not (folder / "ready").exists() and time.monotonic() < limit:
            time.sleep(0.01)
        return folder, process

    def test_kill_and_recover(self):
        folder, process = self.killed("i4:n=5", "work", "f8:tol=1e-6", "i4:n=6", EARLY="i4:early=3", VFTR_PARAMETERS="given=4")
        tree, = (folder / "trees").iterdir()
        self.assertIn("Parameters:    early = 3, given = 4, n = 6, tol = 1e-06", command("info", tree).stdout)
        (folder / "snap").mkdir()
        snapshot = command("snapshot", "--output", folder / "snap", process.pid)
        self.assertEqual(snapshot.status, 0, snapshot.stderr)
        file, = (folder / "snap").glob("*.json")
        self.assertEqual(values(json.loads(file.read_text())), {"early": 3, "given": 4, "n": 6, "tol": 1e-6})
        process.kill()
        process.wait()
        self.assertEqual(command("recover", tree).status, 0)
        profile = json.loads((folder / "parameter_values_all.json").read_text())
        self.assertEqual(values(profile), {"early": 3, "given": 4, "n": 6, "tol": 1e-6})
        self.assertEqual(notices(profile), [changed("n")])

    def test_signal(self):
        folder, process = self.killed("i4:n=5", "work")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(60), -signal.SIGTERM)
        self.assertEqual(values(json.loads((folder / "parameter_values_all.json").read_text())), {"n": 5})

    def test_fork(self):
        result = run([program(), "i4:n=5", "i4:m=1", "work", "fork", "i4:n=6", "work", "i4:k=2"], preload=False)
        self.assertEqual((result.status, result.stdout), (0, "done\ndone\n"))
        saved = saved_profiles(result.folder)
        parent = saved.pop("parameter_values").profile()
        (child,) = (each.profile() for each in saved.values())
        self.assertEqual((values(parent), notices(parent)), ({"n": 5, "m": 1}, []))
        self.assertEqual(values(child), {"n": 6, "m": 1, "k": 2})
        # A child that only works has its parent's parameters.
        saved = saved_profiles(run([program(), "i4:n=5", "work", "fork", "work"], preload=False).folder)
        self.assertEqual([values(each.profile()) for each in saved.values()], [{"n": 5}, {"n": 5}])

    def test_exec_keeps_those_given_from_outside(self):
        result = command("run", "--parameter", "n=5", "--", "/usr/bin/env", "env", program(), "work")
        self.assertEqual(values(result.profile()), {"n": 5})


class Compared(CommandTest):
    def file(self, **given):
        words = [f"f8:{name}={value}" for name, value in given.items()]
        result = run([program(), *words, "work"], preload=False)
        return next(result.folder.glob("*_all.json"))

    def test_diff(self):
        a, b, c = self.file(n=1000, tol=1e-6), self.file(n=2000), self.file(n=1000, tol=1e-6)
        note = "The parameters differ: n = 1000 and 2000, tol = 1e-06 and not given."
        self.assertIn(f"\nNote: {note}\n", command("diff", a, b).stdout)
        self.assertNotIn("parameters", command("diff", a, c).stdout.lower())
        self.assertIn(note, json.loads(command("diff", "--json", a, b).stdout)["notes"])
        log = next(a.parent.glob("*_all.log"))
        self.assertNotIn("parameters", command("diff", log, b).stdout.lower())

    def test_merge_of_runs(self):
        a, b, c = self.file(n=1000, m=5), self.file(n=2000, m=5), self.file(n=1000, m=5)
        for kind in ("sum", "mean"):
            merged = a.parent / f"{kind}.json"
            self.assertEqual(command("merge", f"--runs={kind}", "-o", merged, a, c).status, 0)
            self.assertEqual(values(json.loads(merged.read_text())), {"n": 1000, "m": 5})
            self.assertEqual(command("merge", f"--runs={kind}", "-o", merged, a, b, c).status, 0)
            profile = json.loads(merged.read_text())
            self.assertEqual(values(profile), {"m": 5})
            self.assertIn("The runs do not have the same value of the parameter n: it is left out.", notices(profile))

    def test_profiles_that_are_damaged_or_older(self):
        file = self.file(n=1000)
        profile = json.loads(file.read_text())
        for parameters, message in (([{"name": "n"}], "run.parameters[0].value"), ("n=1", "run.parameters: must be an array"),
                                    ([{"name": "n", "value": "x"}], "run.parameters[0].value"),
                                    ([{"name": "n", "value": 1}] * 2, "run.parameters[1].name: is given twice")):
            profile["run"]["parameters"] = parameters
            file.write_text(json.dumps(profile))
            self.fails("report", file, message=message)
        del profile["run"]["parameters"]
        file.write_text(json.dumps(profile))
        self.assertEqual(command("report", file).status, 0)

    def test_export_for_extra_p(self):
        files = [self.file(n=n, m=5) for n in (10, 20)]
        result = command("export", "--format", "extrap", "-o", "-", *files)
        self.assertEqual(result.stderr, "")
        found = {line["params"]["n"] for line in map(json.loads, result.stdout.splitlines())
                 if list(line["params"]) == ["n"]}
        self.assertEqual(found, {10, 20})


class ParametersOfRanks:
    def test_values_and_notices(self):
        result = run_mpi(self.family, compile_mpi(self.family, "parameter_ranks.c", how=LINKED), 4, how=LINKED)
        self.assertEqual((result.status, result.warnings()), (0, []), result.stderr)
        profile = result.profile()
        self.assertEqual(values(profile), {"n": 1000, "half": 0.5, "rank": 0, "only_last": 1000})
        self.assertEqual(sorted(notices(profile)), [
            f"The ranks have different values of the parameter {name}: the profile has that of the lowest rank."
            for name in ("half", "rank")])

    def test_given_through_the_launcher(self):
        need_part("BUILD_TOOLS")
        run_on_ranks = compile_mpi(self.family, "parameter_ranks.c", how=LINKED)
        for how in (PRELOAD, PRELOAD_LAUNCHER):
            with self.subTest(how=how):
                words = [*self.family.launch(2), str(run_on_ranks), "77", "x"]
                words[0 if how == PRELOAD_LAUNCHER else -3:0 if how == PRELOAD_LAUNCHER else -3] = [
                    str(COMMAND), "run", "--parameter", "a=argv[1]", "--parameter", "b=1e-6", "--parameter", "c=argv[2]", "--"]
                result = launch_mpi(self.family, words, 2)
                self.assertEqual(result.status, 0, result.stderr)
                self.assertEqual(values(result.profile()), {"a": 77, "b": 1e-6, "n": 1000, "half": 0.5, "rank": 0,
                                                            "only_last": 1000})
                self.assertEqual(result.warnings(),
                                 ['vftrace: the parameter c is not recorded: argv[2], "x", is not a number'])


class OpenMpi(ParametersOfRanks, MpiTest):
    family = OPEN_MPI


class Mpich(ParametersOfRanks, MpiTest):
    family = MPICH
