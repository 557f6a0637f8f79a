"""A flame graph as SVG: no scripts, and everything that comes from the profile is escaped, because names may be hostile."""
from __future__ import annotations

import zlib
from html import escape
from typing import Callable, Dict, List, Sequence, Tuple

from . import call_tree as states
from .errors import printable
from .literal import totals_of
from .paths import Paths, calls_are
from .text import calls_text, time_text

_HEIGHT = 17  # of a level, pixels
_LETTER = 6.6  # width of a letter of the font
_NARROWEST = 0.5  # pixels of a box that is drawn
_BORDER = 8
_HUES = {"mpi": (205, 30), "openmp": (130, 30), "gpu": (280, 30), "region": (175, 20), "section": (175, 20), "task": (320, 20)}
_USUAL_HUES = (12, 44)  # from red to yellow


class Svg(str):
    """The text of a picture, which Jupyter shows as one."""

    def _repr_svg_(self) -> str:
        return str(self)


def colour_of(name: str, kind: str) -> str:
    """The same for a function in every profile."""
    number = zlib.crc32(name.encode("utf-8", "replace"))
    first, span = _HUES.get(kind, _USUAL_HUES)
    return f"hsl({first + number % span},{60 + number // 64 % 25}%,{62 + number // 4096 % 14}%)"


class Graph:
    def __init__(self, paths: Paths, by: str) -> None:
        core = paths.core
        known: Dict[str, Tuple[Sequence[int], Callable[[float], str]]] = {
            "time": (core.exclusive_ns, time_text),
            "calls": (core.calls, lambda calls: f"{calls:,.0f} calls"),
            "samples": (core.samples, lambda samples: f"{samples:,.0f} samples"),
        }
        if by not in known:
            raise ValueError(f"by must be one of {', '.join(known)}, not {by!r}")
        values, self.amount = known[by]
        self.paths = paths
        self.own = [max(0, value) for value in values]
        self.totals = totals_of(paths, self.own)
        self.whole = self.totals[0] if core.count else 0

    def boxes(self, width: float, most: int, levels: int) -> List[Tuple[int, float, float]]:
        """(node, x, width) of the boxes that are drawn: wide enough, not too deep, and no more than `most`, the largest."""
        core = self.paths.core
        if not self.whole:
            return []
        scale = width / self.whole
        chosen = [node for node, total in enumerate(self.totals)
                  if total * scale >= _NARROWEST and self.paths.depths[node] < levels and not core.states[node] & states.PAUSED]
        if len(chosen) > most:  # a path is never larger than its caller, which comes before it
            chosen = sorted(sorted(chosen, key=lambda node: -self.totals[node])[:most])
        children: Dict[int, List[int]] = {}
        for node in chosen:
            children.setdefault(core.parents[node], []).append(node)
        left = {-1: 0.0}
        boxes = []
        for parent in [-1, *chosen]:
            x = left[parent]
            for node in sorted(children.get(parent, ()), key=lambda node: (self.paths.function(node), node)):
                left[node] = x
                boxes.append((node, x, self.totals[node] * scale))
                x += self.totals[node] * scale
        return boxes

    def left_out(self, drawn: List[int]) -> str:
        """What the boxes do not show."""
        kept = set(drawn)
        missing = [node for node, total in enumerate(self.totals)
                   if total > 0 and node not in kept and not self.paths.core.states[node] & states.PAUSED]
        if not missing:
            return ""
        percent = 100 * sum(self.own[node] for node in missing) / self.whole
        share = f"{percent:.2g} %" if percent < 10 else f"{percent:.0f} %"
        return f"1 call path is not drawn ({share})" if len(missing) == 1 else \
            f"{len(missing):,} call paths are not drawn (together {share})"

    def tooltip(self, node: int) -> str:
        core = self.paths.core
        state = core.states[node]
        calls = calls_text(None if state & states.CALLS_UNKNOWN else core.calls[node], calls_are(state))
        total, own = self.totals[node], self.own[node]
        return "\n".join([printable(self.paths.function(node), 400),
                          f"total {self.amount(total)}, {100 * total / self.whole:.1f} %; own {self.amount(own)}",
                          f"calls: {calls}" if calls else "calls: not known"])


def flame_graph(paths: Paths, width: int = 960, by: str = "time", boxes: int = 800, levels: int = 60) -> Svg:
    if not 100 <= width <= 20000:
        raise ValueError("width must be from 100 to 20000")
    graph = Graph(paths, by)
    inner = width - 2 * _BORDER
    drawn = graph.boxes(inner, boxes, levels)
    depth = max((paths.depths[node] for node, _, _ in drawn), default=0) + 1
    notes = [note for note in (graph.left_out([node for node, _, _ in drawn]), _unknown_calls(paths, by)) if note]
    note = "; ".join(notes) if graph.whole else f"the profile does not have {by}"
    height = depth * _HEIGHT + 2 * _BORDER + (_HEIGHT if note else 0)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
           f'font-family="ui-monospace,Menlo,Consolas,monospace" font-size="11"><title>Flame graph of '
           f'{escape(printable(paths.core.run.get("application", ""), 80))}, by {by}</title>'
           f'<rect width="{width}" height="{height}" fill="#fff"/>']
    top = _BORDER + (depth - 1) * _HEIGHT
    for node, x, box in drawn:
        out.append(_box(graph, node, _BORDER + x, top - paths.depths[node] * _HEIGHT, box))
    if note:
        out.append(f'<text x="{_BORDER}" y="{height - _BORDER}" fill="#555">{escape(note)}</text>')
    out.append("</svg>")
    return Svg("\n".join(out))


def _box(graph: Graph, node: int, x: float, y: float, width: float) -> str:
    core = graph.paths.core
    name = printable(graph.paths.function(node), 400)
    colour = colour_of(graph.paths.function(node), core.kinds[core.function_of[node]])
    letters = int((width - 6) / _LETTER)
    text = ""
    if letters >= 3:
        label = name if len(name) <= letters else name[:letters - 1] + "\u2026"
        text = f'<text x="{x + 3:.1f}" y="{y + 12}">{escape(label)}</text>'
    return (f'<g><title>{escape(graph.tooltip(node))}</title><rect x="{x:.2f}" y="{y}" width="{max(width - 0.4, 0.3):.2f}" '
            f'height="{_HEIGHT - 1}" fill="{colour}" rx="1"/>{text}</g>')


def _unknown_calls(paths: Paths, by: str) -> str:
    if by != "calls":
        return ""
    unknown = sum(1 for state in paths.core.states if state & states.CALLS_UNKNOWN)
    return f"the calls of {unknown:,} call paths are not known" if unknown else ""
