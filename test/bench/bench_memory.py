"""The memory of a call path."""
import subprocess
import tempfile

from common import HERE, compile_to, environment, row

PATHS = 100 * 100 * 100 + 100 * 100 + 100


def measure(build, scratch):
    program = compile_to(scratch / "paths", "g++", "-std=c++20", "-O2", "-finstrument-functions",
                         "-finstrument-functions-exclude-file-list=/usr/include",
                         HERE / "paths.cpp")
    kib = {}
    for width in (1, 100):
        with tempfile.TemporaryDirectory(dir=scratch) as trees:
            result = subprocess.run([str(program), str(width)], capture_output=True, text=True,
                                    check=True, cwd=scratch, env=environment(
                                        LD_PRELOAD=build / ".libs" / "libvftrace.so",
                                        TMPDIR=trees))
        kib[width] = int(result.stdout)
    return [row("bytes-per-path", (kib[100] - kib[1]) * 1024 / PATHS, 160, "bytes")]
