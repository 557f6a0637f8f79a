"""Runs the examples of a page in doc/: their commands, and compares what they print with the page.

Commands are the lines of blocks that begin with "$ ", or, in a page without these, indented blocks. What follows them in the block, or the
next block without a language, is the output of the last one. `...` stands for anything. Figures differ from run to
run, so they are masked, as are the words for how certain something is, which depend on the load of the machine."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import time

from support import BUILD, SOURCE, clean_environment

RULE = re.compile(r"^[+\-| ]*$")
MASKS = tuple((re.compile(pattern), masked) for pattern, masked in (
    (r"\x1b\[[0-9;]*m", ""),
    (r"\|[#Mo.]+\|", "|bar|"),
    (r"\b[0-9a-f]{16}\b", "#"),
    (r"on node \S+", "on node #"),
    (r"\bfor at least\b", "for"),
    (r", waiting for processors [\d.]+ %", ""),
    (r"\b(certain|likely|possible|good|fair|poor)\b", "#"),
    (r"[-+~]?(>=)?\b\d[\d,]*(\.\d+)?(e[-+]?\d+)?\b", "#"),
    (r"# (ns|us|ms|s)\b", "# s"),
    (r"# ([KMGT]i)?B\b", "# B"),
    (r"\s+", " ")))


def masked(text):
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    return text.strip()


def blocks_of(page):
    """(kind, lines) of the blocks of a page: "indented", or "fenced" with its language behind a blank."""
    blocks = []
    kind = ""
    for line in page.read_text().splitlines():
        if line.startswith("```"):
            kind = "" if kind else f"fenced {line[3:]}"
            blocks += [(kind, [])] if kind else []
        elif kind:
            blocks[-1][1].append(line)
        elif line.startswith("    "):
            if not blocks or blocks[-1][0] != "indented":
                blocks.append(("indented", []))
            blocks[-1][1].append(line[4:])
        elif line:
            blocks.append(("text", []))
    return [block for block in blocks if block[0] != "text"]


def examples_of(page):
    """[[command, the output that the page shows]] of a page, in its order."""
    blocks = blocks_of(page)
    has_prompts = any(line.startswith("$ ") for _, lines in blocks for line in lines)
    examples = []
    may_follow = False  # a block without a language that follows shows output of the last command
    for kind, lines in blocks:
        if any(line.startswith("$ ") for line in lines):
            for line in lines:
                if line.startswith("$ "):
                    examples.append([line[2:], ""])
                else:
                    examples[-1][1] += line + "\n"
        elif kind == "indented" and not has_prompts:
            examples += [[line, ""] for line in lines]
            may_follow = True
        elif kind == "fenced " and may_follow:
            examples[-1][1] += "\n".join(["", *lines, ""])
        else:
            may_follow = False
    return examples


def pieces_of(output):
    """What must be found: each row of a table, and each paragraph of other text, masked."""
    paragraph, pieces = [], []
    for line in [*output.splitlines(), ""]:
        is_row = line.startswith("|") or re.match(r" +[\d.]+ %  |\(.*rows? ?.*\)$", line)
        if is_row or RULE.match(line) or line.strip() == "...":
            pieces += [" ".join(paragraph)] if paragraph else []
            paragraph = []
            pieces += [line] if is_row else []
        else:
            paragraph.append(line)
    return [masked(piece) for piece in pieces]


def end_session(leader):
    """Ends what a shell has left behind: politely, so that launchers end their ranks, and then for certain."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        members = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if os.getsid(int(folder.name)) == leader and "zombie" not in (folder / "status").read_text():
                    members.append(int(folder.name))
        for member in members:
            with contextlib.suppress(OSError):
                os.kill(member, number)
        if members and number == signal.SIGTERM:
            time.sleep(1)


def run_examples(commands, folder, timeout=300, **variables):
    """[(status, output with stderr)] of commands that one shell executes. Processes that they leave are ended."""
    marker = "=== end of example"
    script = "".join(f"{command}\necho '{marker}' $?\n" for command in commands)
    environment = clean_environment(
        OMPI_ALLOW_RUN_AS_ROOT=1, OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, OMPI_MCA_rmaps_base_oversubscribe=1,
        PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe", CPATH=SOURCE / "include", **variables)
    environment["PATH"] = f"{BUILD}/scripts:{BUILD}:" + environment.get("PATH", os.environ["PATH"])
    log = folder / "output"
    with log.open("w") as output:
        shell = subprocess.Popen(["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=output, start_new_session=True)
        try:
            shell.wait(timeout=timeout)
        finally:
            end_session(shell.pid)
            shell.wait()
    parts = re.split(rf"^{marker} (\d+)\n", log.read_text(errors="replace"), flags=re.M)
    return [(int(status), output) for output, status in zip(parts[::2], parts[1::2])]


def missing_pieces(shown, output):
    """The pieces of what a page shows that are not in the output of the command. In an empty last cell of a row
    there may be a hint."""
    found = masked(output)

    def pattern(piece):
        text = re.escape(piece).replace(r"\.\.\.", ".*?")
        return re.sub(r"\\\|\\ \\\|$", r"\\|[^|\\n]*\\|", text)
    return [piece for piece in pieces_of(shown) if not re.search(pattern(piece), found)]


def is_busy(report):
    """Whether a report says that threads waited for processors: then the measurement supports fewer findings."""
    return re.search(r"^  - Waiting\b", report, re.M) is not None
