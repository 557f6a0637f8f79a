"""How test_page.py and bench_page.py use node and its packages, and read a page."""
import base64
import fcntl
import hashlib
import json
import re
import shutil
import struct
import subprocess
import unittest
import zlib

from support import BUILD, HERE, SOURCE, need, scratch_folder

VIEWER = SOURCE / "viewer"
TEMPLATE = SOURCE / "share" / "report.html"
DRIVE = HERE / "page" / "drive.mjs"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def node_modules():
    """The folder of the packages that viewer/package-lock.json names, installed once. Skips the
    test if there is no node or no network."""
    need("node")
    need("npm")
    lock = (VIEWER / "package-lock.json").read_bytes()
    folder = BUILD / "viewer" / hashlib.sha1(lock).hexdigest()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done, failed = folder / "done", folder / "failed"
        if not done.exists() and not failed.exists():
            for name in ("package.json", "package-lock.json", ".npmrc"):
                shutil.copy(VIEWER / name, folder)
            result = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=folder, capture_output=True, text=True, timeout=300)
            (done if result.returncode == 0 else failed).write_text(result.stderr)
    if failed.exists():
        why = failed.read_text().strip().splitlines() or ["npm ci failed"]
        failed.unlink()  # the next run may have a network
        raise unittest.SkipTest(f"the packages of viewer/ cannot be installed: {why[0]}")
    return folder / "node_modules"


def browser():
    for name in BROWSERS:
        if shutil.which(name):
            return shutil.which(name)
    raise unittest.SkipTest("chromium is not installed")


def drive(page, steps, **options):
    """A browser's results for the steps of page/drive.mjs; fails on errors or network requests."""
    file = scratch_folder() / "steps.json"
    file.write_text(json.dumps({"page": str(page), "options": options, "steps": steps}))
    result = subprocess.run(["node", DRIVE, node_modules(), browser(), file], capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    answer = json.loads(result.stdout)
    if answer["errors"] or answer["requests"]:
        raise AssertionError(f"{answer['errors']} {answer['requests']}")
    return answer["results"]


class Page:
    """A page, read according to the description of its layout, without the viewer's code."""

    def __init__(self, text):
        self.text = text
        self.blocks = [Block(zlib.decompress(base64.b64decode(data, validate=True)))
                       for data in re.findall(r'<script type="application/octet-stream" id="vftrace-data-\d+">([^<]*)</script>', text)]

    def of_kind(self, kind):
        return [block for block in self.blocks if block.head["kind"] == kind]


class Block:
    def __init__(self, data):
        length, = struct.unpack_from("<I", data)
        self.head = json.loads(data[4:4 + length])
        self.columns = {}
        at = 4 + length
        for name, column, encoding, rows, size in self.head["columns"]:
            self.columns[name, column] = read_column(data[at:at + size], encoding, rows)
            at += size
        if at != len(data):
            raise AssertionError(f"{len(data) - at} bytes follow the columns")

    def list(self, name):
        """The rows of a list as dictionaries."""
        columns = {column: values for (of, column), values in self.columns.items() if of == name}
        return [dict(zip(columns, values)) for values in zip(*columns.values(), strict=True)]


def read_varints(data, count):
    values, at = [], 0
    for _ in range(count):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                break
        values.append(value)
    return values, at


def read_column(data, encoding, rows):
    if encoding == "z":
        return [0] * rows
    if encoding == "f":
        return list(struct.unpack(f"<{rows}d", data))
    if encoding == "s" and not data:
        return [""] * rows
    values, at = read_varints(data, rows)
    if encoding == "s":
        texts = []
        for length in values:
            texts.append(data[at:at + length].decode(errors="replace"))
            at += length
        return texts
    if encoding == "u":
        return values
    values = [-(value + 1) // 2 if value % 2 else value // 2 for value in values]
    if encoding == "d":
        for i in range(1, rows):
            values[i] += values[i - 1]
    return values
