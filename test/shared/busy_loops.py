"""Other programs on the machine, as far as a profiler notices them."""
import contextlib
import subprocess


@contextlib.contextmanager
def busy_loops(count):
    """Runs endless loops meanwhile, on the processors that this process may use."""
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
