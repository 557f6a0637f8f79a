"""The profile in the literal format of Hatchet (https://hatchet.readthedocs.io), a list with one tree of dictionaries, as
`vftrace export --format hatchet` writes it. Calls that are not known are left out."""
from __future__ import annotations

from typing import Any, Dict, List, Sequence

from . import call_tree as states
from .checked import column
from .errors import MissingPackage
from .paths import Paths
from .schema import TABLES


def totals_of(paths: Paths, values: Sequence[int]) -> List[int]:
    """The sum of each path and all below it; pauses are left out."""
    core = paths.core
    totals = [0 if state & states.PAUSED else value for value, state in zip(values, core.states)]
    for node in range(core.count - 1, 0, -1):
        totals[core.parents[node]] += totals[node]
    return totals


def to_literal(paths: Paths) -> List[Dict[str, Any]]:
    core = paths.core
    if not core.count:
        return []
    own = [max(0, ns) for ns in core.exclusive_ns]
    totals = totals_of(paths, own)
    frames = _frames(paths)
    more: List[Dict[str, Any]] = [{} for _ in range(core.count)]
    if any("metrics" in node for node in core.nodes):
        names = column(core.document, "metrics", core.document.objects("metrics"), TABLES["metrics"][0])
        for node, metric, value in paths.metric_values():
            if value is not None:
                more[node][names[metric]] = value
    extra = {
        "bytes sent": "messages.sent.bytes", "bytes received": "messages.received.bytes",
        "time (min)": "ranks.min_ns", "time (max)": "ranks.max_ns",
    }
    for key, name in extra.items():
        if any(name.partition(".")[0] in node for node in core.nodes):
            for node, value in enumerate(paths.of_schema(name)):
                if name.startswith("messages") and "messages" in core.nodes[node]:
                    more[node][key] = value or 0
                elif value is not None:
                    more[node][key] = value / 1e9
    made: List[Dict[str, Any]] = []
    for node in range(core.count):
        metrics: Dict[str, Any] = {"time": own[node] / 1e9, "time (inc)": totals[node] / 1e9}
        if not core.states[node] & states.CALLS_UNKNOWN:
            metrics["calls"] = core.calls[node]
        made.append({"frame": dict(frames[core.function_of[node]]), "metrics": {**metrics, **more[node]}, "children": []})
        if node and not core.states[node] & states.PAUSED:
            made[core.parents[node]]["children"].append(made[node])
    return made[:1]


def _frames(paths: Paths) -> List[Dict[str, Any]]:
    document, functions = paths.core.document, paths.core.functions
    described = {entry.name: entry for entry in TABLES["functions"]}
    files, lines, modules = (column(document, "functions", functions, described[name]) for name in ("file", "line", "module"))
    of_modules = column(document, "modules", document.objects("modules"), TABLES["modules"][0])
    frames = []
    for name, kind, file, line, module in zip(paths.core.displays, paths.core.kinds, files, lines, modules):
        frame: Dict[str, Any] = {"name": name, "type": kind}
        if file is not None:
            frame.update(file=file, line=line or 0)
        if module is not None:
            if not 0 <= module < len(of_modules):
                document.fail("functions: module is not the position of an element")
            frame["module"] = of_modules[module]
        frames.append(frame)
    return frames


def to_hatchet(paths: Paths) -> Any:
    try:
        import hatchet
    except ImportError:
        raise MissingPackage("hatchet", "to_literal() returns the same tree as dictionaries") from None
    return hatchet.GraphFrame.from_literal(to_literal(paths))
