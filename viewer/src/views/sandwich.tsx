// One function between its callers (above) and its callees (below).
import { useMemo, useState } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import { kind_color } from "../colors.ts";
import { FlameChart } from "../flame_chart.tsx";
import { callees_of, callers_of, type GroupTree } from "../flame_layout.ts";
import { count, percent, time } from "../format.ts";
import { LatencyHistogram } from "../latencies.tsx";
import { matching } from "../search.ts";
import { number_of, Search } from "../selection.tsx";
import { text_column, Table } from "../table.tsx";
import type { View, ViewProps } from "../view.ts";

function Sandwich({ profile }: ViewProps) {
  const address = use_address();
  const { times } = profile;
  const matches = useMemo(() => matching(profile.names, address.q ?? ""), [profile, address.q]);
  const hottest = useMemo(() => times.exclusive.reduce((best, ns, i) => (ns > times.exclusive[best] ? i : best), 0), [profile]);
  const chosen = number_of(address.function, profile.names.length);
  const func = chosen >= 0 ? chosen : hottest;
  const callers = useMemo(() => callers_of(profile, func), [profile, func]);
  const callees = useMemo(() => callees_of(profile, func), [profile, func]);
  const color = (tree: GroupTree) => (id: number) => kind_color(profile.kinds[tree.func(id)], profile.names[tree.func(id)]);
  const most = times.exclusive.reduce((a, b) => Math.max(a, b), 1);
  const half = Math.max(160, Math.round(window.innerHeight * 0.3));
  return (
    <div class="columns">
      <div>
        <div class="tools"><Search label="Search for functions" /></div>
        <Table id="choose" label="Functions to choose from" rows={profile.names.length} sort="-exclusive" height={half * 2}
          filter={(row) => times.paths[row] > 0 && (!matches || matches[row] === 1)} filter_key={address.q ?? ""}
          columns={[
            text_column("function", "Function", "Name of the function", (row) => profile.names[row]),
            { id: "exclusive", title: "Exclusive", help: "Time in the function itself (in CSV: ns)", value: (row) => times.exclusive[row], text: (row) => time(times.exclusive[row]), share: (row) => times.exclusive[row] / most },
            { id: "inclusive", title: "Inclusive", help: "Time from entry to exit of the outermost calls (in CSV: ns)", value: (row) => times.inclusive[row], text: (row) => time(times.inclusive[row]) },
          ]}
          selected={func} on_select={(row) => set_address({ function: String(row) })} />
      </div>
      <div>
        <h3 data-part="function"><bdi>{profile.names[func]}</bdi></h3>
        <p class="foot">
          {count(times.calls[func])} calls on {count(times.paths[func])} call paths; {time(times.exclusive[func])} exclusive ({percent(times.exclusive[func], profile.all_ns)} % of all time),
          {" "}{time(times.inclusive[func])} inclusive.
        </p>
        <LatencyHistogram profile={profile} func={func} />
        <h3>Callers</h3>
        <Half key={`callers ${func}`} name="callers" label="Callers of the function" tree={callers} up names={profile.names} color={color(callers)} whole={profile.all_ns} height={half} />
        <h3>Callees</h3>
        <Half key={`callees ${func}`} name="callees" label="What the function calls" tree={callees} names={profile.names} color={color(callees)} whole={profile.all_ns} height={half} />
      </div>
    </div>
  );
}

function Half(props: { name: string; label: string; tree: GroupTree; up?: boolean; names: string[]; color: (id: number) => string; whole: number; height: number }) {
  const [zoom, set_zoom] = useState(-1);
  const [selected, set_selected] = useState(-1);
  return (
    <FlameChart name={props.name} label={props.label} tree={props.tree} up={props.up} names={(func) => props.names[func]} color={props.color} whole={props.whole} height={props.height}
      zoom={zoom} selected={selected} on_zoom={(id) => set_zoom(id === zoom ? -1 : id)} on_select={set_selected}
      on_open={(id) => set_address({ function: String(props.tree.func(id)) }, true)} />
  );
}

export const sandwich_view: View = {
  id: "sandwich", title: "Callers and callees", help: "One function with all its calls combined: its callers above, its callees below. Key S on a box opens its function.",
  exists: (_, profile) => profile.all_ns > 0, show: Sandwich,
};
