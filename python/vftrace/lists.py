"""The lists of a profile as tables: the columns of the schema, the names that positions stand for, and keys that the schema does
not have. Lists inside elements become tables of their own."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .by_rank import rank_values
from .checked import check_positions, check_type, column, member_of, numbers_of, other_keys
from .document import Document
from .paths import Paths, pairs_of
from .schema import REQUIRED, TABLES, Column
from .table import Make, Table, table_of_rows

Row = Dict[str, Any]


class Lists:
    def __init__(self, document: Document, paths: Paths) -> None:
        self.document = document
        self.paths = paths
        self._derived: Dict[str, Tuple[str, Callable[[], List[Row]], Tuple[str, ...]]] = {
            "threads.nodes": ("threads", self._thread_nodes, ("rank", "number", "node", "path", "function", "calls",
                                                              "inclusive_ns", "exclusive_ns")),
            "threads.metrics": ("threads", self._thread_metrics, ("rank", "number", "metric", "unit", "value")),
            "nodes.metrics": ("nodes", self._node_metrics, ("node", "path", "function", "metric", "unit", "value")),
            "series.points": ("series", self._series_points, ("rank", "metric", "unit", "node", "path", "function", "time_ns",
                                                               "value")),
            "latencies.bins": ("latencies", self._bins, ("node", "path", "function", "bin", "begin_ns", "end_ns", "calls")),
            "addresses.samples": ("addresses", self._addresses, ("node", "path", "function", "module", "address", "samples")),
            "efficiencies.figures": ("efficiencies", self._figures, ("function", "name", "value", "depth", "bound", "remark")),
            "rank_values.ranks": ("rank_values", self._rank_values, ("node", "path", "function", "rank", "calls",
                                                                     "exclusive_ns")),
        }

    def names(self) -> List[str]:
        """The tables that the profile has."""
        there = [place for place in TABLES if self.document.objects(place)]
        derived = [place for place, (of, _, _) in self._derived.items() if of in there and self._has(place)]
        return there + derived

    def _has(self, place: str) -> bool:
        outer, _, inner = place.partition(".")
        return inner not in ("metrics", "nodes") or any(row.get(inner) for row in self.document.objects(outer))

    def table(self, place: str) -> Optional[Table]:
        """None if the profile does not have it."""
        if place in self._derived:
            of, make, columns = self._derived[place]
            return table_of_rows(place, make(), columns) if self.document.objects(of) and self._has(place) else None
        if place not in TABLES or not self.document.objects(place):
            return None
        rows = self.document.objects(place)
        makers: Dict[str, Make] = {}
        for described in TABLES[place]:
            makers[described.name] = self._maker(place, rows, described)
            if described.refers is not None:
                makers.update(self._names_for(place, rows, described))
        for key in other_keys(rows, makers):
            makers.setdefault(key, lambda key=key: member_of(rows, key, None))  # type: ignore[misc]
        return Table(place, len(rows), makers)

    def _maker(self, place: str, rows: List[Row], described: Column) -> Make:
        return lambda: self.column(place, rows, described)

    def column(self, place: str, rows: List[Row], described: Column) -> List[Any]:
        values = column(self.document, place, rows, described)
        if described.refers is not None:
            check_positions(self.document, place, described.name, values, len(self.document.objects(described.refers)))
        return values

    def _names_for(self, place: str, rows: List[Row], described: Column) -> Dict[str, Make]:
        """The columns with the names of what a position stands for."""
        def looked_up(names: Callable[[], Sequence[Any]]) -> Make:
            def make() -> List[Any]:
                known = names()
                return [None if at is None else known[at] for at in self.column(place, rows, described)]
            return make

        def of(list_name: str, key: str) -> Callable[[], Sequence[Any]]:
            wanted = next(entry for entry in TABLES[list_name] if entry.name == key)
            return lambda: column(self.document, list_name, self.document.objects(list_name), wanted)

        name = described.name
        if described.refers == "nodes":
            return {name + ".path": looked_up(lambda: self.paths.ids), name + ".function": looked_up(self.paths.functions)}
        if described.refers == "functions":
            return {name + ".name": looked_up(of("functions", "display"))}
        if described.refers == "metrics":
            return {name + ".name": looked_up(of("metrics", "name")), name + ".unit": looked_up(of("metrics", "unit"))}
        return {name + ".path": looked_up(of("modules", "path"))}

    # ---- lists inside elements ----

    def columns(self, place: str, *names: str) -> List[List[Any]]:
        """Columns of the schema."""
        rows = self.document.objects(place)
        described = {entry.name: entry for entry in TABLES[place]}
        return [self.column(place, rows, described[name]) for name in names]

    def _path(self, node: Optional[int]) -> Row:
        if node is None:
            return {"node": None, "path": None, "function": None}
        if not 0 <= node < self.paths.core.count:
            self.document.fail("node is not the position of an element of nodes")
        return {"node": node, "path": self.paths.ids[node], "function": self.paths.function(node)}

    def _metrics(self) -> List[Row]:
        return [{"metric": name, "unit": unit} for name, unit in zip(*self.columns("metrics", "name", "unit"))]

    def _node_metrics(self) -> List[Row]:
        metrics = self._metrics()
        return [{**self._path(node), **metrics[metric], "value": value} for node, metric, value in self.paths.metric_values()]

    def _thread_metrics(self) -> List[Row]:
        ranks, numbers, lists = self.columns("threads", "rank", "number", "metrics")
        metrics = self._metrics()
        values = pairs_of(self.document, "threads.metrics", lists, 2)
        check_positions(self.document, "threads.metrics", "metric", [row[1] for row in values], len(metrics))
        return [{"rank": ranks[i], "number": numbers[i], **metrics[metric], "value": value} for i, metric, value in values]

    def _thread_nodes(self) -> List[Row]:
        ranks, numbers, lists = self.columns("threads", "rank", "number", "nodes")
        return [{"rank": ranks[i], "number": numbers[i], **self._path(node), "calls": calls, "inclusive_ns": inclusive,
                 "exclusive_ns": exclusive}
                for i, node, calls, inclusive, exclusive in pairs_of(self.document, "threads.nodes", lists, 4)]

    def pairs(self, place: str, first: str, second: str) -> List[List[Tuple[Any, Any]]]:
        """For each element, two of its lists of numbers, which have the same length, as one list of pairs."""
        result = []
        for a, b in zip(*self.columns(place, first, second)):
            a, b = numbers_of(self.document, f"{place}.{first}", a), numbers_of(self.document, f"{place}.{second}", b)
            if len(a) != len(b):
                self.document.fail(f"{place}: {first} and {second} do not have the same length in an element")
            check_type(self.document, place, first, "whole", a, REQUIRED)
            result.append(list(zip(a, b)))
        return result

    def _series_points(self) -> List[Row]:
        metrics, rows = self._metrics(), []
        columns = self.columns("series", "rank", "metric", "node")
        for rank, metric, node, points in zip(*columns, self.pairs("series", "time_ns", "values")):
            start = {"rank": rank, **metrics[metric], **self._path(node)}
            rows += [{**start, "time_ns": at, "value": value} for at, value in points]
        return rows

    def _bins(self) -> List[Row]:
        rows = []
        for node, bins in zip(self.columns("latencies", "node")[0], self.pairs("latencies", "bins", "counts")):
            start = self._path(node)
            rows += [{**start, "bin": at, "begin_ns": self._begin_of(at), "end_ns": self._begin_of(at + 1), "calls": calls}
                     for at, calls in bins]
        return rows

    def _begin_of(self, at: int) -> float:
        if not 0 <= at < 256:
            self.document.fail("latencies: bins has an element that is not the number of a bin")
        return (4 + at % 4) * 2.0 ** (at // 4 - 2)

    def _addresses(self) -> List[Row]:
        rows = []
        nodes, modules = self.columns("addresses", "node", "module")
        paths, = self.columns("modules", "path")
        for node, module, samples in zip(nodes, modules, self.pairs("addresses", "offsets", "samples")):
            start = {**self._path(node), "module": None if module is None else paths[module]}
            address = 0
            for distance, count in samples:
                address += distance
                rows.append({**start, "address": f"{address:x}", "samples": count})
        return rows

    def _figures(self) -> List[Row]:
        rows = []
        for function, figures, remark in zip(*self.columns("efficiencies", "function", "figures", "remark")):
            name = None if function is None else self.paths.core.displays[function]
            for figure in figures:
                if type(figure) is not dict:
                    self.document.fail("efficiencies: figures has an element that is not an object")
                rows.append({"function": name, **{key: figure.get(key) for key in ("name", "value", "depth", "bound")},
                             "remark": remark})
        return rows

    def _rank_values(self) -> List[Row]:
        nodes = self.columns("rank_values", "node")[0]
        columns = (rank_values(self.paths.core, figure) for figure in ("calls", "exclusive_ns"))
        return [{**self._path(node), "rank": rank, "calls": calls, "exclusive_ns": exclusive}
                for node, of_calls, of_time in zip(nodes, *columns) if of_calls is not None and of_time is not None
                for rank, (calls, exclusive) in enumerate(zip(of_calls, of_time))]
