// A table with any number of rows: only visible rows are elements. It can be sorted by a click or
// Enter on a header, navigated by keys, and saved as CSV.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { set_address, use_address } from "./address.ts";
import { count, seconds } from "./format.ts";
import { csv, sorted_rows } from "./rows.ts";

export interface TableColumn {
  id: string;
  title: string;
  unit?: string;
  help: string;
  // The value by which rows are sorted, and which is written to CSV.
  value: (row: number) => number | string;
  // What is shown, if it is not the value itself.
  text?: (row: number) => ComponentChildren;
  share?: (row: number) => number; // length of the bar behind it, 0 to 1
  left?: boolean; // a text
  width?: number; // rem: minimum for a text that is at least as long
}

type More = Partial<TableColumn>;

// For times in ns.
export const time_column = (id: string, title: string, help: string, ns: (row: number) => number, more?: More): TableColumn =>
  ({ id, title, unit: "s", help, value: (row) => ns(row) / 1e9, text: (row) => seconds(ns(row)), ...more });
export const count_column = (id: string, title: string, help: string, value: (row: number) => number, more?: More): TableColumn =>
  ({ id, title, help, value, text: (row) => count(value(row)), ...more });
export const text_column = (id: string, title: string, help: string, value: (row: number) => string, width?: number): TableColumn =>
  ({ id, title, help, left: true, width, value });

interface Props {
  id: string; // in the address, and of the CSV file
  label: string;
  columns: TableColumn[];
  rows: number;
  filter?: (row: number) => boolean;
  filter_key?: string; // changes when the result of the filter changes
  sort?: string; // initial column to sort by, with "-" before it for descending order
  selected?: number;
  on_select?: (row: number) => void;
  on_open?: (row: number) => void;
  height?: number;
}

const row_height = 24;
const header_height = 30;
const padding = 17.6; // of a cell
const rem = 16;
const most_text = 48; // rem: maximum for a text
const scrollbar = 18; // if all rows fit, for a table that is wider than the window

export function Table(props: Props) {
  const { id, columns, rows } = props;
  const address = use_address();
  const sort = address[`${id}-sort`] ?? props.sort ?? "";
  const body = useRef<HTMLDivElement>(null);
  const [top, set_top] = useState(0);
  const printing = use_printing();
  const order = useMemo(
    () => sorted_rows(rows, columns, sort, props.filter),
    [rows, sort, props.filter_key, columns.length, columns[0], id],
  );
  const fixed = props.height ?? 420;
  const height = Math.min(order.length, Math.max(1, Math.floor(fixed / row_height))) * row_height;
  const first = printing ? 0 : Math.max(0, Math.floor(top / row_height) - 8);
  const last = printing ? Math.min(order.length, 200) : Math.min(order.length, Math.ceil((top + height) / row_height) + 8);
  const place = props.selected === undefined ? -1 : order.indexOf(props.selected);

  useLayoutEffect(() => {
    const element = body.current;
    if (!element || place < 0) return;
    const y = place * row_height;
    const room = element.clientHeight - header_height;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + row_height > element.scrollTop + room) element.scrollTop = y + row_height - room;
  }, [place]);

  const sort_by = (column: TableColumn) => {
    const numeric = typeof column.value(order[0] ?? 0) === "number";
    const next = sort === `-${column.id}` ? column.id : sort === column.id ? `-${column.id}` : numeric ? `-${column.id}` : column.id;
    set_address({ [`${id}-sort`]: next });
  };
  const move = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height / row_height) - 1);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -order.length, End: order.length };
    if (event.key === "Enter" && place >= 0 && props.on_open) props.on_open(order[place]);
    else if (event.key in steps && props.on_select && order.length > 0)
      props.on_select(order[Math.max(0, Math.min(order.length - 1, (place < 0 && steps[event.key] > 0 ? -1 : Math.max(0, place)) + steps[event.key]))]);
    else return;
    event.preventDefault();
  };
  // Numbers are never cut off: columns have room for the longest of a sample of their cells, and
  // for the largest and smallest value. A text has at least the width of its column.
  const widths = useMemo(() => {
    const every = Math.ceil(rows / 1000);
    return columns.map((column) => {
      let longest = "";
      let is_drawn = false; // not a text: it may be indented
      const measure = (row: number): void => {
        const shown = column.text ? column.text(row) : column.value(row);
        is_drawn ||= typeof shown === "object" && shown !== null;
        const text = String(typeof shown === "string" || typeof shown === "number" ? shown : column.value(row));
        if (text.length > longest.length) longest = text;
      };
      let [largest, most_value, smallest, least_value] = [0, -Infinity, 0, Infinity];
      for (let row = 0; row < rows; row += 1 + Math.floor(rows / 20_000)) {
        const value = column.value(row);
        if (typeof value === "string") continue;
        if (value > most_value) [most_value, largest] = [value, row];
        if (value < least_value) [least_value, smallest] = [value, row];
      }
      for (let row = 0; row < rows; row += every) measure(row);
      if (rows > 0) [largest, smallest].forEach(measure);
      const heading = text_width(column.title, true) + (column.unit ? 4 + text_width(column.unit) : 0) + (column.left ? 15 : 0);
      const most = (padding + Math.max(heading, 1.04 * text_width(longest) + (is_drawn ? 4 * rem : 0), column.share ? 3 * rem : 0)) / rem;
      return column.left ? { least: Math.min(most, Math.max(column.width ?? 12, (padding + heading) / rem)), most: Math.min(most, most_text) } : { least: most, most };
    });
  }, [rows, columns.length, columns[0], id]);
  const template = widths.map(({ least, most }) => (least < most ? `minmax(${least}rem, ${most}rem)` : `${least}rem`)).join(" ");
  const sum_of = (side: "least" | "most"): string => `${widths.reduce((sum, width) => sum + width[side], 0)}rem`;
  const least = { minWidth: sum_of("least") };

  const lines = [];
  for (let i = first; i < last; i++) {
    const row = order[i];
    lines.push(
      <div key={row} role="row" aria-rowindex={i + 2} aria-selected={row === props.selected}
        class={`row${row === props.selected ? " selected" : ""}${i % 2 ? " odd" : ""}`}
        style={printing ? { gridTemplateColumns: template } : { gridTemplateColumns: template, top: `${i * row_height}px`, position: "absolute" }}
        onClick={() => props.on_select?.(row)} onDblClick={() => props.on_open?.(row)}>
        {columns.map((column) => {
          const value = column.value(row);
          const share = column.share?.(row);
          return (
            <div role="gridcell" class={column.left ? "cell left" : "cell"} key={column.id}
              title={typeof value === "string" ? value : undefined}>
              {share !== undefined && <span class="bar" style={{ width: `${Math.max(0, Math.min(1, share)) * 100}%` }} />}
              <span class="value"><bdi>{column.text ? column.text(row) : value}</bdi></span>
            </div>
          );
        })}
      </div>,
    );
  }
  return (
    <div class="table" role="grid" aria-label={props.label} aria-rowcount={order.length + 1} data-table={id}
      style={{ maxWidth: `calc(${sum_of("most")} + 1.2rem)` }}>
      <div class="table-body" ref={body} tabIndex={0} style={printing ? undefined : { maxHeight: `${height + header_height + (order.length * row_height > height ? 1 : scrollbar)}px` }}
        onScroll={(event) => set_top(event.currentTarget.scrollTop)} onKeyDown={move}>
        <div role="row" class="row header" style={{ gridTemplateColumns: template, ...least }}>
          {columns.map((column) => (
            <div key={column.id} role="columnheader" class={column.left ? "cell left" : "cell"}
              aria-sort={sort === column.id ? "ascending" : sort === `-${column.id}` ? "descending" : "none"}>
              <button title={column.help} data-column={column.id} onClick={() => sort_by(column)}>
                {column.title}{column.unit && <small> {column.unit}</small>}
                <span class="arrow" aria-hidden="true">{sort === column.id ? " \u25b4" : sort === `-${column.id}` ? " \u25be" : ""}</span>
              </button>
            </div>
          ))}
        </div>
        <div role="presentation" style={printing ? least : { height: `${order.length * row_height}px`, position: "relative", ...least }}>{lines}</div>
      </div>
      <p class="foot">
        {order.length === rows ? `${rows.toLocaleString("en-US")} row${rows === 1 ? "" : "s"}` : `${order.length.toLocaleString("en-US")} of ${rows.toLocaleString("en-US")} rows`}
        {printing && order.length > last ? `; the first ${last} are printed` : ""}
        {" "}<button class="link" data-csv={id} onClick={() => save_text(`${id}.csv`, csv(columns, order))}>save as CSV</button>
      </p>
    </div>
  );
}

// In pixels, with the font of tables.
let ruler: CanvasRenderingContext2D | null | undefined;
function text_width(text: string, bold = false): number {
  if (ruler === undefined) ruler = document.createElement("canvas").getContext("2d");
  if (!ruler) return 7.8 * text.length;
  ruler.font = `${bold ? "600 " : ""}13px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}

export function save_text(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function use_printing(): boolean {
  const [printing, set_printing] = useState(false);
  useEffect(() => {
    const on = () => set_printing(true);
    const off = () => set_printing(false);
    window.addEventListener("beforeprint", on);
    window.addEventListener("afterprint", off);
    return () => {
      window.removeEventListener("beforeprint", on);
      window.removeEventListener("afterprint", off);
    };
  }, []);
  return printing;
}
