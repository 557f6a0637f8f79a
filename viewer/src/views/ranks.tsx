// Ranks: how the time of call paths is spread over them, and the figures of each rank.
import { useMemo, useState } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import { Canvas } from "../canvas.tsx";
import { faint, heat_color, ink } from "../colors.ts";
import { bytes, count, fitted, percent, seconds, short, time } from "../format.ts";
import type { Profile } from "../model.ts";
import { rank_values, ranks_by_time, type RankValues } from "../rank_values.ts";
import { matching } from "../search.ts";
import { Choice, number_of, PathLine, Scale, Search } from "../selection.tsx";
import { count_column, text_column, time_column, Table } from "../table.tsx";
import type { View, ViewProps } from "../view.ts";

const left = 300;
const line_height = 18;
const head = 22;

// The order of ranks in the map.
function rank_order(profile: Profile, values: RankValues, by: string, row: number): number[] {
  const order = Array.from({ length: values.ranks }, (_, i) => i);
  const hosts = profile.list("ranks").texts("host");
  if (by === "host") order.sort((a, b) => (hosts[a] ?? "").localeCompare(hosts[b] ?? "") || a - b);
  if (by === "value" && row >= 0) order.sort((a, b) => values.exclusive[row * values.ranks + b] - values.exclusive[row * values.ranks + a] || a - b);
  return order;
}

function HeatMap({ profile, values }: { profile: Profile; values: RankValues }) {
  const address = use_address();
  const [tip, set_tip] = useState<{ x: number; y: number; text: string } | undefined>();
  const by = address.order ?? "rank";
  const metric = address.metric ?? "time";
  const scale = address.scale ?? "path";
  const matches = useMemo(() => matching(profile.names, address.q ?? ""), [profile, address.q]);
  const data = metric === "calls" ? values.calls : values.exclusive;
  // Paths with the most time first, or with the largest imbalance, so that rows with a low mean are
  // not lost.
  const rows = useMemo(() => {
    const weight = values.paths.map((_, i) => {
      let sum = 0;
      let most = 0;
      for (let r = 0; r < values.ranks; r++) {
        const value = values.exclusive[i * values.ranks + r];
        sum += value;
        if (value > most) most = value;
      }
      return address.rows === "imbalance" ? most - sum / values.ranks : sum;
    });
    return values.paths.map((_, i) => i).filter((i) => !matches || matches[profile.func[values.paths[i]]] === 1).sort((a, b) => weight[b] - weight[a]);
  }, [values, matches, address.rows]);
  const chosen = number_of(address.path, profile.count);
  const chosen_row = values.paths.indexOf(chosen);
  const order = useMemo(() => rank_order(profile, values, by, chosen_row >= 0 ? chosen_row : rows[0] ?? -1), [profile, values, by, chosen_row, rows]);
  const chosen_rank = number_of(address.rank, values.ranks);
  const [top, set_top] = useState(0);
  const visible = Math.min(rows.length, 26);
  const first = Math.max(0, Math.min(top, rows.length - visible));
  const most_of = useMemo(() => {
    const most = rows.map((i) => {
      let value = 0;
      for (let r = 0; r < values.ranks; r++) value = Math.max(value, data[i * values.ranks + r]);
      return value;
    });
    const all = most.reduce((a, b) => Math.max(a, b), 0);
    return scale === "all" ? most.map(() => all) : most;
  }, [rows, data, scale]);
  const shown = metric === "calls" ? count : time;
  const at = (x: number, y: number, width: number): [number, number] => {
    const row = first + Math.floor((y - head) / line_height);
    const place = Math.floor(((x - left) / (width - left)) * values.ranks);
    return [y < head || row >= rows.length || row >= first + visible ? -1 : row, place >= 0 && place < values.ranks ? order[place] : -1];
  };
  const text_of = (row: number, rank: number): string => {
    const host = profile.list("ranks").texts("host")[rank];
    return `${short(profile.name(values.paths[rows[row]]), 200)}\nrank ${rank}${host ? ` on ${host}` : ""}: ${shown(data[rows[row] * values.ranks + rank])}`;
  };
  return (
    <>
      <div class="tools">
        <Search label="Search for functions" />
        <Choice name="metric" label="Show" values={[["time", "exclusive time"], ["calls", "calls"]]} value={metric} />
        <Choice name="order" label="Ranks by" values={[["rank", "number"], ["host", "host"], ["value", "value of the chosen path"]]} value={by} />
        <Choice name="rows" label="Paths by" values={[["time", "time"], ["imbalance", "imbalance"]]} value={address.rows ?? "time"} />
        <Choice name="scale" label="Colours by" values={[["path", "largest value of the path"], ["all", "largest value of all paths"]]} value={scale} />
      </div>
      <Canvas name="heat" height={head + visible * line_height + 4} inputs={[rows, order, most_of, data, first, chosen, chosen_rank]}
        label="Heat map of ranks and call paths. Arrow keys choose path and rank."
        draw={({ context, width }) => {
          context.font = "12px system-ui, sans-serif";
          context.textBaseline = "middle";
          const cell = (width - left) / values.ranks;
          context.fillStyle = faint();
          const step = Math.max(1, Math.ceil(60 / cell));
          for (let place = 0; place < values.ranks; place += step) context.fillText(String(order[place]), left + place * cell + 2, head / 2);
          context.fillText("rank", left - 36, head / 2);
          for (let row = first; row < first + visible; row++) {
            const y = head + (row - first) * line_height;
            const path = values.paths[rows[row]];
            context.fillStyle = ink();
            context.font = path === chosen ? "bold 12px system-ui, sans-serif" : "12px system-ui, sans-serif";
            context.fillText(fitted(profile.name(path), 44), 4, y + line_height / 2, left - 10);
            const base = rows[row] * values.ranks;
            const columns = Math.min(values.ranks, Math.ceil(width - left));
            for (let column = 0; column < columns; column++) {
              // If several ranks share a pixel, the largest value is shown.
              const from = Math.floor((column * values.ranks) / columns);
              const to = Math.floor(((column + 1) * values.ranks) / columns);
              let value = 0;
              for (let place = from; place < to; place++) value = Math.max(value, data[base + order[place]]);
              context.fillStyle = heat_color(most_of[row] > 0 ? value / most_of[row] : 0);
              context.fillRect(left + from * cell, y, Math.max(1, (to - from) * cell - (cell > 6 ? 1 : 0)), line_height - 1);
            }
            if (path === chosen) {
              context.strokeStyle = ink();
              context.strokeRect(left - 0.5, y - 0.5, width - left, line_height);
            }
          }
          if (chosen_rank >= 0) {
            context.strokeStyle = ink();
            context.strokeRect(left + order.indexOf(chosen_rank) * cell - 0.5, head - 0.5, Math.max(2, cell), visible * line_height);
          }
        }}
        tip={tip}
        on_move={(x, y, width) => {
          const [row, rank] = at(x, y, width);
          set_tip(row < 0 ? undefined : { x, y, text: rank < 0 ? profile.name(values.paths[rows[row]]) : text_of(row, rank) });
        }}
        on_leave={() => set_tip(undefined)}
        on_click={(x, y, width) => {
          const [row, rank] = at(x, y, width);
          if (row >= 0) set_address({ path: String(values.paths[rows[row]]), ...(rank >= 0 ? { rank: String(rank) } : {}) });
        }}
        on_wheel={(event) => {
          const next = Math.max(0, Math.min(rows.length - visible, first + Math.sign(event.deltaY) * 3));
          if (next !== first) {
            event.preventDefault();
            set_top(next);
          }
        }}
        on_key={(event) => {
          const row = rows.indexOf(chosen_row);
          const place = chosen_rank < 0 ? -1 : order.indexOf(chosen_rank);
          const go = (next: number) => {
            const bounded = Math.max(0, Math.min(rows.length - 1, next));
            if (bounded < first || bounded >= first + visible) set_top(Math.max(0, bounded - 5));
            set_address({ path: String(values.paths[rows[bounded]]) });
          };
          if (event.key === "ArrowDown") go(row + 1);
          else if (event.key === "ArrowUp") go(row - 1);
          else if (event.key === "ArrowRight") set_address({ rank: String(order[Math.min(values.ranks - 1, place + 1)]) });
          else if (event.key === "ArrowLeft") set_address({ rank: String(order[Math.max(0, place - 1)]) });
          else return;
          event.preventDefault();
        }} />
      {most_of.length > 0 && <Scale least="0" most={scale === "all" ? shown(most_of[0]) : "largest value of the path"} color={heat_color} />}
      <p class="foot" aria-live="polite" data-status="heat">
        {chosen_row >= 0 && chosen_rank >= 0 ? `${short(profile.name(chosen), 200)}, rank ${chosen_rank}: ${shown(data[chosen_row * values.ranks + chosen_rank])}. ` : ""}
        {rows.length} call paths{rows.length > visible ? `, showing ${first + 1} to ${first + visible}: scroll for more` : ""}.
      </p>
      {chosen_row >= 0 && <PathLine profile={profile} path={chosen} />}
      {chosen_row >= 0 && (
        <div class="columns">
          <RanksOfPath profile={profile} values={values} row={chosen_row} />
          <ByTime profile={profile} />
        </div>
      )}
      {chosen_rank >= 0 && <PathsOfRank profile={profile} values={values} rank={chosen_rank} />}
    </>
  );
}

function RanksOfPath({ profile, values, row }: { profile: Profile; values: RankValues; row: number }) {
  const hosts = profile.list("ranks").texts("host");
  const base = row * values.ranks;
  const own = values.exclusive.subarray(base, base + values.ranks);
  const most = own.reduce((a, b) => Math.max(a, b), 0);
  const mean = own.reduce((a, b) => a + b, 0) / values.ranks;
  const address = use_address();
  return (
    <div>
      <h3>Ranks of the chosen path</h3>
      <p class="foot">Mean {time(mean)}, most {time(most)}: imbalance {time(most - mean)}.</p>
      <Table id="ranks-of-path" label="Ranks of the chosen path" rows={values.ranks} sort="-time" height={260} filter_key={String(row)}
        filter={() => true} selected={number_of(address.rank, values.ranks)} on_select={(rank) => set_address({ rank: String(rank) })}
        columns={[
          { id: `rank`, title: "Rank", help: "In MPI_COMM_WORLD", value: (rank) => rank },
          text_column("host", "Host", "Where it ran", (rank) => hosts[rank] ?? "", 9),
          time_column("time", "Exclusive", "Time in the path itself on this rank", (rank) => own[rank], { share: (rank) => own[rank] / (most || 1) }),
          count_column("calls", "Calls", "Calls of this path on this rank", (rank) => values.calls[base + rank]),
        ]} />
    </div>
  );
}

function PathsOfRank({ profile, values, rank }: { profile: Profile; values: RankValues; rank: number }) {
  const of = (row: number): number => values.exclusive[row * values.ranks + rank];
  const mean = (row: number): number => values.exclusive.subarray(row * values.ranks, (row + 1) * values.ranks).reduce((a, b) => a + b, 0) / values.ranks;
  const address = use_address();
  return (
    <>
      <h3>Paths of rank {rank}</h3>
      <Table id="paths-of-rank" label="Paths of the chosen rank" rows={values.paths.length} sort="-time" height={260} filter={() => true} filter_key={String(rank)}
        selected={values.paths.indexOf(number_of(address.path, profile.count))} on_select={(row) => set_address({ path: String(values.paths[row]) })}
        columns={[
          text_column("function", "Function", "The last function of the path", (row) => profile.name(values.paths[row])),
          time_column("time", "Exclusive", "On this rank", (row) => of(row)),
          time_column("mean", "Mean of ranks", "Mean over all ranks", (row) => mean(row)),
          time_column("more", "More than mean", "Time of this rank beyond the mean", (row) => of(row) - mean(row)),
        ]} />
    </>
  );
}

// The distribution of the chosen path's time over ranks.
function ByTime({ profile }: { profile: Profile }) {
  const address = use_address();
  const all = useMemo(() => ranks_by_time(profile), [profile]);
  const path = number_of(address.path, profile.count);
  const one = all.find((row) => row.path === path);
  if (!one) return null;
  const used = [...one.bins.keys()].filter((i) => one.bins[i] > 0);
  const most = one.bins.reduce((a, b) => Math.max(a, b), 0);
  return (
    <div>
      <h3>Distribution over ranks</h3>
      <p class="foot">Number of ranks by the time that they spent in the chosen path itself.</p>
      <Table id="by-time" label="Ranks by time in the chosen path" rows={used.length} height={260} filter={() => true} filter_key={String(path)}
        columns={[
          text_column("time", "Exclusive", "Time of a rank in the path itself", (row) => (used[row] === 0 ? "0" : `${time(2 ** (used[row] - 1))} to ${time(2 ** used[row])}`)),
          count_column("ranks", "Ranks", "Number of ranks with this time", (row) => one.bins[used[row]], { share: (row) => one.bins[used[row]] / most }),
        ]} />
    </div>
  );
}

function Ranks({ profile }: ViewProps) {
  const address = use_address();
  const values = rank_values(profile);
  const ranks = profile.list("ranks");
  const number = ranks.numbers("rank");
  const host = ranks.texts("host");
  const runtime = ranks.numbers("runtime_ns");
  const mpi = ranks.numbers("mpi_ns");
  const overhead = ranks.numbers("overhead_ns");
  const memory = ranks.numbers("memory_bytes");
  const calls = ranks.numbers("calls");
  const threads = ranks.numbers("threads");
  const most = mpi.reduce((a, b) => Math.max(a, b), 0);
  return (
    <>
      {values ? <HeatMap profile={profile} values={values} /> : <Spread profile={profile} />}
      {!values && <ByTime profile={profile} />}
      <h3>All ranks</h3>
      <Table id="ranks" label="Ranks" rows={ranks.rows} sort="rank" height={380} selected={number.indexOf(number_of(address.rank, 1e9))}
        on_select={(row) => set_address({ rank: String(number[row]) })}
        columns={[
          { id: "rank", title: "Rank", help: "In MPI_COMM_WORLD", value: (row) => number[row] },
          text_column("host", "Host", "Where it ran", (row) => host[row], 9),
          time_column("runtime", "Run time", "From its first event to its end", (row) => runtime[row]),
          time_column("mpi", "In MPI", "Time in MPI functions, of all threads", (row) => mpi[row], { share: (row) => mpi[row] / (most || 1) }),
          { id: "mpi_share", title: "In MPI", unit: "%", help: "Of its run time", value: (row) => (100 * mpi[row]) / (runtime[row] || 1), text: (row) => percent(mpi[row], runtime[row]) },
          time_column("outside", "Outside MPI", "Run time minus time in MPI: the other ranks wait for the rank with most of it", (row) => runtime[row] - mpi[row]),
          { id: "threads", title: "Threads", help: "That recorded something", value: (row) => threads[row] },
          count_column("calls", "Calls", "Calls of all its paths", (row) => calls[row]),
          time_column("overhead", "Cost", "Estimated cost of measuring", (row) => overhead[row]),
          { id: "memory", title: "Call trees", help: "Memory of its call trees (in CSV: bytes)", value: (row) => memory[row], text: (row) => bytes(memory[row]) },
        ]} />
    </>
  );
}

// For profiles that only contain the ranks with the least and the most time of each path.
function Spread({ profile }: { profile: Profile }) {
  const address = use_address();
  const spread = profile.list("spread");
  const path = spread.numbers("path");
  const least = spread.numbers("min_ns");
  const most = spread.numbers("max_ns");
  const ranks = profile.run.summed_ranks;
  const mean = (row: number): number => profile.exclusive[path[row]] / ranks;
  const matches = useMemo(() => matching(profile.names, address.q ?? ""), [profile, address.q]);
  return (
    <>
      <div class="tools"><Search label="Search for functions" /></div>
      <Table id="spread" label="Spread of call paths over ranks" rows={spread.rows} sort="-imbalance" height={420}
        filter={(row) => !matches || matches[profile.func[path[row]]] === 1} filter_key={address.q ?? ""}
        selected={Array.prototype.indexOf.call(path, number_of(address.path, profile.count))} on_select={(row) => set_address({ path: String(path[row]) })}
        columns={[
          text_column("function", "Function", "The last function of the path", (row) => profile.name(path[row])),
          text_column("caller", "Caller", "The caller on this path", (row) => (profile.parent[path[row]] >= 0 ? profile.name(profile.parent[path[row]]) : "")),
          time_column("mean", "Mean of ranks", "Time in the path itself, divided by the number of ranks of the run", (row) => mean(row)),
          { id: "least", title: "Least (rank)", unit: "s", help: "On the rank with least of it, among those that have it", value: (row) => least[row] / 1e9, text: (row) => `${seconds(least[row])} (${spread.numbers("min_rank")[row]})` },
          { id: "most", title: "Largest (on rank)", unit: "s", help: "On the rank with most of it", value: (row) => most[row] / 1e9, text: (row) => `${seconds(most[row])} (${spread.numbers("max_rank")[row]})` },
          time_column("imbalance", "Imbalance", "Most minus mean", (row) => Math.max(0, most[row] - mean(row))),
          { id: "ranks", title: "Ranks", help: "Number of ranks on which it occurs", value: (row) => spread.numbers("ranks")[row] },
        ]} />
      <PathLine profile={profile} path={number_of(address.path, profile.count)} />
    </>
  );
}

export const ranks_view: View = {
  id: "ranks", title: "Ranks", help: "How the time of call paths is spread over the MPI ranks. Choosing a path or a rank narrows the tables below.",
  exists: (_, profile) => profile.list("ranks").rows > 1, show: Ranks,
};
