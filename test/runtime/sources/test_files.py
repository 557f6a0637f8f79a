"""Calls with files by call path: which files, how many bytes, and that a program works as it does alone."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from command_support import CommandTest, command
from mpi_support import MPICH, OPEN_MPI, launch_mpi
from support import COMMAND, LIBRARY, SOURCE, compile_program, need, need_part, run, scratch_folder, some_of
from waits_support import tables_of_json

IO = LIBRARY.with_name("libvftrace_io.so")
FLAGS = ("-O2", "-fno-inline", "-pthread", "-w")
VARIANTS = [(compiler, flags) for compiler in ("gcc", "clang")
            for flags in ((), ("-D_FORTIFY_SOURCE=2",), ("-D_FORTIFY_SOURCE=3",), ("-D_FILE_OFFSET_BITS=64",))]

# Bytes that functions of file_calls.c read and write, and what they open.
EXPECTED = {
    "write_records": (0, 80000, 1),
    "write_text": (0, 3000 + 8 + 5 + 6, 1),
    "read_records": (80000, 0, 1),
    "use_descriptor": (10 * 1000 + 5 * 100 + 300, 10 * 1000 + 5 * 100 + 300, 1),
    "copy": (10000, 10000, 2),
    "redirect": (0, 20, 2),
    "handler": (0, 7, 0),
}


OWN = {*EXPECTED, "read_text", "fail", "names", "cancel", "main", "many_files", "passed", "with_vfork", "write_own",
       "MPI_File_write", "MPI_File_write_all"}


def rows_of(profile):
    """The elements of file_calls, with the names of function and caller: clang has hooks in inlined functions of headers."""
    def name(node):
        return profile["functions"][node["function"]]["display"]

    rows = []
    for row in profile["file_calls"]:
        node = profile["nodes"][row["node"]]
        caller = profile["nodes"][node["parent"]]
        while "parent" in caller and name(caller) not in OWN:
            caller = profile["nodes"][caller["parent"]]
        rows.append({**row, "function": name(node), "caller": name(caller)})
    return rows


def sums_of(profile):
    """{caller: (bytes read, written, files opened)}."""
    found = {}
    for row in rows_of(profile):
        read, written, opens = found.get(row["caller"], (0, 0, 0))
        opened = re.search("open|creat", row["function"]) is not None and row["function"] != "opendir"
        found[row["caller"]] = (read + row.get("read", 0), written + row.get("written", 0),
                                opens + opened * (row["calls"] - row.get("failed", 0)))
    return found


def metrics_of(profile):
    return {profile["metrics"][row["metric"]]["name"]: row["value"] for row in profile["rank_metrics"]}


def profile_in(folder, name="file_calls"):
    return json.loads((pathlib.Path(folder) / f"{name}_all.json").read_text())


class Calls(CommandTest):
    def run_with(self, program, *options, **variables):
        folder = scratch_folder()
        result = command("run", "--io", *options, "--", program, folder=folder, stdin=subprocess.DEVNULL, **variables)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "done 1.250 7\n", ""))
        return folder, result

    def test_each_variant(self):
        for compiler, flags in some_of(VARIANTS, 5):
            with self.subTest(compiler=compiler, flags=flags):
                need(compiler)
                folder, _ = self.run_with(compile_program("file_calls.c", (*FLAGS, *flags), compiler))
                profile = profile_in(folder)
                found = sums_of(profile)
                for caller, figures in EXPECTED.items():
                    self.assertEqual(found[caller], figures, caller)
                # fscanf has read 59 bytes and looked at one more.
                read, written, opens = found["read_text"]
                self.assertIn(read, (3019 + 59, 3019 + 60))
                self.assertEqual((written, opens), (0, 1))
                self.check_files(profile, folder)

    def check_files(self, profile, folder):
        files = {row.get("file", ""): row for row in profile["files"]}
        for name, read, written in (("records", 80000, 80000), ("blocks", 10800 + 10000, 10800), ("copy", 0, 10000),
                                    ("first", 0, 10), ("second", 0, 10), ("handler", 0, 7)):
            row = files[str(folder.resolve() / name)]
            self.assertEqual((row.get("read", 0), row.get("written", 0), row["ranks"]), (read, written, 1), name)
        self.assertNotIn(str(folder.resolve() / "child"), files)  # that is another process
        child, = folder.glob("file_calls_*_all.json")
        files_of_child = {row.get("file", ""): row for row in json.loads(child.read_text())["files"]}
        self.assertEqual(files_of_child[str(folder.resolve() / "child")]["written"], 9)
        self.assertIn("missing/", files)

    def test_bytes_over_time(self):
        folder, _ = self.run_with(compile_program("file_calls.c", FLAGS))
        profile = profile_in(folder)
        series = {profile["metrics"][row["metric"]]["name"]: row["values"] for row in profile["series"]}
        metrics = metrics_of(profile)
        for name, whole in (("files.read_at", "files.all_read"), ("files.written_at", "files.all_written")):
            self.assertEqual(series[name], sorted(series[name]))
            # Without what is in buffers at the end, pipes, and standard output.
            self.assertLessEqual(series[name][-1], metrics[whole])
            self.assertGreater(series[name][-1], 10000)

    def test_darshan_text(self):
        """As the documentation of darshan-parser describes it: eight columns with tabs, sums by counter."""
        folder, _ = self.run_with(compile_program("file_calls.c", FLAGS))
        text = command("export", "--format", "darshan", "-o", "-", folder / "file_calls_all.json").stdout
        counters = {}
        for line in text.splitlines():
            if line and not line.startswith("#"):
                module, rank, number, counter, value, file, mount, system = line.split("\t")
                self.assertEqual((rank, mount), ("0", "UNKNOWN"))
                self.assertTrue(counter.startswith(module + "_"))
                counters[counter, pathlib.Path(file).name] = float(value)
        for (counter, file), value in {("POSIX_OPENS", "blocks"): 2, ("POSIX_BYTES_WRITTEN", "blocks"): 10800,
                                       ("POSIX_WRITES", "blocks"): 16, ("POSIX_CONSEC_WRITES", "blocks"): 10,
                                       ("POSIX_SIZE_WRITE_100_1K", "blocks"): 16, ("POSIX_FSYNCS", "blocks"): 1,
                                       ("STDIO_OPENS", "records"): 2, ("STDIO_WRITES", "records"): 10000,
                                       ("STDIO_BYTES_READ", "records"): 80000}.items():
            self.assertEqual(counters[counter, file], value, (counter, file))
        self.fails("export", "--format", "darshan", "-o", "-", self.without_files(), message="vftrace run --io")

    def without_files(self):
        folder = scratch_folder()
        command("run", "--", compile_program("file_calls.c", FLAGS), folder=folder, stdin=subprocess.DEVNULL)
        return folder / "file_calls_all.json"

    def test_what_calls_did(self):
        """Sizes, offsets, and calls that needed only the buffer."""
        folder, _ = self.run_with(compile_program("file_calls.c", FLAGS))
        rows = {(row["caller"], row["function"]): row for row in rows_of(profile_in(folder))}
        written = rows["use_descriptor", "write"]
        self.assertEqual((written["calls"], written["placed"], written["consecutive"]), (10, 10, 10))
        self.assertEqual(written["sizes"], {"calls": 10, "below_1k": 10})
        backwards = rows["use_descriptor", "pwrite"]
        self.assertEqual((backwards["calls"], backwards["placed"], backwards.get("consecutive", 0)), (5, 5, 0))
        records = rows["write_records", "fwrite"]
        self.assertEqual(records["calls"] + records["buffered"], 10000)
        self.assertLess(records["calls"], 100)
        failed = [row for row in rows.values() if row["caller"] == "fail" and row["function"] != "read"]
        self.assertEqual({row["failed"] for row in failed}, {1})

    def test_without_hooks(self):
        """What is counted belongs to the path of the next call that needed the system."""
        folder, _ = self.run_with(compile_program("file_calls.c", FLAGS, instrument=False), "--sample")
        found = sums_of(profile_in(folder))
        for caller in ("write_records", "read_records", "use_descriptor", "copy"):
            self.assertEqual(found[caller], EXPECTED[caller], caller)

    def test_beside_the_other_libraries(self):
        """Memory and waiting are recorded, too."""
        folder, _ = self.run_with(compile_program("file_calls.c", FLAGS), "--memory", "--waiting")
        found = sums_of(profile_in(folder))
        for caller, figures in EXPECTED.items():
            self.assertEqual(found[caller], figures, caller)

    def test_without_it(self):
        folder = scratch_folder()
        result = command("run", "--", compile_program("file_calls.c", FLAGS), folder=folder, stdin=subprocess.DEVNULL)
        self.assertNotIn("file_calls", profile_in(folder))

    def test_without_the_library(self):
        result = run([compile_program("file_calls.c", FLAGS)], VFTR_IO_ACTIVE="yes", stdin=subprocess.DEVNULL)
        self.assertEqual((result.status, result.stdout), (0, "done 1.250 7\n"))
        self.assertIn("libvftrace_io.so is not preloaded", result.stderr)

    def test_the_library_alone(self):
        result = run([compile_program("file_calls.c", FLAGS)], preload=False, LD_PRELOAD=str(IO), stdin=subprocess.DEVNULL)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "done 1.250 7\n", ""))

    def test_tables(self):
        folder, _ = self.run_with(compile_program("file_calls.c", FLAGS))
        file = folder / "file_calls_all.json"
        tables = tables_of_json(command("report", "--files", "--format", "json", file).stdout)
        self.assertEqual(set(tables), {"files", "file_calls", "file_bytes_by_rank"})
        files = {row["file"]: row for row in tables["files"]}
        records = files[str(folder.resolve() / "records")]
        self.assertEqual((records["opens"], records["ranks"], records["kind"]), (2, 1, "file"))
        self.assertAlmostEqual(records["written"], 80000 / 2 ** 20, places=6)
        self.assertIn("(pipe)", files)


class OtherPrograms(CommandTest):
    def profile_of(self, *words, folder=None, options=()):
        folder = folder or scratch_folder()
        alone = subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, stdin=subprocess.DEVNULL)
        out = folder / "profiles"
        out.mkdir(exist_ok=True)
        result = command("run", "--io", *options, "--output-directory", out, "--", *words, folder=folder,
                         stdin=subprocess.DEVNULL)
        self.assertEqual((result.status, result.stdout), (alone.returncode, alone.stdout.decode()))
        return profile_in(out, pathlib.Path(words[0]).name)

    def check_not_seen(self, profile):
        """All that the kernel has counted, but for what the library does itself."""
        metrics = metrics_of(profile)
        for kernel, parts in (("io.rchar", ("all_read", "read_outside", "own_read")),
                              ("io.wchar", ("all_written", "written_outside", "own_written"))):
            if kernel in metrics:
                rest = metrics[kernel] - sum(metrics["files." + part] for part in parts)
                self.assertLess(abs(rest), 32 * 1024, (kernel, metrics))

    def test_programs_of_others(self):
        """Bytes are those of the files, whatever functions a program uses."""
        folder = scratch_folder()
        text = "".join(f"{i}\n" for i in range(200000))
        (folder / "numbers").write_text(text)
        size = len(text)
        for words, read, written in ((("cp", "numbers", "copy"), size, size), (("sort", "-n", "numbers", "-o", "sorted"), size, size),
                                     (("md5sum", "numbers"), size, 0), (("grep", "-c", "77", "numbers"), size, 0),
                                     (("gzip", "-c", "numbers"), size, 0), (("wc", "-l", "numbers"), size, 0)):
            with self.subTest(words=words):
                if not shutil.which(words[0]):
                    self.skipTest(f"{words[0]} is not installed")
                folder_of_run = scratch_folder()
                shutil.copy(folder / "numbers", folder_of_run)
                out = folder_of_run / "profiles"
                result = subprocess.run([str(LIBRARY.parents[1] / "vftrace"), "run", "--sample", "--io", "--output-directory", str(out),
                                         "--", *words], cwd=folder_of_run, capture_output=True, stdin=subprocess.DEVNULL)
                self.assertEqual((result.returncode, result.stderr), (0, b""))
                profile = json.loads(next(out.glob("*_all.json")).read_text())
                files = {pathlib.Path(row.get("file", "")).name: row for row in profile["files"]}
                self.assertEqual(files["numbers"].get("read", 0), read)
                if written:
                    self.assertEqual(files[words[-1]].get("written", 0), written)
                self.check_not_seen(profile)

    def test_as_strace_sees_it(self):
        need("strace")
        if subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True).returncode != 0:
            self.skipTest("strace may not trace here")
        for compiler, flags in some_of(VARIANTS, 3):
            with self.subTest(compiler=compiler, flags=flags):
                need(compiler)
                program = compile_program("file_calls.c", (*FLAGS, *flags), compiler)
                folder = scratch_folder()
                log = folder / "log"
                subprocess.run(["strace", "-o", str(log), "-e", "trace=read,pread64,readv,write,pwrite64,writev", str(program)],
                               cwd=folder, check=True, capture_output=True, stdin=subprocess.DEVNULL)
                seen, calls = {"read": 0, "write": 0}, {}
                loading = True
                for line in log.read_text().splitlines():
                    found = re.match(r"(p?(read|write)(?:v|64)?)\(.* = (\d+)", line)
                    loading = loading and not line.startswith("write")  # the loader reads libraries before
                    if found and not loading:
                        seen[found[2]] += int(found[3])
                        name = found[1].removesuffix("64")
                        calls[name] = calls.get(name, 0) + 1
                profile = self.profile_of(program)
                ours = {}
                for row in rows_of(profile):
                    name = re.sub("__|_chk|64", "", row["function"])
                    ours[name] = ours.get(name, 0) + row["calls"] - row.get("failed", 0)
                # What streams do is below fread and others.
                for name in ("pread", "pwrite", "readv", "writev"):
                    self.assertEqual(ours[name], calls[name], name)
                metrics = metrics_of(profile)
                copied = 10000  # by system calls that are not counted above
                self.assertEqual(metrics["files.all_written"] + metrics["files.written_outside"] - copied, seen["write"])
                # fscanf, getline and fgetc take fewer bytes than stdio reads: the file is read twice.
                self.assertLess(abs(metrics["files.all_read"] - copied - seen["read"]), 4096)


class Limits(CommandTest):
    """file_limits.c: many files, descriptors of all kinds."""
    def test_each(self):
        folder = scratch_folder()
        result = command("run", "--io", "--", compile_program("file_limits.c", FLAGS), folder=folder, stdin=subprocess.DEVNULL)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "done\n", ""))
        profile = profile_in(folder, "file_limits")
        self.check_sums(profile)

    def check_sums(self, profile):
        sums = {}
        for row in rows_of(profile):
            sums[row["caller"]] = sums.get(row["caller"], 0) + row.get("written", 0)
        for caller, written in (("many_files", 9000), ("passed", 5), ("names", 12), ("with_vfork", 8), ("write_own", 8000)):
            self.assertEqual(sums[caller], written, caller)
        names = {row.get("file", "") for row in profile["files"]}
        self.assertLessEqual(len([name for name in names if re.search(r"/many/\d+$", name)]), 1024)
        self.assertTrue(any(name.endswith("/many/") for name in names))

    def test_after_a_kill(self):
        folder, trees = scratch_folder(), scratch_folder()
        process = subprocess.Popen([COMMAND, "run", "--io", "--", compile_program("file_limits.c", FLAGS), "wait"],
                                   cwd=folder, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                                   env={**os.environ, "VFTR_TREE_FILE_DIRECTORY": str(trees), "VFTR_OVERHEAD_BUDGET": "0"})
        self.assertEqual(process.stdout.readline(), "done\n")
        process.kill()
        process.wait()
        process.stdout.close()
        tree, = trees.iterdir()
        self.assertEqual(command("recover", tree, folder=folder).status, 0)
        self.check_sums(profile_in(folder, "file_limits"))

    def test_as_it_runs(self):
        """What is new since a mark."""
        folder, trees = scratch_folder(), scratch_folder()
        process = subprocess.Popen([COMMAND, "run", "--io", "--", compile_program("file_limits.c", FLAGS), "wait"],
                                   cwd=folder, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                                   env={**os.environ, "VFTR_TREE_FILE_DIRECTORY": str(trees), "VFTR_OVERHEAD_BUDGET": "0"})
        try:
            self.assertEqual(process.stdout.readline(), "done\n")
            result = command("snapshot", "--output", folder, process.pid, VFTR_TREE_FILE_DIRECTORY=trees)
            self.assertEqual(result.status, 0, result.stderr)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
        profile = json.loads(next(folder.glob("*_all.json")).read_text())
        self.check_sums(profile)


class Findings(CommandTest):
    RULES = {"small": ("small-io", "write_small"), "opens": ("many-opens", "open_often"), "metadata": ("metadata-bound", "ask"),
             "fine": None}

    def test_each_where_it_belongs(self):
        about_files = {"small-io", "collective-buffering-off", "many-opens", "metadata-bound", "one-rank-writes", "unaligned",
                       "read-after-write", "shared-file-contention"}
        for way, expected in self.RULES.items():
            with self.subTest(way=way):
                folder = scratch_folder()
                result = command("run", "--io", "--", compile_program("file_faults.c", FLAGS), way, folder=folder,
                                 stdin=subprocess.DEVNULL)
                self.assertEqual((result.status, result.stdout), (0, "done\n"))
                found = json.loads(command("report", "--findings", "--format", "json", folder / "file_faults_all.json").stdout)
                rows = tables_of_json(json.dumps(found))["findings"]
                named = [row for row in rows if row["rule"] in about_files]
                if not expected:
                    self.assertEqual(named, [])
                    continue
                self.assertEqual([row["rule"] for row in named if row["rule"] == expected[0]], [expected[0]])
                one, = [row for row in named if row["rule"] == expected[0]]
                self.assertIn(expected[1], json.dumps(one))


class WithMpi(unittest.TestCase):
    """examples/checkpoint: what both MPI libraries make of it."""
    def profile_of(self, family, *arguments):
        family.need("mpicc", "mpirun")
        need_part("BUILD_TOOLS")
        folder = scratch_folder()
        program = folder / "checkpoint"
        subprocess.run([family.command("mpicc"), "-O2", "-w", "-finstrument-functions", SOURCE / "examples/checkpoint/checkpoint.c",
                        "-lm", "-o", program], check=True)
        result = launch_mpi(family, [*family.launch(4), str(COMMAND), "run", "--io", "--", str(program), *arguments], 4, folder=folder)
        self.assertEqual((result.status, result.stdout), (0, "4 checkpoints of 4 ranks\n"), result.stderr)
        profile = profile_in(folder, "checkpoint")
        field = next(row for row in profile["files"] if row.get("file", "").endswith("/field.dat"))
        self.assertEqual((folder / "field.dat").stat().st_size, 4 * 4 * 512 * 1024)
        calls = [row for row in rows_of(profile)
                 if row.get("file") == field["file"] and row["caller"] in ("MPI_File_write", "MPI_File_write_all")]
        return field, calls

    def test_together(self):
        """One rank writes large blocks."""
        for family in (OPEN_MPI, MPICH):
            with self.subTest(family=family.name):
                field, calls = self.profile_of(family, "-c")
                self.assertEqual((field["ranks"], field["written"]), (4, 8 << 20))
                self.assertLess(sum(row["calls"] for row in calls), 100)
                self.assertEqual(sum(row.get("written", 0) for row in calls), 8 << 20)

    def test_each_for_itself(self):
        """Open MPI writes every piece; MPICH reads blocks, changes its part and writes them back."""
        for family in (OPEN_MPI, MPICH):
            with self.subTest(family=family.name):
                field, calls = self.profile_of(family)
                self.assertEqual((field["ranks"], field["writers"]), (4, 4))
                written = sum(row.get("written", 0) for row in calls)
                if family is OPEN_MPI:
                    self.assertEqual(written, 8 << 20)
                    self.assertEqual(sum(row["calls"] for row in calls if row.get("written")), 4 * 4 * 1024)
                else:
                    self.assertGreater(written + sum(row.get("read", 0) for row in calls), 8 << 20)


if __name__ == "__main__":
    unittest.main()
