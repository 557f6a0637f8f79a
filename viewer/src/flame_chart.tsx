// A flame graph on a canvas of the window's size; rows that do not fit can be scrolled to.
import { useMemo, useState } from "preact/hooks";
import { Canvas, type Drawing } from "./canvas.tsx";
import { accent, faint, ink, paper } from "./colors.ts";
import type { Box, FlameTree } from "./flame_layout.ts";
import { count, fitted, percent, short, time } from "./format.ts";

const row_height = 18;

interface Props {
  name: string;
  label: string;
  tree: FlameTree;
  names: (func: number) => string;
  color: (id: number) => string;
  matches?: Uint8Array; // by function
  zoom: number; // -1: all
  selected: number; // -1: none
  describe?: (id: number) => string;
  whole: number; // the value that is 100 %
  text?: (value: number) => string; // of a value; usually ns
  up?: boolean; // rows grow upwards
  height?: number;
  on_zoom: (id: number) => void;
  on_select: (id: number) => void;
  on_open?: (id: number) => void;
  version?: unknown; // changes when the colours change
}

export function FlameChart(props: Props) {
  const { tree, zoom } = props;
  const [first_row, set_first_row] = useState(0);
  const [hover, set_hover] = useState<{ box: Box; x: number; y: number } | undefined>();
  const [pixels, set_pixels] = useState(1200);
  const boxes = useMemo(() => tree.boxes(zoom, pixels), [tree, zoom, pixels]);
  const deepest = boxes.reduce((most, box) => Math.max(most, box.row), 0);
  const height = Math.min(props.height ?? Math.max(260, Math.round(window.innerHeight * 0.62)), (deepest + 1) * row_height + 2);
  const rows = Math.floor(height / row_height);
  const top = Math.max(0, Math.min(first_row, deepest + 1 - rows));
  const y_of = (row: number): number => (props.up ? height - (row - top + 1) * row_height : (row - top) * row_height);
  const text_of = (id: number): string => {
    const value = tree.value(id);
    const more = props.describe?.(id);
    return `${short(props.names(tree.func(id)), 400)}\n${(props.text ?? time)(value)}, ${percent(value, props.whole)} % of the whole${more ? `\n${more}` : ""}`;
  };
  const at = (x: number, y: number, width: number): Box | undefined => {
    const row = top + Math.floor((props.up ? height - y : y) / row_height);
    const share = x / width;
    return boxes.find((box) => box.row === row && box.x <= share && share < box.x + box.width);
  };

  const draw = ({ context, width }: Drawing): void => {
    if (width !== pixels) set_pixels(width);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const searching = props.matches !== undefined;
    for (const box of boxes) {
      if (box.row < top || box.row > top + rows) continue;
      const x = box.x * width;
      const y = y_of(box.row);
      const w = Math.max(0.5, box.width * width - (box.width * width > 3 ? 1 : 0));
      const matched = searching && props.matches![tree.func(box.id)] === 1;
      context.globalAlpha = searching && !matched ? 0.25 : 1;
      context.fillStyle = props.color(box.id);
      context.fillRect(x, y, w, row_height - 1);
      context.globalAlpha = 1;
      if (w > 28) {
        context.fillStyle = searching && !matched ? faint() : ink();
        const room = Math.floor((w - 6) / 6.3);
        context.fillText(fitted(props.names(tree.func(box.id)), room), x + 3, y + row_height / 2, w - 4);
      }
      if (matched || box.id === props.selected) {
        context.strokeStyle = box.id === props.selected ? ink() : accent();
        context.lineWidth = box.id === props.selected ? 2 : 1;
        context.strokeRect(x + 1, y + 1, Math.max(1, w - 2), row_height - 3);
      }
    }
    const shown = boxes.reduce((sum, box) => (box.row === 0 ? sum + box.width : sum), 0);
    if (top === 0 && boxes.length > 0 && shown < 0.9) {
      context.fillStyle = faint();
      context.fillText(`The other ${percent(1 - shown, 1)} % are boxes narrower than half a pixel.`, shown * width + 8, y_of(0) + row_height / 2, width * (1 - shown) - 10);
    }
    if (boxes.length === 0) {
      context.fillStyle = faint();
      context.fillText("No time to show.", 8, 16);
    }
    context.fillStyle = paper();
  };

  const select = (id: number): void => {
    props.on_select(id);
    const box = boxes.find((candidate) => candidate.id === id);
    if (box && (box.row < top || box.row >= top + rows)) set_first_row(Math.max(0, box.row - Math.floor(rows / 2)));
  };
  const key = (event: KeyboardEvent): void => {
    const now = props.selected >= 0 ? props.selected : zoom >= 0 ? zoom : (tree.roots[0] ?? -1);
    if (now < 0) return;
    const parent = tree.parent(now);
    const siblings = parent >= 0 ? tree.children(parent) : tree.roots;
    const place = siblings.indexOf(now);
    const deeper = props.up ? "ArrowUp" : "ArrowDown";
    const higher = props.up ? "ArrowDown" : "ArrowUp";
    if (event.key === deeper) select(tree.children(now)[0] ?? now);
    else if (event.key === higher) select(parent >= 0 ? parent : now);
    else if (event.key === "ArrowRight") select(siblings[Math.min(siblings.length - 1, place + 1)]);
    else if (event.key === "ArrowLeft") select(siblings[Math.max(0, place - 1)]);
    else if (event.key === "Enter") props.on_zoom(now);
    else if (event.key === "Escape" || event.key === "Backspace") props.on_zoom(-1);
    else if (event.key === "PageDown") set_first_row(Math.min(deepest, top + rows - 1));
    else if (event.key === "PageUp") set_first_row(Math.max(0, top - rows + 1));
    else if (event.key.toLowerCase() === "s" && props.on_open) props.on_open(now);
    else return;
    event.preventDefault();
  };
  const matched_ns = useMemo(() => {
    if (!props.matches) return 0;
    // Of nested boxes, only the outermost counts; each box comes after the one that contains it.
    const inside = new Set<number>();
    let sum = 0;
    for (const { id } of boxes) {
      const covered = inside.has(tree.parent(id));
      const matched = props.matches[tree.func(id)] === 1;
      if (matched && !covered) sum += tree.value(id);
      if (matched || covered) inside.add(id);
    }
    return sum;
  }, [props.matches, boxes]);
  const selected = props.selected >= 0 ? text_of(props.selected).replace("\n", ": ").replaceAll("\n", ", ") : "";
  return (
    <div>
      <Canvas name={props.name} height={height} inputs={[boxes, top, props.matches, props.selected, props.version, props.up]}
        label={`${props.label}. Arrow keys move between boxes, Enter zooms in, Escape out${props.on_open ? ", S opens the function" : ""}. ${selected}`}
        draw={draw}
        tip={hover && { x: hover.x, y: hover.y, text: text_of(hover.box.id) }}
        on_move={(x, y, width) => {
          const box = at(x, y, width);
          set_hover(box && { box, x, y });
        }}
        on_leave={() => set_hover(undefined)}
        on_click={(x, y, width) => {
          const box = at(x, y, width);
          if (!box) return;
          props.on_select(box.id);
          props.on_zoom(box.id);
        }}
        on_wheel={(event) => {
          if (deepest + 1 <= rows) return;
          const next = Math.max(0, Math.min(deepest + 1 - rows, top + Math.sign(event.deltaY) * (props.up ? -3 : 3)));
          if (next !== top) {
            event.preventDefault();
            set_first_row(next);
          }
        }}
        on_key={key} />
      <p class="foot" aria-live="polite" data-status={props.name}>
        {props.matches ? `Matching: ${time(matched_ns)}, ${percent(matched_ns, props.whole)} %. ` : ""}
        {selected || `${count(boxes.length)} ${boxes.length === 1 ? "box is" : "boxes are"} wide enough to be drawn; zoom in to see those below.`}
        {deepest + 1 > rows ? ` Rows ${top + 1} to ${Math.min(deepest + 1, top + rows)} of ${deepest + 1}: scroll for more.` : ""}
      </p>
    </div>
  );
}
