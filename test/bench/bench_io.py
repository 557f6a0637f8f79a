"""What recording calls with files costs."""
import statistics
import subprocess

from common import HERE, compile_to, environment, row

TURNS = 15
ROWS = (("io/call", 60, "ns more a pread of 1 byte"), ("io/fwrite", 4, "ns more an fwrite of 8 bytes"),
        ("io/fputc", 5, "ns more an fputc"))


def measure(build, scratch):
    libraries = build / ".libs"
    program = compile_to(scratch / "io_cost", "gcc", "-O2", "-finstrument-functions", HERE / "io_cost.c")
    profiled = {"LD_PRELOAD": libraries / "libvftrace_serial.so"}
    variants = {"off": profiled, "on": {"LD_PRELOAD": f"{libraries / 'libvftrace_serial.so'}:{libraries / 'libvftrace_io.so'}",
                                        "VFTR_IO_ACTIVE": "yes"}}
    times = {name: [] for name in variants}
    print("\ncalls with files")
    for turn in range(TURNS):
        for name, variables in sorted(variants.items(), reverse=turn % 2 == 1):
            text = subprocess.run([program], cwd=scratch, capture_output=True, text=True, check=True,
                                  env=environment(**variables)).stdout
            times[name].append([float(word) for word in text.split()])
    for name, values in times.items():
        print(f"ns, {name}: " + ", ".join(f"{statistics.median(column):.2f}" for column in zip(*values)))
    return [row(name, statistics.median(on[i] - off[i] for on, off in zip(times["on"], times["off"])), goal, unit)
            for i, (name, goal, unit) in enumerate(ROWS)]
