"""Runs some of the tests once more as an unprivileged user if the suite runs as root.

Root may read, write and search everything, so tests of permissions cannot fail there, and programs
that need privileges seem to work without them. The user is nobody, in folders of its own; the build
is only read."""
import collections
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parents[1]

# What depends on the user: files, signals, counters, memory of other processes.
TESTS = ("test_command_", "test_counters", "test_ends", "test_fork", "test_mark", "test_privileges",
         "test_recover.", "test_signals.", "test_snapshots", "test_surroundings", "test_trace_recover")
OUTCOME = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")


def python_for(user):
    """A Python that the user may execute and that can read this folder as that user."""
    for python in (sys.executable, "/usr/bin/python3"):
        command = [python, "-c", "import sys; open(sys.argv[1])", str(HERE / "run_tests.py")]
        try:
            if subprocess.run(command, capture_output=True, **user).returncode == 0:
                return python
        except OSError:
            pass
    return None


def run_as_ordinary_user(build, jobs, tests=TESTS):
    """Prints the outcome of each test; returns a Counter of PASS, FAIL and SKIP."""
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        print("SKIP as an ordinary user: there is no user nobody")
        return collections.Counter(SKIP=1)
    user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    python = python_for(user)
    if not python or subprocess.run(["test", "-r", f"{build}/vftrace", "-a", "-x", f"{build}/vftrace"],
                                    **user).returncode != 0:
        print("SKIP as an ordinary user: nobody may not read these folders")
        return collections.Counter(SKIP=1)
    own = pathlib.Path(tempfile.mkdtemp(prefix="vfu"))
    own.chmod(0o755)
    folders = {"HOME": own / "home", "TMPDIR": own / "tmp", "VFTRACE_TEST_SCRATCH": own / "scratch"}
    for folder in folders.values():
        folder.mkdir()
        os.chown(folder, user["user"], user["group"])
    environment = {**os.environ, **{name: str(folder) for name, folder in folders.items()},
                   "USER": "nobody", "LOGNAME": "nobody", "PYTHONDONTWRITEBYTECODE": "1"}
    matches = [word for test in tests for word in ("--match", test)]
    process = subprocess.Popen([python, str(HERE / "run_tests.py"), "--build", str(build),
                                "--jobs", str(jobs), *matches],
                               cwd=folders["HOME"], env=environment, text=True, errors="replace",
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **user)
    counts = None
    for line in process.stdout:
        if found := OUTCOME.match(line):
            passed, failed, skipped = (int(number or 0) for number in found.groups())
            counts = collections.Counter(PASS=passed, FAIL=failed, SKIP=skipped)
        else:
            print(re.sub(r"^(PASS|FAIL|SKIP) ", r"\1 as an ordinary user: ", line), end="", flush=True)
    process.wait()
    shutil.rmtree(own, ignore_errors=True)
    if counts is None or (process.returncode != 0 and not counts["FAIL"]):
        print(f"FAIL as an ordinary user: ended with status {process.returncode}")
        counts = (counts or collections.Counter()) + collections.Counter(FAIL=1)
    return counts
