"""Real programs from Debian's sources, each fetched with apt, built by one command of the compiler, with input made here."""
import dataclasses
import pathlib
import random
import re
import subprocess

SYSTEM_SOURCES = pathlib.Path("/etc/apt")
SECONDS = 120  # for one command of apt
LZIP_WORDS = 720_000


def text_of_words(path, count=LZIP_WORDS):
    source = random.Random(3)
    words = [f"{source.getrandbits(source.choice([8, 16, 24, 32])):x}" for _ in range(3000)]
    path.write_text(" ".join(source.choice(words) for _ in range(count)))


def random_formula(path):
    """A 3-SAT instance at the threshold, where it is hardest."""
    source = random.Random(1)
    variables, clauses = 250, 1065
    with open(path, "w", encoding="ascii") as out:
        print("p cnf", variables, clauses, file=out)
        for _ in range(clauses):
            chosen = source.sample(range(1, variables + 1), 3)
            print(*[v if source.random() < 0.5 else -v for v in chosen], 0, file=out)


LUA = """
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local words, counts, keys, seed = {}, {}, {}, 1
for i = 1, 60000 do
  seed = (seed * 1103515245 + 12345) % 2147483648
  words[i] = string.format("%x", seed % 65536)
end
for round = 1, 6 do for _, word in ipairs(words) do counts[word] = (counts[word] or 0) + 1 end end
for key in pairs(counts) do keys[#keys + 1] = key end
table.sort(keys, function(a, b) return counts[a] > counts[b] or counts[a] == counts[b] and a < b end)
local text, found = table.concat(keys, " "), 0
for word in text:gmatch("%w+") do if word:find("^[a-f]+$") then found = found + 1 end end
print(fib(32), #keys, found, #text:gsub("(%d)(%a)", "%2%1"))
"""
JAVASCRIPT = """
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
var seed = 1, words = [], counts = {};
for (var i = 0; i < 20000; i++) {
  seed = (seed * 16807) % 2147483647;
  words.push((seed % 65536).toString(16));
}
for (var round = 0; round < 3; round++)
  for (i = 0; i < words.length; i++) counts[words[i]] = (counts[words[i]] || 0) + 1;
var keys = Object.keys(counts).sort();
print(fib(28), keys.length, (keys.join(" ").match(/[a-f]+[0-9]/g) || []).length, JSON.stringify(counts).length);
"""


def writer(text):
    return lambda path: path.write_text(text)


@dataclasses.dataclass
class Program:
    sources: list
    options: list  # of the compiler
    make_input: object
    words: list  # before the name of the input
    compilers: tuple = ("g++", "clang++-19")
    leave_out: str = ""  # of the sources

    def arguments(self, folder, package):
        path = pathlib.Path(folder) / f"{package}.input"
        self.make_input(path)
        return [*self.words, str(path)]


C = ("gcc", "clang-19")
PROGRAMS = {
    "lzip": Program(["*.cc"], ["-DPROGVERSION=\"bench\""], text_of_words, ["-6", "-k", "-c"]),
    "minisat2": Program(["minisat/core/Main.cc", "minisat/core/Solver.cc", "minisat/utils/Options.cc", "minisat/utils/System.cc"],
                        ["-std=c++11", "-fpermissive", "-D__STDC_LIMIT_MACROS", "-D__STDC_FORMAT_MACROS", "-I.", "-lz"],
                        random_formula, ["-verb=0"]),
    "lua5.4": Program(["src/l*.c"], ["-lm"], writer(LUA), [], C, "luac.c"),
    "bzip2": Program(["blocksort.c", "huffman.c", "crctable.c", "randtable.c", "compress.c", "decompress.c", "bzlib.c", "bzip2.c"],
                     [], text_of_words, ["-k", "-c", "-9"], C),
    "duktape": Program(["src/duktape.c", "examples/cmdline/duk_cmdline.c", "extras/print-alert/duk_print_alert.c"],
                       ["-Isrc", "-Iextras/print-alert", "-DDUK_CMDLINE_PRINTALERT_SUPPORT", "-lm"], writer(JAVASCRIPT), [], C),
    "brotli": Program(["c/*/*.c"], ["-Ic/include", "-lm"], text_of_words, ["-c", "-q", "9", "-w", "22"], C),
    "zopfli": Program(["src/zopfli/*.c"], ["-lm"], lambda path: text_of_words(path, LZIP_WORDS // 12), ["-c", "--i1"], C),
}
IN_CXX = ("lzip", "minisat2")


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


def fetched(folder, packages):
    """{package: folder of its sources}; raises OSError or subprocess.SubprocessError."""
    if not all(list(folder.glob(f"{package}_*.orig.tar.*")) for package in packages):
        (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (folder / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
        write_source_lists(folder / "sources")
        apt(folder, "update")
        apt(folder, "source", "--download-only", *packages)
    found = {}
    for package in packages:
        archive, = folder.glob(f"{package}_*.orig.tar.*")
        found[package] = folder / f"{package}.source"
        found[package].mkdir(exist_ok=True)
        subprocess.run(["tar", "xf", archive.name, "-C", found[package].name, "--strip-components=1"], cwd=folder, check=True,
                       capture_output=True)
    return found


def build(folder, package, target, *flags, compiler=0):
    """`compiler`: 0 is that of GNU, 1 clang 19."""
    program = PROGRAMS[package]
    files = [path for pattern in program.sources for path in sorted(folder.glob(pattern)) if path.name != program.leave_out]
    subprocess.run([program.compilers[compiler], "-O2", "-w", *flags, *map(str, files), *program.options, "-o", str(target)],
                   cwd=folder, check=True, capture_output=True)
    return target


def arguments(folder, package):
    return PROGRAMS[package].arguments(folder, package)
