"""Compares our unwinder with libunwind, on stacks of real programs (judges/stack_walks.cpp).

VFTRACE_TEST_STACKS=1000000 repeats the programs until this number of stacks is reached, and prints
the sums."""
import collections
import os
import shutil
import subprocess
import sys
import unittest

from support import (BUILD, PROGRAMS, SOURCE, clean_environment, compile_program, need_part,
                     scratch_folder)

JUDGE = BUILD / "stack_walks.so"
WANTED = int(os.environ.get("VFTRACE_TEST_STACKS", 0))
# 5 of 534,000 stacks differ; doc/design/sampling.md explains why.
FEW, MOST_DIFFERENT = 3, 1e-4

PYTHON = """
import json, re, hashlib
def deep(n): return n and 1 + deep(n - 1)
class Number:
    def __init__(self, value): self.value = value
    def __lt__(self, other): return self.value < other.value
for turn in range(30):
    text = json.dumps({str(i): list(range(i % 20)) for i in range(300)}, indent=1)
    json.loads(text)
    re.sub(r'([0-9]+),', lambda found: found[1] * 2, text)
    sorted(Number(i * 7919 % 1009) for i in range(1000))
    hashlib.sha256(text.encode()).hexdigest()
    deep(200)
"""
PERL = r"""
sub deep { my $n = shift; return $n ? 1 + deep($n - 1) : 0 }
for my $turn (1..30) {
    my %h = map { $_ => sprintf("%x", $_ * 7919) } 1..2000;
    my @sorted = sort { $h{$a} cmp $h{$b} } keys %h;
    my $text = join(",", @sorted);
    $text =~ s/(\d+),(\d)/$2$1/g;
    eval { deep(100); die "so" };
}
"""
SHELL = "i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); x=${x#?????????}$i; done; ls -l /usr/bin | sort | wc -l"


def commands():
    """Names and command lines."""
    source = str(PROGRAMS / ("stack_walks.cpp" if WANTED else "sample_awkward.cpp"))
    yield "python", [sys.executable, "-c", PYTHON]
    yield "perl", ["perl", "-e", PERL]
    yield "sh", ["sh", "-c", SHELL]
    yield "bash", ["bash", "-c", SHELL]
    for compiler in ("g++", "clang++"):
        yield compiler, [compiler, "-std=c++20", "-O2", "-c", source, "-o", "compiled.o"]
    yield "gfortran", ["gfortran", "-O2", str(PROGRAMS / "stack_walks.F90"), "-o", "compiled"]
    yield "git", ["git", "-C", str(SOURCE), "log", "--stat", "-n", "20"]
    yield "xz", ["xz", "-k", "-c", sys.executable]
    yield "readelf", ["readelf", "-W", "--debug-dump=frames", str(JUDGE)]
    for name, compiler, flag in (("stack_walks.cpp", "g++", "-O0"),
                                 ("stack_walks.cpp", "g++", "-O2"),
                                 ("stack_walks.cpp", "clang++", "-O2"),
                                 ("stack_walks.F90", "gfortran", "-O2"),
                                 ("sample_awkward.cpp", "g++", "-O2")):
        if shutil.which(compiler):
            program = compile_program(name, (flag, "-pthread"), compiler, instrument=False)
            yield f"{name} {compiler} {flag}", [str(program)]


class StackWalks(unittest.TestCase):
    def setUp(self):
        need_part("HAVE_LIBUNWIND")
        if not JUDGE.exists():
            self.skipTest("not built: make check-programs")

    def sample(self, command, period_us):
        """Counts by name, and differences by kind and place."""
        folder = scratch_folder()
        walks = folder / "walks"
        walks.mkdir()
        environment = clean_environment(STACK_WALKS_FOLDER=walks, STACK_WALKS_PERIOD_US=period_us)
        environment.update(LD_PRELOAD=str(JUDGE), CCACHE_DISABLE="1")
        result = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, errors="replace", timeout=600)
        counts, differences = collections.Counter(), collections.Counter()
        for path in walks.iterdir():
            lines = [line.split() for line in path.read_text().splitlines()]
            for name, *words in lines:
                if name == "difference":
                    differences[" ".join([lines[0][1], *words[:-1]])] += int(words[-1])
                elif name != "program":
                    counts[name] += int(words[0])
        shutil.rmtree(folder)
        self.assertGreaterEqual(result.returncode, 0, f"{command}: killed\n{result.stderr}")
        return counts, differences

    def test_stacks_of_programs(self):
        total, differences, by_program = collections.Counter(), collections.Counter(), {}
        programs = [(name, command) for name, command in commands() if shutil.which(command[0])]
        while True:
            for name, command in programs:
                counts, found = self.sample(command, 100 if WANTED else 1000)
                by_program.setdefault(name, collections.Counter()).update(counts)
                total.update(counts)
                differences.update(found)
            if total["stacks"] >= WANTED or not total["stacks"]:
                break
        if not total["stacks"]:
            self.skipTest("libunwind.so.8 is not installed, or there are no timers")
        details = "\n".join([*(f"{name}: {dict(counts)}" for name, counts in by_program.items()),
                             *(f"{count} {where}" for where, count in differences.most_common(50))])
        if WANTED:
            print(details, dict(total), sep="\n")
        different = total["stacks"] - total["agreed"]
        self.assertLessEqual(different, FEW + MOST_DIFFERENT * total["stacks"], details)
        self.assertGreater(total["frames"], 5 * total["stacks"])
