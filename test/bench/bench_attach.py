"""vftrace sample: 100 attaches to programs that know nothing of it. Their output stays the same, they see no signal, and
the shares of functions agree with those of perf, which samples at the same time."""
import hashlib
import json
import pathlib
import random as random_numbers
import re
import shutil
import subprocess
import time

from common import HERE, compile_to, environment, row, skipped

ATTACHES, SECONDS = 5, 1.5
GOAL_POINTS, GOAL_CHANGED, GOAL_SIGNALS = 3, 0, 0

# What runs for some seconds, on files of make_inputs().
COMMANDS = {
    "gzip": "gzip -9 -c big.txt",
    "bzip2": "bzip2 -9 -c big.txt",
    "xz": "xz -T2 -3 -c text.txt text.txt",
    "zstd": "zstd -q -15 -c text.txt",
    "sort": "sort big.txt",
    "sort by threads": "sort --parallel=2 -n -r numbers.txt",
    "sha256sum": "sha256sum huge.txt",
    "awk": "awk '{ for (i = 1; i <= NF; i++) n[$i % 1000] += length($i) } END { print n[7] }' big.txt big.txt",
    "perl": "perl -e 'my $s = 0; for my $i (1..20000000) { $s += $i * 3 % 7 } print \"$s\\n\"'",
    "python": "python3 -c 'print(sum(i * 3 % 7 for i in range(20000000)))'",
    "sed": "sed -E 's/([0-9]+) ([0-9]+)/\\2 \\1/g' big.txt",
    "grep": "grep -c -E '(1[0-9]+7 .*){4}' big.txt",
    "bc": "bc -l pi.bc",
    "openssl": "openssl dgst -sha512 huge.txt",
    "sqlite": "sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 9000000) "
              "select sum(x % 7) from c'",
}
APPLICATIONS = {"finite_elements.cpp": "g++", "molecular_dynamics.cpp": "g++", "monte_carlo.c": "gcc",
                "multigrid.c": "gcc", "line_solver.c": "gcc", "recursion.cpp": "g++"}


def make_inputs(folder):
    random = random_numbers.Random(1)
    text = "\n".join(" ".join(str(random.randrange(1000003)) for _ in range(8)) for _ in range(60000)) + "\n"
    (folder / "text.txt").write_text(text)
    (folder / "big.txt").write_text(text * 4)
    (folder / "huge.txt").write_text(text * 100)
    (folder / "numbers.txt").write_text("\n".join(str(random.randrange(10**9)) for _ in range(1000000)) + "\n")
    (folder / "pi.bc").write_text("scale=3000\n4*a(1)\n")


def programs(folder):
    """Command lines of what is installed, by name."""
    found = {name: line for name, line in COMMANDS.items() if shutil.which(line.split()[0])}
    for source, compiler in APPLICATIONS.items():
        if shutil.which(compiler):
            path = HERE / "apps" / source
            found[path.stem] = str(compile_to(folder / path.stem, compiler, "-O2", "-pthread", "-w", path, "-lm"))
    return found


def shares(counts):
    total = sum(counts.values())
    return {name: 100 * count / total for name, count in counts.items()} if total else {}


def by_perf(folder, pid):
    """Samples by function; without a symbol by file."""
    text = subprocess.run(["perf", "script", "-i", folder / "perf.data", "--pid", str(pid), "-F", "ip,sym,dso"],
                          capture_output=True, text=True).stdout
    counts = {}
    for found in re.finditer(r"^\s*[0-9a-f]+ (.*) \((.*)\)$", text, re.M):
        symbol, module = found.groups()
        name = pathlib.Path(module).name if symbol == "[unknown]" else symbol.rstrip("_")
        counts[name] = counts.get(name, 0) + 1
    return counts


def by_us(folder):
    counts = {}
    for path in folder.glob("*.json"):
        profile = json.loads(path.read_text())
        for node in profile["nodes"]:
            function = profile["functions"][node["function"]]
            name = re.sub(r"\+0x[0-9a-f]+$", "", function["name"]) if not function.get("symbol") \
                else function["symbol"].rstrip("_")
            counts[name] = counts.get(name, 0) + node.get("samples", 0)
        path.unlink()
    return counts


def attach(build, folder, command, traced):
    """Output, samples by perf and by us, and the number of signals. A program under strace is not sampled by perf."""
    output = folder / "output"
    log = folder / "strace.log"
    words = ["strace", "-f", "--seccomp-bpf", "-e", "trace=execve", "-o", log] if traced else []
    with open(output, "wb") as file:
        process = subprocess.Popen([*words, "sh", "-c", "exec " + command], cwd=folder, stdout=file,
                                   stderr=subprocess.STDOUT, env=environment())
    time.sleep(0.3)
    pid = process.pid
    if traced:
        pid = int(pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])
    perf = None
    if not traced:
        perf = subprocess.Popen(["perf", "record", "-q", "-e", "cpu-clock:u", "-c", "1000000", "-o",
                                 folder / "perf.data", "-p", str(pid), "--", "sleep", str(SECONDS)],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ours = subprocess.run([build / "vftrace", "sample", str(pid), "--duration", str(SECONDS)], cwd=folder,
                          capture_output=True, text=True, env=environment())
    if perf:
        perf.wait()
    process.wait()
    signals = len(re.findall(r"^\d+ +--- SIG(?!CHLD)", log.read_text(), re.M)) if traced else 0
    digest = hashlib.sha256(output.read_bytes()).hexdigest()
    return digest, by_perf(folder, pid) if perf and ours.returncode == 0 else {}, by_us(folder), signals


def measure(build, scratch):
    if not shutil.which("perf"):
        return [skipped("attach", "perf is not installed")]
    folder = pathlib.Path(scratch)
    make_inputs(folder)
    changed = signals = attaches = 0
    worst = {}
    for name, command in programs(folder).items():
        alone = subprocess.run(["sh", "-c", "exec " + command], cwd=folder, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, env=environment()).stdout
        expected = hashlib.sha256(alone).hexdigest()
        perf, ours = {}, {}
        for turn in range(ATTACHES):
            digest, of_perf, of_us, seen = attach(build, folder, command, traced=turn == 0 and shutil.which("strace"))
            attaches += 1
            changed += digest != expected
            signals += seen
            if of_perf:
                for sums, counts in ((perf, of_perf), (ours, of_us)):
                    for function, count in counts.items():
                        sums[function] = sums.get(function, 0) + count
        theirs, mine = shares(perf), shares(ours)
        differences = {function: abs(theirs.get(function, 0) - mine.get(function, 0))
                       for function in {*theirs, *mine}}
        function = max(differences, key=differences.get, default="")
        worst[name] = differences.get(function, 0)
        print(f"{name}: {sum(perf.values())} and {sum(ours.values())} samples; largest difference "
              f"{worst[name]:.1f} points in {function}", flush=True)
    return [row("attach: programs whose output changed", changed, GOAL_CHANGED, f"of {attaches}"),
            row("attach: signals that programs saw", signals, GOAL_SIGNALS, "signals"),
            row("attach: largest difference of a share from perf's", max(worst.values()), GOAL_POINTS, "points")]
