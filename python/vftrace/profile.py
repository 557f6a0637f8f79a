"""One profile: the facts of the run, its tables, and what is made of them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from . import by_rank as ranks
from . import compare as comparison
from . import literal, tool
from .compare import Comparison
from .call_tree import Core
from .document import LARGEST, Document, Source, load
from .errors import NoTable, printable
from .flame_graph import Svg, flame_graph
from .frames import array_of, need_pandas
from .functions import functions_table
from .lists import Lists
from .paths import Paths
from .schema import DERIVED, TABLES
from .table import Table
from .text import run_line

if TYPE_CHECKING:
    import pandas


class Run(Mapping[str, Any]):
    """The facts of a run: the keys of `run` in the file, and the most important ones as attributes."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._run = core.run

    def __getitem__(self, key: str) -> Any:
        return self._run[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._run)

    def __len__(self) -> int:
        return len(self._run)

    def _is(self, key: str, kind: type) -> Any:
        value = self._run.get(key)
        if value is not None and type(value) is not kind:
            self._core.document.fail(f"run: {key} is not of the type that it should be")
        return value

    def _needed(self, key: str, kind: type) -> Any:
        value = self._is(key, kind)
        if value is None:
            self._core.document.fail(f"run does not have {key!r}")
        return value

    @property
    def application(self) -> str:
        return self._needed("application", str)

    @property
    def runtime_ns(self) -> int:
        return self._needed("runtime_ns", int)

    @property
    def runtime_s(self) -> float:
        """From the start to the end of the measurement, of the rank that wrote the file."""
        return self.runtime_ns / 1e9

    @property
    def application_s(self) -> Optional[float]:
        """The estimate of the run time without measuring; None if it is not in the file."""
        ns = self._is("application_ns", int)
        return None if ns is None else ns / 1e9

    @property
    def ranks(self) -> int:
        return ranks.number_of_ranks(self._core)

    @property
    def threads(self) -> int:
        """Those that called something; with MPI, of the rank with the most."""
        return self._needed("threads", int)

    @property
    def ended(self) -> str:
        """What ended the program; "normally", or "still running" for a snapshot."""
        return "still running" if self._is("snapshot", bool) else self._is("ended", str) or "normally"

    @property
    def is_sampled(self) -> bool:
        return self._core.is_sampled

    @property
    def parameters(self) -> Dict[str, float]:
        """The numbers that the program recorded or was started with."""
        table = Lists(self._core.document, Paths(self._core)).table("run.parameters")
        return {} if table is None else dict(zip(table.column("name"), table.column("value")))

    @property
    def options(self) -> Dict[str, Any]:
        """The configuration of vftrace that was in force."""
        config = self._core.document.member("config")
        return config if isinstance(config, dict) else {}

    @property
    def summed_ranks(self) -> int:
        """The number of ranks whose figures are summed in the profile."""
        return len(self._core.document.objects("ranks")) or 1

    def __repr__(self) -> str:
        return f"<vftrace.Run {run_line(self._core)}>"


class Quality(NamedTuple):
    """What the file itself says about how far it can be trusted. Profile.grade() asks the command."""
    ended: str
    is_snapshot: bool
    warnings: Tuple[str, ...]
    notices: Tuple[Dict[str, Any], ...]
    grade: Optional[str]  # good, fair, poor; None until Profile.grade() was called

    def remarks(self, most: int) -> List[str]:
        """Lines for people; none if nothing is known to be wrong."""
        lines = [] if self.ended == "normally" else [f"The profile covers the run only in part: {printable(self.ended, 80)}."]
        lines += [] if self.grade in (None, "good") else [f"Quality of the measurement: {self.grade}."]
        lines += [printable(warning, 400) for warning in self.warnings[:most]]
        left = len(self.warnings) - most
        return lines + ([f"{left:,} more warnings: profile.quality.warnings"] if left > 0 else [])


class Series(NamedTuple):
    """A metric over time, of a process or of a call path of it."""
    rank: int
    metric: str
    unit: str
    path: Optional[str]
    function: Optional[str]
    times_ns: List[int]
    values: List[Optional[float]]
    missed: int


class Profile:
    """A profile that vftrace.read() has returned."""

    def __init__(self, document: Document) -> None:
        self.core = Core(document)
        self._document = document
        self._paths = Paths(self.core)
        self._lists = Lists(document, self._paths)
        self._tables: Dict[str, Table] = {}
        self._grade: Optional[str] = None

    def __reduce__(self) -> Any:
        return Profile, (self._document,)

    @property
    def name(self) -> str:
        """The file that it was read from."""
        return self._document.name

    @property
    def document(self) -> Dict[str, Any]:
        """The whole JSON, with keys that this module does not know. It must not be changed."""
        return self._document.data

    @property
    def generator(self) -> str:
        return str(self.document.get("generator", ""))

    @property
    def run(self) -> Run:
        return Run(self.core)

    @property
    def quality(self) -> Quality:
        warnings = self.run._is("warnings", list) or []
        notices = self._document.objects("run.notices")
        texts = tuple(warning for warning in warnings if isinstance(warning, str))
        return Quality(self.run.ended, self.run.ended == "still running", texts, tuple(notices), self._grade)

    # ---- tables ----

    @property
    def tables(self) -> Tuple[str, ...]:
        """The names of the tables that table() and frame() return: places of lists in the file, and `paths`."""
        return ("paths", "functions", *(name for name in self._lists.names() if name != "functions"))

    def table(self, name: str) -> Table:
        """A table by its name. `paths` and `functions` have names and sums; the others the columns of doc/profile-json.md."""
        if name not in self._tables:
            if name == "paths":
                table: Optional[Table] = self._paths.table()
            elif name == "functions":
                table = functions_table(self._paths, self._lists)
            else:
                table = self._lists.table(name)
            if table is None:
                raise NoTable(self._why_not(name))
            self._tables[name] = table
        return self._tables[name]

    def _why_not(self, name: str) -> str:
        if name in TABLES or name in DERIVED:
            return f"{printable(self.name, 400)} does not have the table {name}: the run had nothing for it, or did not record it"
        return (f"there is no table {name!r}; {printable(self.name, 400)} has: {', '.join(self.tables)}. "
                f"Tables that only the command computes: profile.report({name!r})")

    def frame(self, name: str = "paths", seconds: bool = False) -> "pandas.DataFrame":
        """A table as DataFrame; with `seconds`, columns `x_s` in place of `x_ns`."""
        need_pandas()
        return self.table(name).frame(seconds)

    @property
    def paths(self) -> "pandas.DataFrame":
        """The call paths."""
        return self.frame("paths")

    @property
    def functions(self) -> "pandas.DataFrame":
        """Sums over the call paths of each function."""
        return self.frame("functions")

    @property
    def series(self) -> List[Series]:
        """Metrics over time; empty if the profile does not have any."""
        if not self._document.objects("series"):
            return []
        table = self.table("series")
        names = ("rank", "metric.name", "metric.unit", "node.path", "node.function", "missed")
        points = self._lists.pairs("series", "time_ns", "values")
        return [Series(rank, metric, unit, path, function, [at for at, _ in pairs], [value for _, value in pairs], missed)
                for rank, metric, unit, path, function, missed, pairs in zip(*(table.column(name) for name in names), points)]

    def by_rank(self, figure: str = "exclusive_ns") -> Any:
        """A number for each call path and rank: an array of numpy with NaN for what is not known, or, without numpy, a list of
        lists with None. `figure` is "calls", "exclusive_ns" or "exclusive_s". Rows are in the order of the table `paths`."""
        wanted = "exclusive_ns" if figure == "exclusive_s" else figure
        if wanted not in ranks.FIGURES:
            raise NoTable(f"there are no values by rank of {figure!r}, only of calls, exclusive_ns and exclusive_s; metrics of "
                          "processes are in the table rank_metrics")
        rows = ranks.by_rank(self.core, wanted)
        if figure == "exclusive_s":
            rows = [[None if value is None else value / 1e9 for value in row] for row in rows]
        return array_of(rows, self.run.ranks)

    def by_rank_frame(self, figure: str = "exclusive_ns") -> "pandas.DataFrame":
        """The same as DataFrame, with a row for each path that has values: index `path`, columns `function` and the ranks."""
        pandas = need_pandas("by_rank() returns the same values")
        values = pandas.DataFrame(self.by_rank(figure), index=pandas.Index(self._paths.ids, name="path"))
        values.insert(0, "function", self._paths.functions())
        return values[values.drop(columns="function").notna().any(axis=1)]

    # ---- what only the command computes ----

    def report(self, table: str, *options: str, command: Optional[str] = None, timeout: float = 120) -> Table:
        """A table that `vftrace report --table` prints (doc/tables.md), such as "lines", with further options of that command.
        If it prints several, the first one; reports() returns all."""
        tables = self.reports(table, *options, command=command, timeout=timeout)
        if not tables:
            raise NoTable(f"the command does not print a table {table!r} for {printable(self.name, 400)}")
        return tables[0]

    def reports(self, table: str, *options: str, command: Optional[str] = None, timeout: float = 120) -> List[Table]:
        return tool.report(self._document, table, options, command, timeout)

    def findings(self, command: Optional[str] = None, timeout: float = 120) -> Table:
        """What seems to be wrong with the run, and what to do (doc/findings.md)."""
        return self.report("findings", command=command, timeout=timeout)

    def grade(self, command: Optional[str] = None, timeout: float = 120) -> str:
        """The quality of the measurement: good, fair or poor; report("quality") has the reasons."""
        if self._grade is None:
            self._grade = tool.grade(self._document, command, timeout)
        return self._grade

    # ---- what is made of it ----

    def compare(self, other: "Profile", by: str = "function", min_time: float = 0.0, threshold: Optional[float] = None,
                threshold_seconds: float = 0.001) -> Comparison:
        """What differs in another run, by "function" or by "path", as `vftrace diff` compares them.

        Rows with less exclusive time than `min_time` seconds in both are left out. With a `threshold` in per cent, the column
        `slower` says which rows have grown by more than that and by `threshold_seconds`."""
        sides = (self._side(), other._side())
        return comparison.compare(self._paths, other._paths, sides, by, min_time, threshold, threshold_seconds)

    def _side(self) -> comparison.Side:
        run = self.run
        return comparison.Side(self.name, run.application, run.runtime_ns, run.summed_ranks, run.threads, run.parameters)

    def to_literal(self) -> List[Dict[str, Any]]:
        """The tree of call paths in the literal format of Hatchet: times in seconds."""
        return literal.to_literal(self._paths)

    def to_hatchet(self) -> Any:
        """A GraphFrame of Hatchet."""
        return literal.to_hatchet(self._paths)

    def flame_graph(self, width: int = 960, by: str = "time", boxes: int = 800, levels: int = 60) -> Svg:
        """A picture of the call paths as SVG, a text that Jupyter shows as a picture. The width of a box is what the path and all
        below it have of `by`: "time", "calls" or "samples". At most `boxes` are drawn; the last line says what is not."""
        return flame_graph(self._paths, width, by, boxes, levels)

    def __repr__(self) -> str:
        return f"<vftrace.Profile {printable(self.name, 100)}: {run_line(self.core)}; {self.core.count} call paths>"

    def _repr_html_(self) -> str:
        from .html import profile_html
        return profile_html(self)


def read(source: Source, largest: int = LARGEST) -> Profile:
    """Reads a profile, the `*_all.json` of a run, also compressed by gzip: by its name, or from a file that is open for bytes.

    Raises ProfileError if it is not a profile of the version that this module reads, OSError if the file cannot be read.
    Files of more than `largest` bytes are refused."""
    return Profile(load(source, largest))
