"""Two real C++ programs from Debian's sources, measured by bench_miniapp.py: fetched with apt,
built by one g++ command, with input made here."""
import pathlib
import random
import re
import subprocess

SYSTEM_SOURCES = pathlib.Path("/etc/apt")
SECONDS = 120  # for one command of apt
LZIP_WORDS = 720_000


def text_of_words(path):
    source = random.Random(3)
    words = [f"{source.getrandbits(source.choice([8, 16, 24, 32])):x}" for _ in range(3000)]
    path.write_text(" ".join(source.choice(words) for _ in range(LZIP_WORDS)))


def random_formula(path):
    """A 3-SAT instance at the threshold, where it is hardest."""
    source = random.Random(1)
    variables, clauses = 250, 1065
    with open(path, "w", encoding="ascii") as out:
        print("p cnf", variables, clauses, file=out)
        for _ in range(clauses):
            chosen = source.sample(range(1, variables + 1), 3)
            print(*[v if source.random() < 0.5 else -v for v in chosen], 0, file=out)


# package: sources and options of g++, the maker of the input, arguments
PROGRAMS = {
    "lzip": (["*.cc"], ["-DPROGVERSION=\"bench\""], text_of_words, ["-6", "-k", "-c"]),
    "minisat2": (["minisat/core/Main.cc", "minisat/core/Solver.cc", "minisat/utils/Options.cc",
                  "minisat/utils/System.cc"],
                 ["-std=c++11", "-fpermissive", "-D__STDC_LIMIT_MACROS", "-D__STDC_FORMAT_MACROS",
                  "-I.", "-lz"], random_formula, ["-verb=0"]),
}


def write_source_lists(folder):
    """Writes separate lists of the sources of the distribution's packages, so that the system's lists remain unchanged."""
    folder.mkdir(exist_ok=True)
    for path in (SYSTEM_SOURCES / "sources.list", *SYSTEM_SOURCES.glob("sources.list.d/*")):
        if not path.is_file():
            continue
        stanzas = path.read_text(encoding="utf-8").split("\n\n")
        kept = [re.sub(r"(?m)^Types:.*", "Types: deb-src", stanza) for stanza in stanzas
                if path.suffix == ".sources" and re.search(r"(?m)^URIs:.*/debian/?$", stanza)]
        kept += [re.sub(r"^deb ", "deb-src ", line) for line in "\n".join(stanzas).splitlines()
                 if path.suffix == ".list" and re.match(r"deb .*/debian/? ", line)]
        if kept:
            (folder / path.name).write_text("\n\n".join(kept) + "\n", encoding="utf-8")


def apt(folder, *command):
    options = {"Dir::Etc::SourceList": "/dev/null", "Dir::Etc::SourceParts": folder / "sources",
               "Dir::State::Lists": folder / "lists", "Dir::Cache": folder / "cache"}
    subprocess.run(["apt-get", "-qq", *[f"-o{name}={value}" for name, value in options.items()],
                    *command], cwd=folder, check=True, capture_output=True, timeout=SECONDS)


def fetched(folder):
    """{package: folder of its sources}; raises OSError or subprocess.SubprocessError."""
    found = {}
    for package in PROGRAMS:
        archive, = list(folder.glob(f"{package}_*.orig.tar.*"))[:1] or [None]
        if archive is None:
            (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
            (folder / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
            write_source_lists(folder / "sources")
            apt(folder, "update")
            apt(folder, "source", "--download-only", *PROGRAMS)
            archive, = folder.glob(f"{package}_*.orig.tar.*")
        subprocess.run(["tar", "xf", archive.name], cwd=folder, check=True, capture_output=True)
        found[package] = next(path for path in folder.glob(f"{package}-*") if path.is_dir())
    return found


def build(folder, package, target, *flags):
    sources, options, _, _ = PROGRAMS[package]
    files = [path for pattern in sources for path in sorted(folder.glob(pattern))]
    subprocess.run(["g++", "-O2", "-w", *flags, *map(str, files), *options, "-o", str(target)],
                   cwd=folder, check=True, capture_output=True)
    return target


def arguments(folder, package):
    _, _, make_input, words = PROGRAMS[package]
    path = pathlib.Path(folder) / f"{package}.input"
    make_input(path)
    return [*words, str(path)]
