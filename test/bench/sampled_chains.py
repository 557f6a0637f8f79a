"""The locations of perf's samples of a program, with the functions that were inlined there."""
import bisect
import pathlib
import re
import shutil
import subprocess

LOCAL_PART = re.compile(r"\.(constprop|isra|part|cold|lto_priv)\b.*")
MAPPING = re.compile(r"\[0x([0-9a-f]+)\(0x([0-9a-f]+)\) @ (?:0x)?([0-9a-f]+) .*\br-xp (\S+)$")


def plain_symbol(symbol):
    """The symbol without what the compiler adds for parts and clones."""
    return LOCAL_PART.sub("", symbol)


def code_segments(program):
    """(offset in the file, size, address) of each loaded segment."""
    listed = subprocess.run(["readelf", "-lW", program], check=True, capture_output=True, text=True)
    fields = [line.split() for line in listed.stdout.splitlines()]
    return [(int(f[1], 16), int(f[4], 16), int(f[2], 16)) for f in fields if f and f[0] == "LOAD"]


def functions_by_address(program):
    """([address, ...], [symbol, ...])"""
    listed = subprocess.run(["nm", "-n", "--defined-only", program], check=True, capture_output=True, text=True)
    found = [(int(address, 16), plain_symbol(symbol)) for address, kind, symbol in
             map(str.split, listed.stdout.splitlines()) if kind in "tTwW"]
    return [address for address, _ in found], [symbol for _, symbol in found]


def address_counts(program, data, folder):
    """{address in the program's file: samples}"""
    listed = subprocess.run(["perf", "script", "-i", data, "--show-mmap-events", "-F", "ip,dso"], cwd=folder,
                            capture_output=True, text=True)
    segments, mappings, counts = code_segments(program), [], {}
    for line in listed.stdout.splitlines():
        mapped = MAPPING.search(line)
        if mapped and mapped[4] == str(program):
            start, size, offset = (int(number, 16) for number in mapped.groups()[:3])
            mappings.append((start, start + size, offset))
            continue
        fields = line.split()
        if len(fields) != 2 or fields[1] != f"({program})":
            continue
        sampled = int(fields[0], 16)
        offset = next((sampled - start + offset for start, end, offset in mappings if start <= sampled < end),
                      None)
        for first, size, address in segments:
            if offset is not None and first <= offset < first + size:
                found = offset - first + address
                counts[found] = counts.get(found, 0) + 1
    return counts


def sampled_chains(program, arguments, folder, **variables):
    """{(innermost function, ..., the symbol): samples} of a program with debug information in its own
    code, run with these variables; each function was inlined into the next one. None if perf cannot
    be used."""
    if not shutil.which("perf"):
        return None
    data = pathlib.Path(folder) / "perf.data"
    settings = [f"{name}={value}" for name, value in variables.items()]
    subprocess.run(["perf", "record", "-q", "-F", "2000", "-o", data, "env", *settings, program, *arguments],
                   cwd=folder, capture_output=True)
    counts = address_counts(program, data, folder)
    if not counts:
        return None
    asked = "".join(f"{address:#x}\n" for address in counts)
    answer = subprocess.run(["addr2line", "-aife", program], input=asked, check=True, capture_output=True,
                            text=True).stdout.splitlines()
    chains, at = {}, 0
    addresses, symbols = functions_by_address(program)
    for address, samples in counts.items():
        at += 1  # the address; then pairs of lines: function, place
        chain = []
        while at < len(answer) and not answer[at].startswith("0x"):
            chain.append(plain_symbol(answer[at]))
            at += 2
        # Debug information lacks the symbols of some functions that are not inlined.
        chain[-1] = symbols[max(bisect.bisect(addresses, address) - 1, 0)]
        chains[tuple(chain)] = chains.get(tuple(chain), 0) + samples
    return chains
