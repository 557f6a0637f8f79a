// Draws the lanes of a timeline: calls as boxes, and hatched boxes for calls that the trace did not
// record as they are drawn.
import { accent, faint, ink, line, paper } from "./colors.ts";
import { fitted, time } from "./format.ts";
import type { ShownLane } from "./lanes.ts";
import { linear_ticks } from "./plot_layout.ts";

export const row_height = 15;
export const lane_gap = 6;
export const head = 26; // the ruler

// The calls of a trace, by number.
export interface Boxes {
  begin: ArrayLike<number>;
  ns: ArrayLike<number>;
  reconstructed: ArrayLike<number>; // 0: recorded
  name: (call: number) => string;
  color: (call: number) => string;
  matches: (call: number) => boolean;
}

export interface Window {
  from: number;
  to: number;
  left: number; // of the boxes, pixels
  width: number;
  height: number;
}

// 1.5 ms instead of 1.50 ms
export const short_time = (ns: number): string => time(ns).replace(/\.?0+ /, (zeros) => (zeros.startsWith(".") ? " " : zeros)).replace(/(\.\d*[1-9])0+ /, "$1 ");

// Oblique lines in the colour of the paper, over a box.
function hatching(context: CanvasRenderingContext2D): CanvasPattern | null {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const lines = tile.getContext("2d")!;
  lines.strokeStyle = paper();
  lines.lineWidth = 2;
  for (const x of [-6, 0, 6]) {
    lines.beginPath();
    lines.moveTo(x - 1, 7);
    lines.lineTo(x + 7, -1);
    lines.stroke();
  }
  return context.createPattern(tile, "repeat");
}

export function draw_lanes(context: CanvasRenderingContext2D, lanes: ShownLane[], boxes: Boxes, view: Window, y_of: (lane: ShownLane) => number): void {
  const { from, to, left, width, height } = view;
  const scale = (width - left) / (to - from);
  const pattern = hatching(context);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const shown of lanes) {
    const y0 = y_of(shown);
    if (y0 > height || y0 + shown.height * row_height < head) continue;
    context.fillStyle = line();
    context.fillRect(0, y0 - 3, width, 1);
    shown.lane.rows.forEach((list, depth) => {
      if (depth < shown.first) return;
      const y = y0 + (shown.collapsed ? 0 : depth - shown.first) * row_height;
      let drawn_to = -1;
      for (const call of list) {
        const x0 = Math.max(left, left + (boxes.begin[call] - from) * scale);
        const x1 = Math.min(width, left + (boxes.begin[call] + boxes.ns[call] - from) * scale);
        if (x1 < left || x0 > width || x1 <= drawn_to + 0.3) continue;
        drawn_to = x1;
        const matched = boxes.matches(call);
        const box = Math.max(0.7, x1 - x0 - (x1 - x0 > 3 ? 0.6 : 0));
        context.globalAlpha = matched ? 1 : 0.22;
        context.fillStyle = boxes.color(call);
        context.fillRect(x0, y, box, row_height - 1);
        if (boxes.reconstructed[call] > 0 && pattern) {
          context.globalAlpha = matched ? 0.55 : 0.22;
          context.fillStyle = pattern;
          context.fillRect(x0, y, box, row_height - 1);
        }
        context.globalAlpha = 1;
        if (x1 - x0 > 30 && !shown.collapsed) {
          context.fillStyle = matched ? ink() : faint();
          context.fillText(fitted(boxes.name(call), Math.floor((x1 - x0 - 4) / 6)), x0 + 2, y + row_height / 2, x1 - x0 - 3);
        }
      }
    });
  }
}

// The ruler, with lines down through the lanes, and the labels of the lanes.
export function draw_frame(context: CanvasRenderingContext2D, lanes: ShownLane[], view: Window, y_of: (lane: ShownLane) => number, label: (lane: ShownLane) => string): void {
  const { from, to, left, width, height } = view;
  const scale = (width - left) / (to - from);
  const step = (to - from) / 8;
  context.fillStyle = paper();
  context.fillRect(0, 0, width, head - 4);
  context.fillRect(0, 0, left - 2, height);
  for (const tick of linear_ticks(from, to, 8)) {
    const x = left + (tick - from) * scale;
    if (width - x < 60) continue;
    context.fillStyle = faint();
    context.fillRect(x, 4, 1, head - 8);
    // Far from the start, ticks count from the left edge.
    context.fillText(tick > 2000 * step ? `+${short_time(tick - from)}` : short_time(tick), x + 4, 11);
    context.globalAlpha = 0.35;
    context.fillStyle = line();
    context.fillRect(x, head, 1, height);
    context.globalAlpha = 1;
  }
  context.fillStyle = ink();
  context.textAlign = "left";
  for (const shown of lanes) {
    const y = y_of(shown) + row_height / 2;
    if (y > head - 6 && y < height) context.fillText(label(shown), 4, y, left - 10);
  }
}

// All lanes in a few pixels, with the window that the timeline shows.
export function draw_map(context: CanvasRenderingContext2D, lanes: ShownLane[], boxes: Boxes, end: number, view: Window): void {
  const { left, width, height } = view;
  const scale = (width - left) / end;
  const all = lanes.length;
  const bar = Math.max(1, Math.min(6, (height - 4) / all - (all < 8 ? 1 : 0)));
  lanes.forEach((shown, i) => {
    const y = 2 + ((height - 4) * i) / all;
    for (const list of shown.lane.rows) {
      let drawn_to = -1;
      for (const call of list) {
        const x0 = left + boxes.begin[call] * scale;
        const x1 = Math.min(width, x0 + boxes.ns[call] * scale);
        if (x1 <= drawn_to + 0.5) continue;
        drawn_to = x1;
        context.fillStyle = boxes.color(call);
        context.fillRect(x0, y, Math.max(0.5, x1 - x0), bar);
      }
    }
  });
  const x0 = left + view.from * scale;
  const x1 = left + view.to * scale;
  context.fillStyle = paper();
  context.globalAlpha = 0.65;
  context.fillRect(left, 0, x0 - left, height);
  context.fillRect(x1, 0, width - x1, height);
  context.globalAlpha = 1;
  context.strokeStyle = accent();
  context.lineWidth = 1.5;
  context.strokeRect(x0 + 0.75, 0.75, Math.max(2, x1 - x0 - 1.5), height - 1.5);
  context.fillStyle = faint();
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.fillText("whole run", 4, height / 2, left - 10);
}
