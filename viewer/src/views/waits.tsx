// Wait states: in which calls ranks waited, what the late ranks did meanwhile, and the critical path.
import { useMemo } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import { count, percent, seconds, time } from "../format.ts";
import type { Profile } from "../model.ts";
import { Choice, Fact, number_of, PathLine } from "../selection.tsx";
import { count_column, text_column, time_column, Table } from "../table.tsx";
import type { View, ViewProps } from "../view.ts";
import { critical_path, group_waits, patterns, type Wait, waits_by_rank, waits_of } from "../waits.ts";

const all_ns = (rows: { ns: number }[]): number => rows.reduce((sum, row) => sum + row.ns, 0);
const most_ns = (rows: { ns: number }[]): number => rows.reduce((most, row) => Math.max(most, row.ns), 1);
const caller_of = (profile: Profile, path: number): string => (profile.parent[path] >= 0 ? profile.name(profile.parent[path]) : "");
const rank_and = (ns: number, rank: number): string => `${seconds(ns)} (${rank})`;

function Waits({ profile }: ViewProps) {
  const address = use_address();
  const waits = useMemo(() => waits_of(profile), [profile]);
  const critical = useMemo(() => critical_path(profile, false), [profile]);
  const ranks = useMemo(() => waits_by_rank(profile, waits), [profile, waits]);
  const path = number_of(address.path, profile.count);
  const rank = number_of(address.rank, profile.run.ranks);
  const only_rank = address.waits_of === "rank" && rank >= 0 ? rank : -1;
  const all_kinds = useMemo(() => group_waits(waits.states, (wait) => wait.pattern), [waits]);
  const kinds = useMemo(() => (only_rank < 0 ? all_kinds : group_waits(waits.states.filter((wait) => wait.rank === only_rank), (wait) => wait.pattern)), [waits, only_rank]);
  const kind = all_kinds.some((row) => row.pattern === address.wait) ? address.wait : "";
  const most_caused = ranks.reduce((most, row) => Math.max(most, row.caused_ns), 1);
  const whole = all_ns(waits.states);
  const of_all = all_ns(kinds);
  const critical_ns = all_ns(critical);
  const imbalance_ns = critical.reduce((sum, row) => sum + row.imbalance_ns, 0);
  const run_ns = profile.list("ranks").numbers("runtime_ns").reduce((sum, ns) => sum + ns, 0) || profile.run.runtime_ns * profile.run.ranks;
  return (
    <>
      <div class="facts" data-part="wait-facts">
        <Fact value={time(whole)} text="waiting, sum over ranks" help="Time that ranks waited for others, over all wait states" />
        <Fact value={`${percent(whole, run_ns)} %`} text="of the time of all ranks" help="Waiting, divided by the sum of the run times of all ranks" />
        <Fact value={time(critical_ns)} text="critical path" help="The chain of work through all ranks that determines the length of the run; waiting is never on it" />
        <Fact value={`${percent(imbalance_ns, critical_ns)} %`} text={`of it is imbalance (${time(imbalance_ns)})`} help="Time of call paths on the critical path beyond their mean over all ranks: the run could be shorter by this time if all ranks did the same work there" />
      </div>
      <div class="tools">
        <Choice name="wait" label="Wait state" values={[["", "all"], ...all_kinds.map((row): [string, string] => [row.pattern, row.pattern])]} value={kind} />
        {rank >= 0 && <Choice name="waits_of" label="Of" values={[["all", "all ranks"], ["rank", `rank ${rank}`]]} value={only_rank >= 0 ? "rank" : "all"} />}
      </div>
      {kinds.length > 0 && (
        <Table id="wait-kinds" label="Wait states" rows={kinds.length} sort="-time" filter={() => true} filter_key={String(only_rank)} height={240} selected={kinds.findIndex((row) => row.pattern === kind)}
          on_select={(row) => set_address({ wait: kinds[row].pattern === kind ? "" : kinds[row].pattern })}
          columns={[
            text_column("pattern", "Wait state", "As doc/waits.md defines it", (row) => kinds[row].pattern, 10),
            time_column("time", "Time", "Sum over ranks", (row) => kinds[row].ns, { share: (row) => kinds[row].ns / most_ns(kinds) }),
            { id: "share", title: "Of all waiting", unit: "%", help: "Share of the time of all wait states", value: (row) => (100 * kinds[row].ns) / (of_all || 1), text: (row) => percent(kinds[row].ns, of_all) },
            count_column("waits", "Waits", "Calls that waited", (row) => kinds[row].waits),
            time_column("longest", "Longest", "In one call", (row) => kinds[row].longest_ns),
            { id: "ranks", title: "Ranks", help: "Number of ranks that waited in this way", value: (row) => kinds[row].ranks },
            text_column("meaning", "Meaning", "What is waited for", (row) => patterns[kinds[row].pattern] ?? "", 24),
          ]} />
      )}
      {all_kinds.length === 0 && <p>The analysis has not found ranks that waited for others.</p>}
      <States profile={profile} rows={waits.states} kind={kind} rank={only_rank} path={path} />
      <Causes profile={profile} rows={waits.causes} kind={kind} rank={only_rank} path={path} />
      <CriticalPath profile={profile} path={path} whole={critical_ns} />
      <PathLine profile={profile} path={path} />
      <h3>Ranks</h3>
      <Table id="wait-ranks" label="Waiting by rank" rows={ranks.length} sort="-caused" height={300} selected={rank}
        on_select={(row) => set_address({ rank: String(row) })}
        columns={[
          { id: "rank", title: "Rank", help: "In MPI_COMM_WORLD", value: (row) => row },
          text_column("host", "Host", "Where it ran", (row) => profile.list("ranks").texts("host")[row] ?? "", 9),
          time_column("waited", "Waited", "For other ranks", (row) => ranks[row].waited_ns),
          time_column("caused", "Made others wait", "Sum over all ranks that waited for it", (row) => ranks[row].caused_ns, { share: (row) => ranks[row].caused_ns / most_caused }),
          time_column("critical", "On critical path", "Time of the critical path on this rank", (row) => ranks[row].critical_ns),
          time_column("imbalance", "Its imbalance", "Time of its call paths on the critical path beyond their mean over ranks, divided among ranks in proportion to their time on the path", (row) => ranks[row].imbalance_ns),
        ]} />
    </>
  );
}

interface Part {
  profile: Profile;
  rows: Wait[];
  kind: string;
  rank: number;
  path: number;
}

const chosen_rows = ({ rows, kind, rank }: Part): Wait[] => rows.filter((row) => (!kind || row.pattern === kind) && (rank < 0 || row.rank === rank));

function States(props: Part) {
  const { profile, path } = props;
  const rows = useMemo(() => group_waits(chosen_rows(props), (wait) => `${wait.pattern} ${wait.path}`), [props.rows, props.kind, props.rank]);
  if (props.rows.length === 0) return null;
  const most = most_ns(rows);
  return (
    <>
      <h3>Where ranks waited</h3>
      <Table id="wait-states" label="Call paths that waited" rows={rows.length} sort="-time" height={280} filter_key={`${props.kind} ${props.rank}`} filter={() => true}
        selected={rows.findIndex((row) => row.path === path)} on_select={(row) => set_address({ path: String(rows[row].path), rank: String(rows[row].most_rank) })}
        columns={[
          text_column("function", "Waited in", "The MPI function, the last one of the path", (row) => profile.name(rows[row].path)),
          text_column("caller", "Caller", "The caller on this path", (row) => caller_of(profile, rows[row].path)),
          text_column("pattern", "Wait state", "As in the table above", (row) => rows[row].pattern, 9),
          time_column("time", "Time", "Waiting, sum over ranks", (row) => rows[row].ns, { share: (row) => rows[row].ns / most }),
          count_column("waits", "Waits", "Calls that waited", (row) => rows[row].waits),
          time_column("longest", "Longest", "In one call", (row) => rows[row].longest_ns),
          { id: "most", title: "Largest (on rank)", unit: "s", width: 9, help: "On the rank that waited most there", value: (row) => rows[row].most_ns / 1e9, text: (row) => rank_and(rows[row].most_ns, rows[row].most_rank) },
          { id: "ranks", title: "Ranks", help: "Number of ranks that waited there", value: (row) => rows[row].ranks },
        ]} />
    </>
  );
}

function Causes(props: Part) {
  const { profile, path } = props;
  const address = use_address();
  const narrow = address.causes_of === "path" && path >= 0 && props.rows.some((row) => row.waiting === path);
  const rows = useMemo(
    () => group_waits(chosen_rows(props).filter((row) => !narrow || row.waiting === path), (wait) => `${wait.pattern} ${wait.path} ${wait.waiting} ${wait.rank}`),
    [props.rows, props.kind, props.rank, narrow, narrow && path],
  );
  if (props.rows.length === 0) return null;
  const most = most_ns(rows);
  return (
    <>
      <h3>What the late ranks did meanwhile</h3>
      {path >= 0 && props.rows.some((row) => row.waiting === path) &&
        <div class="tools"><Choice name="causes_of" label="Causes of" values={[["all", "all waiting"], ["path", `waiting in ${profile.name(path)}`]]} value={narrow ? "path" : "all"} /></div>}
      <Table id="wait-causes" label="Causes of waiting" rows={rows.length} sort="-time" height={280} filter_key={`${props.kind} ${props.rank} ${narrow && path}`} filter={() => true}
        selected={rows.findIndex((row) => row.path === path)} on_select={(row) => set_address({ path: String(rows[row].path), rank: String(rows[row].rank) })}
        columns={[
          { id: "rank", title: "Late rank", help: "The rank that the others waited for", value: (row) => rows[row].rank },
          text_column("function", "It was in", "The innermost function on the late rank while others waited", (row) => profile.name(rows[row].path)),
          text_column("caller", "Caller", "Its caller on this path", (row) => caller_of(profile, rows[row].path)),
          time_column("time", "Others waited", "Sum over all ranks that waited for it", (row) => rows[row].ns, { share: (row) => rows[row].ns / most }),
          text_column("waiting", "Waited in", "The call in which the others waited", (row) => profile.name(rows[row].waiting)),
          text_column("pattern", "Wait state", "As in the table above", (row) => rows[row].pattern, 9),
        ]} />
    </>
  );
}

function CriticalPath({ profile, path, whole }: { profile: Profile; path: number; whole: number }) {
  const address = use_address();
  const by_rank = address.critical === "rank";
  const rows = useMemo(() => critical_path(profile, by_rank), [profile, by_rank]);
  if (rows.length === 0) return null;
  const most = most_ns(rows);
  return (
    <>
      <h3>Critical path</h3>
      <div class="tools"><Choice name="critical" label="One row per" values={[["path", "call path"], ["rank", "call path and rank"]]} value={by_rank ? "rank" : "path"} /></div>
      <Table id="critical" label="Critical path" rows={rows.length} sort="-time" height={320} filter_key={String(by_rank)} filter={() => true}
        selected={rows.findIndex((row) => row.path === path)} on_select={(row) => set_address({ path: String(rows[row].path), rank: String(rows[row].most_rank) })}
        columns={[
          text_column("function", "Function", "The last function of the path", (row) => profile.name(rows[row].path)),
          text_column("caller", "Caller", "The caller on this path", (row) => caller_of(profile, rows[row].path)),
          { id: "rank", title: by_rank ? "Rank" : "Ranks", help: by_rank ? "In MPI_COMM_WORLD" : "Number of ranks on which it is on the critical path", value: (row) => (by_rank ? rows[row].rank : rows[row].ranks), text: (row) => count(by_rank ? rows[row].rank : rows[row].ranks) },
          time_column("time", "On critical path", "Its time on the critical path", (row) => rows[row].ns, { share: (row) => rows[row].ns / most }),
          { id: "share", title: "Share", unit: "%", help: "Of the critical path", value: (row) => (100 * rows[row].ns) / (whole || 1), text: (row) => percent(rows[row].ns, whole) },
          time_column("imbalance", "Imbalance", "Part of it beyond the mean of the path's time over all ranks: the run could be shorter by this time", (row) => rows[row].imbalance_ns),
          { id: "imbalance_share", title: "Imbalance", unit: "%", help: "Part of its time on the critical path that is imbalance", value: (row) => (100 * rows[row].imbalance_ns) / (rows[row].ns || 1), text: (row) => percent(rows[row].imbalance_ns, rows[row].ns), share: (row) => rows[row].imbalance_ns / (rows[row].ns || 1) },
        ]} />
    </>
  );
}

export const waits_view: View = {
  id: "waits", title: "Waiting", help: "Which ranks waited for which, and why: wait states and critical path, found by vftrace analyze in traces. Choosing a row chooses its call path in all views.",
  exists: (_, profile) => profile.list("waits.states").rows > 0 || profile.list("waits.critical_path").rows > 0, show: Waits,
};
