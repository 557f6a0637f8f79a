// The lanes of a timeline: one for each thread or stream of a GPU, with a row for each depth of
// calls.
import type { Block } from "./blocks.ts";

export interface Lane {
  label: string;
  rank: number;
  height: number; // rows, at least one
  rows: number[][]; // calls by depth, in order of time
  outer: number; // rows that only have init and main, above others
}

// Deeper calls are in the last row.
export const most_rows_of_lane = 24;

export function lanes_of(trace: Block): Lane[] {
  const list = trace.lists.get("lanes")!;
  const label = list.texts("label");
  const rank = list.numbers("rank");
  const lanes: Lane[] = label.map((text, i) => ({ label: text, rank: rank[i], height: 1, rows: [[]], outer: 0 }));
  const calls = trace.lists.get("calls")!;
  const lane = calls.numbers("lane");
  const depth = calls.numbers("depth");
  for (let i = 0; i < calls.rows; i++) {
    const { rows } = lanes[lane[i]];
    const row = Math.min(depth[i], most_rows_of_lane - 1);
    while (rows.length <= row) rows.push([]);
    rows[row].push(i);
  }
  const kind = trace.lists.get("functions")!.texts("kind");
  const name = trace.lists.get("functions")!.texts("name");
  const func = calls.numbers("function");
  const is_outer = (call: number): boolean => kind[func[call]] === "root" || /^(main|MAIN__)$/.test(name[func[call]]);
  for (const one of lanes) {
    one.height = one.rows.length;
    while (one.outer + 1 < one.height && one.rows[one.outer].length === 1 && is_outer(one.rows[one.outer][0])) one.outer++;
  }
  return lanes;
}

// A lane as it is shown. All threads and streams of a collapsed rank are one row, on which calls
// cover those that called them.
export interface ShownLane {
  lane: Lane;
  index: number; // of the lane
  label: string;
  top: number; // rows above it
  first: number; // depth of its first row
  height: number; // rows
  collapsed: boolean;
}

export function shown_lanes(lanes: Lane[], with_outer: boolean, collapsed: (rank: number) => boolean): ShownLane[] {
  const shown: ShownLane[] = [];
  let top = 0;
  let rank = -1;
  lanes.forEach((lane, index) => {
    const is_collapsed = collapsed(lane.rank);
    if (is_collapsed && lane.rank === rank) return;
    rank = lane.rank;
    const first = with_outer || is_collapsed ? 0 : lane.outer;
    const height = is_collapsed ? 1 : lane.height - first;
    const more = is_collapsed ? lanes.filter((one) => one.rank === lane.rank).length - 1 : 0;
    shown.push({ lane, index, label: more > 0 ? `${lane.label} (+${more})` : lane.label, top, first, height, collapsed: is_collapsed });
    top += height;
  });
  return shown;
}

// The deepest call of the row's list that covers the time, or -1. `begin`, `ns`: of all calls.
export function call_at(list: number[], begin: ArrayLike<number>, ns: ArrayLike<number>, at: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (begin[list[middle]] <= at) low = middle + 1;
    else high = middle;
  }
  const call = low > 0 ? list[low - 1] : -1;
  return call >= 0 && begin[call] + ns[call] >= at ? call : -1;
}

// The depth of the call that sent or received a message at this time: the deepest MPI call, or else
// the deepest call.
export function depth_of_message(lane: Lane, begin: ArrayLike<number>, ns: ArrayLike<number>, at: number, is_mpi: (call: number) => boolean): number {
  let deepest = -1;
  for (let depth = lane.rows.length - 1; depth >= 0; depth--) {
    const call = call_at(lane.rows[depth], begin, ns, at);
    if (call < 0) continue;
    if (is_mpi(call)) return depth;
    if (deepest < 0) deepest = depth;
  }
  return Math.max(0, deepest);
}

// The sums of a window: what is recorded, and how many boxes are reconstructed.
export interface WindowSum {
  func: number;
  ns: number;
  count: number;
  reconstructed: number;
}

export function window_sums(calls: { rows: number }, begin: ArrayLike<number>, ns: ArrayLike<number>, func: ArrayLike<number>, reconstructed: ArrayLike<number>, from: number, to: number): WindowSum[] {
  const sums: WindowSum[] = [];
  const place = new Map<number, number>();
  for (let i = 0; i < calls.rows; i++) {
    const inside = Math.min(begin[i] + ns[i], to) - Math.max(begin[i], from);
    if (inside <= 0) continue;
    let at = place.get(func[i]);
    if (at === undefined) {
      place.set(func[i], (at = sums.length));
      sums.push({ func: func[i], ns: 0, count: 0, reconstructed: 0 });
    }
    if (reconstructed[i] > 0) sums[at].reconstructed++;
    else {
      sums[at].ns += inside;
      sums[at].count++;
    }
  }
  return sums;
}
