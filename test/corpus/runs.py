"""The runs of the corpus, and what is true of them.

Each run is recorded twice, alone and beside two endless loops ("busy"). `true` has the rules whose
fault the program has; `found` those of them that must be reported from the run alone.
"""
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
APPS = ["multigrid.c", "monte_carlo.c", "line_solver.c", "recursion.cpp", "molecular_dynamics.cpp",
        "finite_elements.cpp", "hydrodynamics.cpp"]

# Rules that state where time is spent rather than that it is lost.
REMARKS = {"hot-path", "recursion", "host-memory", "blocked-loop", "memory-peak", "memory-imbalance", "leak"}

# Faults that other figures show as well.
WAITS_OF_RANKS = {"collective-wait", "message-wait", "late-rank", "communication", "low-efficiency"}
WAITS_OF_THREADS = {"thread-starvation", "low-efficiency"}
PINNED = {"oversubscription"}  # two of the machine's processors, which may be busy while others are idle
CROWDED = {"oversubscription", "kernel-time"}  # four ranks that poll, on two processors

COMMANDS = {
    "sort": "sort -n -r numbers.txt",
    "sort2": "sort --parallel=2 -S 1M words.txt",
    "uniq": "uniq -c words.txt",
    "wc": "wc words.txt numbers.txt",
    "sha256": "sha256sum words.txt numbers.txt zeros",
    "sha512": "sha512sum words.txt numbers.txt zeros",
    "md5": "md5sum words.txt numbers.txt zeros",
    "cksum": "cksum words.txt numbers.txt zeros",
    "grep": "grep -c -E (an|er)+.*7 words.txt",
    "sed": "sed -e s/a/A/g words.txt",
    "awk": "awk {n[$1]++;s+=$3}END{print(s)} words.txt",
    "od": "od -A d -t x1 numbers.txt",
    "base64": "base64 zeros",
    "gzip": "gzip -9 -c words.txt",
    "xz": "xz -1 -c words.txt",
    "bzip2": "bzip2 -c words.txt",
    "tac": "tac words.txt",
    "python": "python3 -c print(sum(i*i%7for(i)in(range(20000000))))",
    "perl": "perl -e for(1..20000000){$s+=$_%7}print$s",
    "gcc": "/usr/bin/gcc -O2 -c -o program.o program.c",
}
# A tenth of a compiler's time, more or less, is in malloc; tac and base64 write what they read.
TRUE_OF_COMMANDS = {"gcc": {"allocation", "page-faults"}, "python": {"allocation"}, "sort2": {"oversubscription"}}


def all_runs():
    """[(name, kind, argument, ranks, true, found)]"""
    runs = [(pathlib.Path(name).stem, "app", name, 1, set(), set()) for name in APPS]
    runs += [(name, "command", text, 1, TRUE_OF_COMMANDS.get(name, set()), set())
             for name, text in COMMANDS.items()]
    runs += [("compute", "plain", "compute", 1, set(), set()),
             ("sleeps", "plain", "sleeps", 1, set(), set()),
             ("small_io", "plain", "small_io", 1, {"small-io", "kernel-time"}, {"small-io"}),
             ("page_faults", "plain", "page_faults", 1, {"page-faults", "kernel-time"}, {"page-faults"}),
             ("many_threads", "plain", "many_threads", 1, {"oversubscription"}, {"oversubscription"}),
             ("omp_even", "openmp", "omp_even", 1, set(), set()),
             ("omp_uneven", "openmp", "omp_uneven", 1, WAITS_OF_THREADS, {"thread-starvation"}),
             ("omp_serial", "openmp", "omp_serial", 1, {"serial-part", "low-efficiency"}, {"serial-part"}),
             ("omp_lock", "openmp", "omp_lock", 1, WAITS_OF_THREADS, {"thread-starvation"}),
             ("gpu_even", "cuda", "gpu_even", 1, PINNED, set()),
             ("gpu_overlap", "cuda", "gpu_overlap", 1, PINNED, set()),
             ("gpu_copies", "cuda", "gpu_copies", 1, {"gpu-copies"} | PINNED, {"gpu-copies"}),
             ("gpu_idle", "cuda", "gpu_idle", 1, {"gpu-idle"} | PINNED, {"gpu-idle"})]
    for ranks in (2, 4):
        crowd = CROWDED | WAITS_OF_RANKS if ranks == 4 else set()
        runs += [(f"mpi_even{ranks}", "mpi", "mpi_even", ranks, crowd, set()),
                 (f"mpi_uneven{ranks}", "mpi", "mpi_uneven", ranks, {"load-imbalance"} | WAITS_OF_RANKS | crowd,
                  {"load-imbalance"} if ranks == 2 else set()),
                 (f"mpi_in_turn{ranks}", "mpi", "mpi_in_turn", ranks, WAITS_OF_RANKS | crowd,
                  {"communication"} if ranks == 2 else set()),
                 (f"mpi_late_sender{ranks}", "mpi", "mpi_late_sender", ranks,
                  {"load-imbalance"} | WAITS_OF_RANKS | crowd, {"load-imbalance"} if ranks == 2 else set())]
    return runs
