"""The report page: how large it is, how long it takes to write, and to draw, zoom and search in a browser."""
import os
import pathlib
import resource
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "shared"))

from common import row, row_at_least, skipped  # noqa: E402
from page_profiles import write_profile  # noqa: E402

PATHS = 1_000_000
DRAWN = """new Promise((done) => {
  const look = () => {
    const times = document.documentElement.dataset.times;
    if (times) done(JSON.parse(times).drawn);
    else setTimeout(look, 10);
  };
  look();
})"""
# From an event to the end of the frame after it: the browser has drawn it then. Up to 16 ms of this is the wait for that frame.
FRAME = "requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)))"
SEARCH = f"""new Promise((done) => {{
  const input = document.querySelector("input[type=search]");
  input.value = "kernel_1.7";
  const begin = performance.now();
  input.dispatchEvent(new Event("input", {{ bubbles: true }}));
  {FRAME};
}})"""
ZOOM = f"""new Promise((done) => {{
  const canvas = document.querySelector("[data-canvas=flame]");
  const box = canvas.getBoundingClientRect();
  const at = {{ bubbles: true, clientX: box.x + 0.2 * box.width, clientY: box.y + 80 }};
  const begin = performance.now();
  canvas.dispatchEvent(new MouseEvent("mousedown", at));
  canvas.dispatchEvent(new MouseEvent("mouseup", at));
  {FRAME};
}})"""


def write_page(build, profile, page):
    """Processor time of the command in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([build / "vftrace", "report", "--html", "-o", page, profile], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(build, scratch):
    template = pathlib.Path(__file__).resolve().parents[2] / "share" / "report.html"
    text = template.read_text()
    script = text[text.rindex("<script>") + 8:text.rindex("</script>")]
    rows = [row("page/bundle-kB", len(script.encode()) / 1e3, 150, "kB")]
    profile, page = scratch / "large_all.json", scratch / "large.html"
    write_profile(profile, PATHS, functions=5000)
    spent = min(write_page(build, profile, page) for _ in range(2))
    rows.append(row("page/1e6-paths-MB", page.stat().st_size / 1e6, 12, "MB"))
    rows.append(row_at_least("page/paths-a-minute", PATHS / spent * 60, 2e6, "1/min"))
    ranks, ranks_page = scratch / "ranks_all.json", scratch / "ranks.html"
    write_profile(ranks, 500, 4096, valued_paths=500, scale=1e6)  # some hundred ms per rank
    write_page(build, ranks, ranks_page)
    rows.append(row("page/4096-ranks-500-paths-MB", ranks_page.stat().st_size / 1e6, 15, "MB"))
    os.environ["VFTRACE_TEST_BUILD"] = str(build)
    from page_support import drive  # noqa: PLC0415, which asks for the build at once
    names = ("page/drawn-s", "page/zoom-ms", "page/search-ms")
    turn = [["open", "#view=flame"], ["evaluate", DRAWN], ["evaluate", ZOOM], ["evaluate", SEARCH]]
    try:
        results = drive(page, 3 * turn)
    except unittest.SkipTest as why:
        return rows + [skipped(name, str(why)) for name in names]
    for place, name, scale, goal, unit in ((1, names[0], 1e3, 2, "s"), (2, names[1], 1, 50, "ms"), (3, names[2], 1, 50, "ms")):
        rows.append(row(name, min(results[place::len(turn)]) / scale, goal, unit))
    return rows
