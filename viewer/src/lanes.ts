// The lanes of a timeline: one for each thread or stream of a GPU, with a row for each depth of
// calls.
import type { Block } from "./blocks.ts";

export interface Lane {
  label: string;
  rank: number;
  height: number; // rows, at least one
  rows: number[][]; // calls by depth, in order of time
}

// Deeper calls are in the last row.
export const most_rows_of_lane = 24;

export function lanes_of(trace: Block): Lane[] {
  const list = trace.lists.get("lanes")!;
  const label = list.texts("label");
  const rank = list.numbers("rank");
  const lanes: Lane[] = label.map((text, i) => ({ label: text, rank: rank[i], height: 1, rows: [[]] }));
  const calls = trace.lists.get("calls")!;
  const lane = calls.numbers("lane");
  const depth = calls.numbers("depth");
  for (let i = 0; i < calls.rows; i++) {
    const { rows } = lanes[lane[i]];
    const row = Math.min(depth[i], most_rows_of_lane - 1);
    while (rows.length <= row) rows.push([]);
    rows[row].push(i);
  }
  for (const one of lanes) one.height = one.rows.length;
  return lanes;
}
