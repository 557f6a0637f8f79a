"""Reads the export `perfgraph` and checks what MOOSE's reader of its PerfGraphReporter relies on."""
import json

KEYS_OF_SECTION = {"level": int, "num_calls": int, "time": float}


def check_section(name, section):
    assert isinstance(name, str) and name
    for key, kind in KEYS_OF_SECTION.items():
        assert isinstance(section[key], (kind, int)), (name, key, section[key])
    unknown = set(section) - set(KEYS_OF_SECTION) - {"children"}
    assert not unknown, (name, unknown)
    if "children" in section:
        assert section["children"], f"{name} has the key `children`, but no children"
        for child, of_child in section["children"].items():
            check_section(child, of_child)


def read_perfgraph(text):
    """The value of the only reporter in the only time step: graph, memory, version."""
    file = json.loads(text)
    reporters = [name for name, reporter in file["reporters"].items() if reporter["type"] == "PerfGraphReporter"]
    assert len(reporters) == 1, file["reporters"]
    assert list(file["reporters"][reporters[0]]["values"]) == ["graph"]
    step, = file["time_steps"]
    assert isinstance(step["time"], (int, float)) and isinstance(step["time_step"], int)
    found = step[reporters[0]]["graph"]
    assert set(found) == {"graph", "max_memory_this_rank", "max_memory_per_rank", "version"}, set(found)
    assert found["version"] == 1
    assert type(found["max_memory_this_rank"]) is int
    assert all(type(memory) is int for memory in found["max_memory_per_rank"])
    assert len(found["graph"]) == 1, "there is more than one root"
    for name, section in found["graph"].items():
        check_section(name, section)
    return found
