"""The metrics of the source `heap` in a profile."""


def names_of_metrics(profile):
    return [metric["name"] for metric in profile["metrics"]]


def heap_of(profile):
    """{function: {metric: value}}, summed over the function's paths."""
    names, found = names_of_metrics(profile), {}
    for node in profile["nodes"]:
        values = found.setdefault(profile["functions"][node["function"]]["display"], {})
        for metric, value in node.get("metrics", ()):
            if names[metric].startswith("heap."):
                values[names[metric]] = values.get(names[metric], 0) + value
    return found


def heap_of_process(profile):
    """{metric: value} of a run of one process."""
    names = names_of_metrics(profile)
    return {names[row["metric"]]: row["value"] for row in profile["rank_metrics"]
            if names[row["metric"]].startswith("heap.")}
