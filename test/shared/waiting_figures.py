"""The metrics of the source `waiting` in a profile."""


def names_of_metrics(profile):
    return [metric["name"].removeprefix("waiting.") for metric in profile["metrics"]]


def sums_by_function(profile):
    """{function: {metric: sum}}, of the function and what it calls."""
    names, nodes, found = names_of_metrics(profile), {node["id"]: node for node in profile["nodes"]}, {}
    for node in profile["nodes"]:
        functions, at = set(), node
        while at:
            functions.add(profile["functions"][at["function"]]["name"])
            at = nodes.get(at["parent"])
        for function in functions:
            sums = found.setdefault(function, {})
            for metric, value in node.get("metrics", []):
                sums[names[metric]] = sums.get(names[metric], 0) + value
    return found


def states_of_threads(profile):
    """[{metric: value}] of all threads that were watched."""
    names = names_of_metrics(profile)
    threads = [{names[metric]: value for metric, value in thread.get("metrics", [])} for thread in profile["threads"]]
    return [states for states in threads if states.get("watched", 0) > 0]


def sum_of(sums, prefix):
    """Of all kinds of waits: prefix "time." or "waits."."""
    return sum(value for name, value in sums.items() if name.startswith(prefix))
