// Where threads waited: the call paths as a flame graph, and the tables of `vftrace report --waiting`.
import { useMemo, useState } from "preact/hooks";
import { use_address } from "../address.ts";
import { kind_color } from "../colors.ts";
import { DataTables } from "../data_table.tsx";
import { FlameChart } from "../flame_chart.tsx";
import { type GroupTree, sums_tree } from "../flame_layout.ts";
import type { Profile } from "../model.ts";
import { Choice, open_function } from "../selection.tsx";
import type { View, ViewProps } from "../view.ts";

// Work that has to wait for its turn is not waiting of the thread itself.
const displaced = "turn on a processor";

// The kinds of waiting that the profile has, in the order of their time.
function kinds_of(profile: Profile): string[] {
  const waits = profile.list("waits_of_paths");
  const ns = waits.numbers("ns");
  const sums = new Map<string, number>();
  waits.texts("kind").forEach((kind, i) => sums.set(kind, (sums.get(kind) ?? 0) + ns[i]));
  return [...sums.keys()].sort((a, b) => Number(a === displaced) - Number(b === displaced) || sums.get(b)! - sums.get(a)!);
}

// `wanted`: a kind of waiting, "" for all. Boxes are in the order of their time.
function waiting_tree(profile: Profile, wanted: string): { tree: GroupTree; all: number } {
  const waits = profile.list("waits_of_paths");
  const node = waits.numbers("path");
  const ns = waits.numbers("ns");
  return sums_tree(profile, (add) => waits.texts("kind").forEach((kind, i) => {
    if (wanted ? kind === wanted : kind !== displaced) add(node[i], ns[i]);
  }));
}

function WaitingFlame({ profile }: { profile: Profile }) {
  const address = use_address();
  const kinds = useMemo(() => kinds_of(profile), [profile]);
  const kind = kinds.includes(address.wait ?? "") ? address.wait! : "";
  const choices: [string, string][] = [["", "anything"], ...kinds.map((one): [string, string] => [one, one])];
  const { tree, all } = useMemo(() => waiting_tree(profile, kind), [profile, kind]);
  const [zoom, set_zoom] = useState(-1);
  const [selected, set_selected] = useState(-1);
  return (
    <>
      <div class="tools"><Choice name="wait" label="Waits for" values={choices} value={kind} /></div>
      {all > 0 ? (
        <FlameChart key={kind} name="waits" label="Flame graph of waiting" tree={tree} names={(func) => profile.names[func]} whole={all} height={320}
          color={(id) => kind_color(profile.kinds[tree.func(id)], profile.names[tree.func(id)])}
          zoom={zoom} selected={selected} on_zoom={(id) => set_zoom(id === zoom ? -1 : id)} on_select={set_selected}
          on_open={(id) => open_function(tree.func(id))} />
      ) : <p class="foot">No thread waited like this.</p>}
      <p class="foot">The width of a box is the time in which threads waited in a call path and all that it calls, not using a processor. Click a box to zoom in.</p>
    </>
  );
}

export const waiting_view: View = {
  id: "waiting", title: "Waiting of threads",
  help: "Where threads waited without using a processor, and what for; for which locks, and where the threads were that had them; where work had to wait for a processor.",
  exists: (_, profile) => profile.tables("waiting").length > 0,
  show: ({ profile }: ViewProps) => (
    <>
      <WaitingFlame key={profile.label} profile={profile} />
      <DataTables tables={profile.tables("waiting")} />
    </>
  ),
};
