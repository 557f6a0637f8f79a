// Two profiles side by side: what is new, gone, slower and faster.
import { useMemo } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import { difference_color } from "../colors.ts";
import { FlameChart } from "../flame_chart.tsx";
import { seconds, short, time } from "../format.ts";
import type { Profile } from "../model.ts";
import { matching } from "../search.ts";
import { Choice, number_of, Search } from "../selection.tsx";
import { count_column, text_column, time_column, Table } from "../table.tsx";
import { function_differences, sides, union_of, union_tree } from "../union.ts";
import type { View, ViewProps } from "../view.ts";

function signed(ns: number): string {
  const text = seconds(ns);
  return ns > 0 ? `+${text}` : text.replace("-", "\u2212");
}

function Compare({ report }: ViewProps) {
  const address = use_address();
  const last = report.profiles.length;
  const chosen = (key: string, otherwise: number): number => {
    const number = number_of(address[key], last);
    return number >= 0 ? number : otherwise;
  };
  const [first, second] = [chosen("a", 0), chosen("b", 1)];
  const a = report.profiles[first];
  const b = report.profiles[second];
  const threshold = Math.max(0, Number(address.threshold ?? 2) || 0) / 100;
  const union = useMemo(() => union_of(a, b), [a, b]);
  const rows = useMemo(() => function_differences(a, b, union, threshold), [a, b, union, threshold]);
  const tree = useMemo(() => union_tree(a, b, union), [a, b, union]);
  const matches = useMemo(() => matching(union.names, address.q ?? ""), [union, address.q]);
  const state = address.state ?? "all";
  const name = (profile: Profile, letter: string): string => `${letter}: ${profile.label}, ${profile.date} UTC, ${profile.run.ranks} rank${profile.run.ranks === 1 ? "" : "s"}`;
  const pick = (key: string, value: number, letter: string) => (
    <label>
      {letter}{" "}
      <select data-choice={key} aria-label={`Profile ${letter}`} value={String(value)} onChange={(event) => set_address({ [key]: event.currentTarget.value })}>
        {report.profiles.map((one, i) => <option key={i} value={String(i)}>{`${one.label}, ${one.date}`}</option>)}
      </select>
    </label>
  );
  const zoom = number_of(address.czoom, 1e9);
  const known = (id: number): number => (id >= 0 && tree.value(id) === undefined ? -1 : id);
  const change = (id: number): number => {
    const [in_a, in_b] = sides(tree, a, b, id);
    return in_a + in_b > 0 ? (in_b - in_a) / Math.max(in_a, in_b) : 0;
  };
  const most = rows.reduce((value, row) => Math.max(value, Math.abs(row.b - row.a)), 0);
  return (
    <>
      <div class="tools">
        {pick("a", first, "A")}
        {pick("b", second, "B")}
        <button class="theme" data-button="swap" onClick={() => set_address({ a: String(second), b: String(first) })}>swap A and B</button>
        <label>Threshold{" "}
          <input type="number" min="0" max="100" step="1" value={address.threshold ?? "2"} aria-label="Differences below this percentage are ignored"
            onChange={(event) => set_address({ threshold: event.currentTarget.value })} /> %
        </label>
        <Search label="Search for functions" />
      </div>
      <p class="foot" data-part="sides"><bdi>{name(a, "A")}</bdi>: {time(a.all_ns)} in all threads and ranks.<br /><bdi>{name(b, "B")}</bdi>: {time(b.all_ns)}. B minus A: {signed(b.all_ns - a.all_ns)} s.</p>
      <div class="tools">
        <Choice name="state" label="Functions" value={state}
          values={(["all", "slower", "faster", "new", "gone", "same"] as const).map((one): [string, string] => [one, `${one} (${one === "all" ? rows.length : rows.filter((row) => row.state === one).length})`])} />
      </div>
      <Table id="differences" label="Differences of functions" rows={rows.length} sort="-size" height={380} filter_key={`${state} ${address.q ?? ""} ${first} ${second} ${threshold}`}
        filter={(row) => (state === "all" || rows[row].state === state) && (!matches || matches[rows[row].func] === 1)}
        columns={[
          { id: "function", title: "Function", help: "Name of the function", left: true, value: (row) => union.names[rows[row].func], text: (row) => short(union.names[rows[row].func]) },
          text_column("state", "In B", "Compared with A: new, gone, slower, faster; same: the difference is below the threshold", (row) => rows[row].state, 6),
          { id: "a", title: "A: exclusive", unit: "s", help: "Time in the function itself in A", value: (row) => rows[row].a / 1e9, text: (row) => (rows[row].state === "new" ? "" : seconds(rows[row].a)) },
          { id: "b", title: "B: exclusive", unit: "s", help: "Time in the function itself in B", value: (row) => rows[row].b / 1e9, text: (row) => (rows[row].state === "gone" ? "" : seconds(rows[row].b)) },
          { id: "difference", title: "B minus A", unit: "s", help: "Additional time in B compared with A", value: (row) => (rows[row].b - rows[row].a) / 1e9, text: (row) => signed(rows[row].b - rows[row].a) },
          time_column("size", "Size", "Absolute value of the difference", (row) => Math.abs(rows[row].b - rows[row].a), { share: (row) => Math.abs(rows[row].b - rows[row].a) / (most || 1) }),
          { id: "ratio", title: "B / A", help: "Time in B as a multiple of that in A", value: (row) => (rows[row].a > 0 ? rows[row].b / rows[row].a : 0), text: (row) => (rows[row].a > 0 ? (rows[row].b / rows[row].a).toFixed(2) : "") },
          count_column("calls_a", "A: calls", "In A", (row) => rows[row].calls_a),
          count_column("calls_b", "B: calls", "In B", (row) => rows[row].calls_b),
        ]} />
      <h3>Both call trees</h3>
      <FlameChart name="compare" label="Flame graph of both profiles" tree={tree} names={(func) => union.names[func]} color={(id) => difference_color(change(id))} version={`${first} ${second}`}
        matches={matches} zoom={known(zoom)} selected={known(number_of(address.cpath, 1e9))} whole={a.all_ns + b.all_ns}
        describe={(id) => {
          const [in_a, in_b] = sides(tree, a, b, id);
          return `A: ${time(in_a)}, B: ${time(in_b)}${in_a === 0 ? " (new in B)" : in_b === 0 ? " (gone in B)" : ""}`;
        }}
        on_zoom={(id) => set_address({ czoom: id < 0 ? "" : String(id) })} on_select={(id) => set_address({ cpath: String(id) })} />
      <p class="foot">The width of a box is its time in A and B together. Orange: more in B; blue: less in B. Stronger colours mean larger changes.</p>
    </>
  );
}

export const compare_view: View = {
  id: "compare", title: "Comparison", help: "Two profiles: what is new, gone, slower and faster in B than in A.",
  exists: (report) => report.profiles.length > 1, show: Compare,
};
