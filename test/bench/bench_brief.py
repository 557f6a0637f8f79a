"""vftrace report --brief: whether its first function is the one that perf finds in eight applications, how long it is, and whether
its next commands lead to a planted line in ten programs."""
import re
import shlex
import shutil
import subprocess

from common import HERE, environment, row, row_at_least, skipped

APPS = {"finite_elements.cpp": "1", "hydrodynamics.cpp": "1", "line_solver.c": "1", "long_functions.f90": "1",
        "molecular_dynamics.cpp": "1", "monte_carlo.c": "1", "multigrid.c": "1", "recursion.cpp": "1"}
COMPILERS = {".c": ["gcc"], ".cpp": ["g++", "-std=c++20"], ".f90": ["gfortran"]}
MOST_COMMANDS = 4

# The line that is planted in a function, what it needs before it, and how it is called. The rest of the program is the same: some
# work elsewhere, and callers above.
PLANTED = [
    ("c", "sum += 1.0 / (i * 1.5 + sum);", ""),
    ("c", "sum += values[(i * 4099L) % 4000000];", "static double values[4000000];"),
    ("c", "sum += sqrt(i + sum);", ""),
    ("c", "sum += (i * 7919L) % (1000003 + (long)sum % 3);", ""),
    ("c", "sum += pow(1.0000001, i % 100);", ""),
    ("c", "numbers[(i * 31) % 8] += numbers[i % 8] * 1e-9 + 1; sum += numbers[3];", "static volatile double numbers[8];"),
    ("cpp", "sum += table[i % 5000];", "static std::map<long, double> table;"),
    ("cpp", "sum += (text + std::to_string(i)).size();", "static std::string text(40, 'x');"),
    ("cpp", "sum += std::sin(i * 1e-3) * std::cos(sum);", ""),
    ("cpp", "sum += list[(i * 17) % list.size()] / (1 + sum);", "static std::vector<double> list(1000, 1.0);"),
]
PROGRAM = """{includes}
static volatile double sum;
{before}
__attribute__((noinline)) static void other_work(long n) {{
    for (long i = 0; i < n; i++)
        sum += i * 1e-9;
}}
__attribute__((noinline)) static void kernel(long n) {{
    for (long i = 1; i < n; i++)
        {line} /* planted */
}}
__attribute__((noinline)) static void step(long n) {{ other_work(n / 10); kernel(n); }}
__attribute__((noinline)) static void solve(long n) {{ for (int i = 0; i < 10; i++) step(n); }}
int main(int argc, char** argv) {{ (void)argv; other_work(1000000); solve(argc * {count}L); return sum == 0; }}
"""
INCLUDES = {"c": "#include <math.h>\n#include <stdlib.h>",
            "cpp": "#include <cmath>\n#include <cstdlib>\n#include <map>\n#include <string>\n#include <vector>"}


def run(words, folder, **options):
    return subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, env=environment(), timeout=300,
                          **options)


def brief(build, folder, program, *arguments):
    shutil.rmtree(folder / "profile", ignore_errors=True)
    run([build / "vftrace", "run", "--sample=1000", "--output-directory", "profile", "--", program, *arguments], folder, check=True)
    profile = next((folder / "profile").glob("*_all.json"))
    return run([build / "vftrace", "report", "--brief", profile], folder, check=True).stdout


def first_function(text):
    match = re.search(r"\nfunctions by own time: .*\n *[\d.]+ %  \S+ \S+(?: \+- \S+ \S+)?  (.*?)  (?:about )?(?:\d+ calls|calls not)", text)
    return re.sub(r" \(\S+:\d+\)$", "", match[1]) if match else ""


def shares_of_perf(folder, program, *arguments):
    """Per cent of the samples of processor time by function."""
    run(["perf", "record", "-q", "-e", "cpu-clock:u", "-F", "1000", "-o", "perf.data", program, *arguments], folder, check=True)
    text = run(["perf", "report", "-i", "perf.data", "--no-children", "--sort", "symbol", "--stdio", "-q"], folder, check=True).stdout
    shares = {}
    for share, name in re.findall(r"^ +([\d.]+)% +\[.\] (.*?)(?: +-)* *$", text, re.M):
        shares[plain(name)] = shares.get(plain(name), 0) + float(share)
    return shares


def plain(name):
    """Without types, arguments and the underscore of Fortran."""
    return re.sub(r"\s|<.*|\(.*", "", name).split("::")[-1].rstrip("_")


def applications(build, scratch):
    right, longest = 0, 0
    for name, size in APPS.items():
        source = HERE / "apps" / name
        program = scratch / source.stem
        subprocess.run([*COMPILERS[source.suffix], "-O2", "-g", "-o", program, source, "-lm"], check=True, cwd=scratch)
        text = brief(build, scratch, program, size)
        ours, theirs = plain(first_function(text)), shares_of_perf(scratch, program, size)
        first = max(theirs, key=theirs.get)
        # Two functions may have the same share within the errors of both.
        same = theirs.get(ours, 0) >= theirs[first] - 5
        longest = max(longest, len(text.encode()))
        finding = re.search(r"\n1\. hot-path \(\w+\): .* is spent in (\S+?),? ", text)
        same = same and (not finding or theirs.get(plain(finding[1]), 0) >= theirs[first] - 5)
        right += same
        print(f"  {name:24} {ours:30} {theirs.get(ours, 0):5.1f} %   perf: {first:30} {theirs[first]:5.1f} %"
              f"{'' if same else '   DIFFERENT'}")
    return right, longest


def reaches_its_line(build, scratch, number, language, line, before):
    """Follows only the first of the next commands."""
    folder = scratch / f"planted_{number}"
    folder.mkdir(exist_ok=True)
    source = folder / f"planted.{language}"
    source.write_text(PROGRAM.format(includes=INCLUDES[language], before=before, line=line, count=4_000_000))
    planted = 1 + next(i for i, text in enumerate(source.read_text().splitlines()) if "/* planted */" in text)
    subprocess.run([*COMPILERS["." + language], "-O1", "-g", "-w", "-o", folder / "planted", source, "-lm"], check=True)
    text, commands = brief(build, folder, folder / "planted"), 1
    while not re.search(rf"planted\.{language}:{planted}\b", text):
        following = re.search(r"\nnext:\n  vftrace (.*)\n", text)
        if commands == MOST_COMMANDS or not following:
            return None
        text, commands = run([build / "vftrace", *shlex.split(following[1])], folder).stdout, commands + 1
    return commands


def measure(build, scratch):
    if not shutil.which("perf") or not shutil.which("gfortran"):
        return [skipped("brief/first-function", "needs perf and gfortran")]
    print("\nThe first function of the brief, and that of perf")
    right, longest = applications(build, scratch)
    needed = [reaches_its_line(build, scratch, i, *planted) for i, planted in enumerate(PLANTED)]
    print(f"  commands to the planted line: {needed}")
    return [row_at_least("brief/first-function", right, len(APPS), "of 8 applications: first function and finding are those of perf"),
            row("brief/bytes", longest, 6144, "bytes of the longest brief"),
            row_at_least("brief/planted-line", sum(count is not None for count in needed), 9,
                         f"of 10 programs: the next commands lead to the planted line in {MOST_COMMANDS} commands or fewer")]
