// The flame graph: call paths from the root, or functions with their callers below.
import { useMemo } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import { difference_color, kind_color, text_color } from "../colors.ts";
import { FlameChart } from "../flame_chart.tsx";
import { inverted_tree, PathTree } from "../flame_layout.ts";
import { time } from "../format.ts";
import type { Profile } from "../model.ts";
import { matching } from "../search.ts";
import { Choice, Legend, number_of, open_function, PathLine, Scale, Search } from "../selection.tsx";
import type { View, ViewProps } from "../view.ts";

// By path: how much longer the slowest rank took than the mean, as a part of its time.
function imbalances(profile: Profile): Map<number, number> {
  const spread = profile.list("spread");
  const path = spread.numbers("path");
  const most = spread.numbers("max_ns");
  const ranks = Math.max(1, profile.run.summed_ranks);
  const result = new Map<number, number>();
  for (let i = 0; i < spread.rows; i++)
    result.set(path[i], most[i] > 0 ? Math.max(0, most[i] - profile.exclusive[path[i]] / ranks) / most[i] : 0);
  return result;
}

function module_of(profile: Profile): (func: number) => string {
  const modules = profile.list("modules").texts("path");
  const module = profile.functions.numbers("module");
  return (func) => (module[func] >= 0 ? (modules[module[func]] ?? "").split("/").pop()! : profile.kinds[func]);
}

function Flame({ profile }: ViewProps) {
  const address = use_address();
  const inverted = address.tree === "inverted";
  const tree = useMemo(() => (inverted ? inverted_tree(profile) : new PathTree(profile)), [profile, inverted]);
  const matches = useMemo(() => matching(profile.names, address.q ?? ""), [profile, address.q]);
  const module = useMemo(() => module_of(profile), [profile]);
  const imbalance = useMemo(() => imbalances(profile), [profile]);
  const colors: [string, string][] = [["kind", "kind"], ["module", "module"]];
  if (imbalance.size > 0 && !inverted) colors.push(["imbalance", "imbalance"]);
  const by = colors.some(([id]) => id === address.color) ? address.color : "kind";
  const color = (id: number): string => {
    const func = tree.func(id);
    if (by === "module") return text_color(module(func));
    if (by === "imbalance") return difference_color(inverted ? 0 : imbalance.get(id) ?? 0);
    return kind_color(profile.kinds[func], profile.names[func]);
  };
  const zoom = inverted ? number_of(address.izoom, 1e9) : Math.max(0, number_of(address.zoom, profile.count));
  const selected = number_of(inverted ? address.ipath : address.path, inverted ? 1e9 : profile.count);
  const known = (id: number): number => (inverted && id >= 0 && !knows(tree, id) ? -1 : id);
  return (
    <>
      <div class="tools">
        <Search label="Search for functions" />
        <Choice name="tree" label="From" values={[["calls", "the root"], ["inverted", "the functions (inverted)"]]} value={inverted ? "inverted" : "calls"} />
        <Choice name="color" label="Colour by" values={colors} value={by} />
        <button data-button="unzoom" class="theme" onClick={() => set_address({ zoom: "", izoom: "" })}>reset zoom</button>
      </div>
      <FlameChart name="flame" label={inverted ? "Inverted flame graph" : "Flame graph"} tree={tree} names={(func) => profile.names[func]} color={color} version={`${by}`}
        matches={matches} zoom={known(zoom)} selected={known(selected)} whole={profile.all_ns}
        describe={inverted ? undefined : (id) => `${time(profile.exclusive[id])} exclusive, ${profile.calls[id].toLocaleString("en-US")} calls`}
        on_zoom={(id) => set_address(inverted ? { izoom: id < 0 ? "" : String(id) } : { zoom: id <= 0 ? "" : String(id) })}
        on_select={(id) => set_address(inverted ? { ipath: String(id) } : { path: String(id) })}
        on_open={(id) => open_function(tree.func(id))} />
      {!inverted && <PathLine profile={profile} path={selected} />}
      {by === "kind" && <Legend kinds={[...new Set(profile.kinds)]} />}
      {by === "imbalance" && (
        <>
          <Scale least="all ranks alike" most="one rank has all of it" color={difference_color} />
          <p class="foot">The colour is the imbalance of the time in the path itself: how much longer the rank with most of it took than the mean, as a part of its time.{imbalance.size < profile.count ? " Paths whose times by rank are not in this page are grey." : ""}</p>
        </>
      )}
    </>
  );
}

function knows(tree: { value: (id: number) => number }, id: number): boolean {
  return tree.value(id) !== undefined;
}

export const flame_view: View = {
  id: "flame", title: "Flame graph", help: "The width of a box is the time of a call path with all that it calls, summed over threads and ranks. Click a box to zoom in; boxes narrower than half a pixel are left out.",
  exists: (_, profile) => profile.all_ns > 0, show: Flame,
};
