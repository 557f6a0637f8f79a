"""No false alarms: healthy programs only have remarks, which show where time is spent, and no other
findings. Findings of programs with faults are tested with profiles (unit/test_findings.cpp), and
with MPI in test_example.py and test_analyze_mpi.py."""
import os
import resource
import shlex
import shutil
import subprocess

from command_support import CommandTest, command
from support import COMMAND, HERE, clean_environment, need, scratch_folder
from waits_support import tables_of_json

BENCH = HERE / "bench"
REMARKS = {"hot-path", "recursion", "host-memory", "memory-peak", "memory-imbalance", "leak", "preempted", "idle-threads"}

# Everyday programs with work for some tenths of a second; < FILE is standard input.
EVERYDAY = r"""
sort -n -r numbers.txt
sort --parallel=2 -S 1M words.txt
uniq -c < words.txt
wc words.txt numbers.txt
cut -d " " -f 2 words.txt
tr a-z A-Z < words.txt
sha256sum words.txt numbers.txt zeros
sha512sum words.txt numbers.txt zeros
cksum words.txt numbers.txt zeros
grep -c -E "(an|er)+.*7" words.txt
sed -e "s/a/A/g;s/[0-9]*$/./" words.txt
awk "{ total += $3; n[$1]++ } END { for (i in n) print i, n[i], total }" words.txt
od -A d -t x1 numbers.txt
base64 zeros
find /usr/include -name "*.h" -newer words.txt
diff words.txt numbers.txt
tar --sort=name --mtime=@0 -cf made.tar words.txt numbers.txt zeros
gzip -9 -c words.txt
xz -1 -c words.txt
dd if=/dev/zero of=copy bs=64K count=1000
cmp zeros zeros2
python3 -c "print(sum(i * i % 7 for i in range(3000000)))"
perl -e "for my $i (1 .. 2000000) { $s += $i % 7 } print $s"
gcc -O2 -c -o program.o program.c
"""


# What is true of some of them: a tenth of the compiler's time, more or less, is in malloc.
TRUE_FINDINGS = {"gcc": "allocation"}


def system_share(before):
    """The part of the processor time of the processes that ended since then that the kernel took."""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    system = after.ru_stime - before.ru_stime
    return system / max(system + after.ru_utime - before.ru_utime, 1e-9)


class FalseAlarms(CommandTest):
    def findings(self, profile):
        report = command("report", profile, "--findings", "--format", "json")
        self.assertEqual(report.status, 0, report.stderr)
        return tables_of_json(report.stdout)["findings"]

    def check(self, words, folder, out, stdin=None, true_finding=None):
        """Checks that only rules that make remarks find anything. Returns the number of profiles: a
        program that was too short for a sample has none, a program that runs others has several."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(folder / stdin if stdin else os.devnull, "rb") as file:
            process = subprocess.run(
                words, cwd=folder, stdin=file, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                timeout=100, env=clean_environment(VFTR_OUTPUT_DIRECTORY=out))
        self.assertIn(process.returncode, (0, 1), process.stderr)  # 1: diff
        # Beside other programs on a virtual machine, page faults of a short program may really take that long.
        true_findings = {true_finding} | ({"page-faults"} if system_share(before) > 0.1 else set())
        profiles = list(out.glob("*.json"))
        for profile in profiles:
            findings = [row for row in self.findings(profile) if row["rule"] not in true_findings]
            self.assertEqual([row for row in findings if row["rule"] not in REMARKS], [])
            self.assertEqual([row for row in findings if row["saved"] > 0], [])
        return len(profiles)

    def inputs(self):
        folder = scratch_folder()
        lines = range(200_000)
        (folder / "numbers.txt").write_text("".join(f"{i * 7919 % 1_000_003}\n" for i in lines))
        words = ["banana", "order", "plum", "lantern", "winter"]
        (folder / "words.txt").write_text("".join(
            f"{words[i * 31 % 5]} {words[i * 17 % 5]}{i % 977} {i}\n" for i in lines))
        for name in ("zeros", "zeros2"):
            (folder / name).write_bytes(bytes(30_000_000))
        (folder / "program.c").write_text("".join(
            f"double f{i}(double x) {{ for (int i = 0; i < {i}; i++) x = x * x + {i}; return x; }}\n"
            for i in range(400)))
        return folder

    def test_everyday_programs(self):
        folder, profiles = self.inputs(), 0
        for row in EVERYDAY.split("\n"):
            words = shlex.split(row)
            if not words or not shutil.which(words[0]):
                continue
            stdin = words[words.index("<") + 1] if "<" in words else None
            words = words[:words.index("<")] if stdin else words
            with self.subTest(row):
                profiles += self.check([COMMAND, "run", "--sample", "--", *words], folder,
                                       scratch_folder(), stdin, TRUE_FINDINGS.get(words[0]))
        self.assertGreaterEqual(profiles, 15)

    def test_programs_of_the_bench(self):
        need("g++")
        need("gcc")
        for source, compiler, arguments in (
                (BENCH / "miniapp" / "miniapp.cpp", ["g++", "-std=c++20"], ["100"]),
                (BENCH / "steady.c", ["gcc"], ["200000000"]),
                # Long enough for page faults to take less than a tenth of the time on a slow machine, too.
                (BENCH / "apps" / "multigrid.c", ["gcc"], ["2"]),
                (BENCH / "apps" / "monte_carlo.c", ["gcc"], ["0.5"])):
            with self.subTest(source.name):
                folder = scratch_folder()
                program = folder / "program"
                built = subprocess.run([*compiler, "-O1", "-finstrument-functions", "-pthread", "-o",
                                        program, source, "-lm"], capture_output=True, text=True)
                self.assertEqual(built.returncode, 0, built.stderr)
                self.assertEqual(self.check([COMMAND, "run", "--", program, *arguments], folder,
                                            scratch_folder()), 1)
