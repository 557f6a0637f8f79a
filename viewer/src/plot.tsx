// Lines and points over an axis, on a canvas: values at the pointer or with the arrow keys, zooming
// by dragging, lines that can be hidden, all values as CSV.
import { useMemo, useState } from "preact/hooks";
import { set_address, use_address } from "./address.ts";
import { Canvas } from "./canvas.tsx";
import { faint, ink, is_dark, line } from "./colors.ts";
import { number } from "./format.ts";
import { nearest, place_of, scale_of, tick_text, value_at } from "./plot_layout.ts";
import { csv } from "./rows.ts";
import { save_text } from "./table.tsx";

export interface PlotLine {
  name: string;
  values: (number | null)[]; // at each x
  color: number; // of line_color()
  dashed?: boolean;
  points?: boolean; // instead of a line
  steps?: boolean; // a value holds until the next one
  band?: boolean; // only the area between least and most
  least?: (number | null)[]; // of each value, shown as an error bar
  most?: (number | null)[];
}

interface Props {
  name: string; // in the address, and of the CSV file
  label: string;
  x_label: string; // with its unit, like that of y
  y_label: string;
  x: number[]; // ascending
  lines: PlotLine[];
  height?: number;
  log?: boolean;
}

const left = 68;
const right = 18;
const top = 10;
const bottom = 46;

const wheel = [211, 28, 150, 265, 345, 50, 180, 310];
export const line_color = (i: number): string => `hsl(${wheel[i % wheel.length]} 65% ${is_dark() ? 62 : 42}%)`;

export function Plot({ name, label, x_label, y_label, x, lines, height = 300, log = false }: Props) {
  const address = use_address();
  const [hover, set_hover] = useState<{ x: number; y: number; at: number } | undefined>();
  const [cursor, set_cursor] = useState(-1);
  const hidden = new Set((address[`${name}-hidden`] ?? "").split(",").filter(Boolean).map(Number));
  const [from, to] = (address[`${name}-zoom`] ?? "").split("_").map(Number);
  const zoomed = Number.isFinite(from) && from < to;
  const begin = zoomed ? from : x[0];
  const end = zoomed ? to : x[x.length - 1];
  const shown = lines.filter((_, i) => !hidden.has(i));
  const inside = (at: number): boolean => x[at] >= begin && x[at] <= end;
  const scale_x = useMemo(() => {
    const scale = scale_of(zoomed ? [begin, end] : x, log, 8, zoomed || x.length > 60);
    // If there are few values, each has a tick.
    return log && x.length <= 10 ? { ...scale, ticks: x.filter((_, i) => inside(i)) } : scale;
  }, [x, log, begin, end]);
  const scale_y = useMemo(
    () => scale_of(shown.flatMap((one) => [one.values, one.least ?? [], one.most ?? []].flatMap((values) => values.filter((_, at) => inside(at)))), log, 7),
    [lines, address[`${name}-hidden`], log, begin, end],
  );
  const at = hover ? hover.at : cursor < x.length ? cursor : -1;
  const text_of = (one: PlotLine): string => {
    const value = one.values[at];
    if (value === null || value === undefined) return "";
    const least = one.least?.[at];
    const most = one.most?.[at];
    return `${one.name}: ${number(value)}${least !== null && least !== undefined && most !== null && most !== undefined && least < most ? ` (${number(least)} to ${number(most)})` : ""}`;
  };
  const values = at < 0 ? [] : shown.map(text_of).filter((text) => text !== "");
  const zoom_to = (a: number, b: number): void => set_address({ [`${name}-zoom`]: `${Number(a.toPrecision(6))}_${Number(b.toPrecision(6))}` });
  const place_at = (pixel: number, width: number): number => (pixel - left) / (width - left - right);
  const step = (by: number): void => {
    let next = cursor < 0 && by < 0 ? x.length : cursor;
    do next += by; while (next >= 0 && next < x.length && !inside(next));
    if (next >= 0 && next < x.length) set_cursor(next);
  };
  return (
    <div>
      <Canvas name={name} height={height} inputs={[x, lines, address[`${name}-hidden`], scale_x, scale_y, at]}
        label={`${label}: ${y_label} over ${x_label}, ${lines.map((one) => one.name).join(", ")}. Arrow keys move between values, Escape shows all.`}
        draw={({ context, width }) => {
          const w = width - left - right;
          const h = height - top - bottom;
          const x_of = (value: number): number => left + place_of(scale_x, value) * w;
          const y_of = (value: number): number => top + h - place_of(scale_y, value) * h;
          context.font = "12px system-ui, sans-serif";
          context.lineWidth = 1;
          context.strokeStyle = line();
          context.fillStyle = faint();
          context.textAlign = "right";
          context.textBaseline = "middle";
          for (const tick of scale_y.ticks) {
            const y = Math.round(y_of(tick)) + 0.5;
            context.strokeRect(left, y, w, 0);
            context.fillText(tick_text(tick), left - 7, y);
          }
          context.textAlign = "center";
          context.textBaseline = "top";
          let room = -Infinity;
          for (const tick of scale_x.ticks) {
            const place = Math.round(x_of(tick)) + 0.5;
            const half = context.measureText(tick_text(tick)).width / 2;
            context.strokeRect(place, top, 0, h);
            if (place - half < room) continue;
            room = place + half + 8;
            context.fillText(tick_text(tick), place, top + h + 6);
          }
          context.fillStyle = ink();
          context.fillText(x_label, left + w / 2, top + h + 26, w);
          context.save();
          context.translate(4, top + h / 2);
          context.rotate(-Math.PI / 2);
          context.fillText(y_label, 0, 0, h + bottom);
          context.restore();
          context.save();
          context.beginPath();
          context.rect(left - 5, top - 5, w + 10, h + 10);
          context.clip();
          for (const one of shown) {
            const drawable = (value: number | null | undefined): value is number => value !== null && value !== undefined && Number.isFinite(value) && (!log || value > 0);
            const dots = one.points === true || (x.length < 60 && !one.steps);
            context.strokeStyle = context.fillStyle = line_color(one.color);
            context.lineWidth = 2;
            context.setLineDash(one.dashed ? [6, 4] : []);
            if (one.band) {
              const places = [...x.keys()].filter((i) => drawable(one.least?.[i]) && drawable(one.most?.[i]));
              context.beginPath();
              for (const i of places) context.lineTo(x_of(x[i]), y_of(one.most![i]!));
              for (const i of places.reverse()) context.lineTo(x_of(x[i]), y_of(one.least![i]!));
              context.globalAlpha = 0.18;
              context.fill();
              context.globalAlpha = 1;
              context.setLineDash([]);
              continue;
            }
            context.beginPath();
            let held: number | undefined; // pixels
            if (!one.points)
              one.values.forEach((value, i) => {
                if (!drawable(value)) return;
                if (one.steps && held !== undefined) context.lineTo(x_of(x[i]), held);
                held = y_of(value);
                context.lineTo(x_of(x[i]), held);
              });
            context.stroke();
            context.setLineDash([]);
            context.lineWidth = 1;
            one.values.forEach((value, i) => {
              if (!drawable(value)) return;
              const least = one.least?.[i];
              const most = one.most?.[i];
              if (drawable(least) && drawable(most)) context.strokeRect(x_of(x[i]), y_of(most), 0, y_of(least) - y_of(most));
              if (!(dots && !one.dashed) && i !== at) return;
              context.beginPath();
              context.arc(x_of(x[i]), y_of(value), i === at ? 4.5 : 3, 0, 7);
              context.fill();
            });
          }
          context.restore();
          if (at >= 0 && inside(at)) {
            context.strokeStyle = faint();
            context.setLineDash([3, 3]);
            context.strokeRect(Math.round(x_of(x[at])) + 0.5, top, 0, h);
            context.setLineDash([]);
          }
        }}
        tip={hover && { x: hover.x, y: hover.y, text: [`${x_label}: ${number(x[hover.at])}`, ...values].join("\n") }}
        on_move={(pixel, y, width) => {
          const next = nearest(scale_x, x, place_at(pixel, width));
          set_hover(next < 0 || pixel < left - 10 ? undefined : { x: pixel, y, at: next });
        }}
        on_leave={() => set_hover(undefined)}
        on_double_click={() => set_address({ [`${name}-zoom`]: "" })}
        on_drag={(a, b, width) => zoom_to(value_at(scale_x, Math.max(0, place_at(a, width))), value_at(scale_x, Math.min(1, place_at(b, width))))}
        on_key={(event) => {
          if (event.key === "ArrowRight") step(1);
          else if (event.key === "ArrowLeft") step(-1);
          else if (event.key === "Home") set_cursor(x.findIndex((_, i) => inside(i)));
          else if (event.key === "End") set_cursor(x.length - 1 - [...x].reverse().findIndex((_, i) => inside(x.length - 1 - i)));
          else if (event.key === "Escape") {
            set_cursor(-1);
            set_address({ [`${name}-zoom`]: "" });
          } else return;
          event.preventDefault();
        }} />
      <p class="legend">
        {lines.map((one, i) => (
          <button key={i} class="link" aria-pressed={!hidden.has(i)} title="Show or hide" data-line={`${name}-${i}`}
            onClick={() => {
              if (!hidden.delete(i)) hidden.add(i);
              set_address({ [`${name}-hidden`]: [...hidden].join(",") });
            }}>
            <i class={one.points ? "dot" : one.dashed ? "dashed" : ""} style={{ [one.dashed && !one.points ? "borderColor" : "background"]: line_color(one.color) }} /><bdi>{one.name}</bdi>
          </button>
        ))}
        {zoomed && <button class="link" onClick={() => set_address({ [`${name}-zoom`]: "" })}>whole axis</button>}
        <button class="link" data-csv={name} onClick={() => save_text(`${name}.csv`, csv([
          { id: "x", title: x_label, value: (row) => x[row] },
          ...lines.map((one, i) => ({ id: String(i), title: `${one.name}: ${y_label}`, value: (row: number) => one.values[row] ?? "" })),
        ], [...x.keys()]))}>save as CSV</button>
      </p>
      <p class="foot" aria-live="polite" data-status={name}>
        {!hover && cursor >= 0 && cursor < x.length ? `${x_label}: ${number(x[cursor])}. ${values.join("; ")}` : "Arrow keys move between values; drag to zoom, double-click or press Escape to show all."}
      </p>
    </div>
  );
}
