"""Profiles of vftrace in Python: tables, values by rank, comparisons and flame graphs for notebooks and scripts.

    import vftrace
    profile = vftrace.read("heat_all.json")
    profile                                 # a table and a flame graph in Jupyter
    profile.paths                           # the call paths as a DataFrame of pandas
    profile.table("paths")                  # the same without pandas
    profile.compare(vftrace.read("other_all.json"))
    vftrace.read_many(glob.glob("runs/*_all.json")).frame()

doc/python-module.md has examples and says what the columns mean.
"""
from .compare import Comparison, Side
from .errors import MissingPackage, NoTable, ProfileError, ToolError
from .filtered import FilteredInOne
from .flame_graph import Svg
from .many import read_many
from .profile import Profile, Quality, Run, Series, read
from .runs import Problem, Runs
from .table import Table

__all__ = ["Comparison", "FilteredInOne", "MissingPackage", "NoTable", "Problem", "Profile", "ProfileError", "Quality", "Run",
           "Runs", "Series", "Side", "Svg", "Table", "ToolError", "read", "read_many"]
