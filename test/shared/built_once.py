"""Builds programs for tests, once for all processes that run tests, and for later runs."""
import contextlib
import fcntl
import subprocess


@contextlib.contextmanager
def _locked(path):
    """Holds a lock that ends with the process. The lock file stays: removing it could remove another process's lock."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build_once(command, target):
    """Runs a compiler that writes the target, in the target's folder, unless the target exists already.

    The folder's name must identify what the target is made from: newer sources are not noticed."""
    folder = target.parent
    if target.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    # Not in the target's folder, because programs look for libraries there.
    with _locked(folder.with_name(folder.name + ".lock")):
        if not target.exists():
            # A file with the target's name is always complete, even if the compiler or this process is killed.
            unfinished = target.with_name(target.name + ".unfinished")
            words = [str(word) for word in command]
            result = subprocess.run([*words, "-o", str(unfinished)], cwd=folder, capture_output=True, text=True)
            if result.returncode != 0:
                raise AssertionError(" ".join(words) + "\n" + result.stderr)
            unfinished.rename(target)
    return target
