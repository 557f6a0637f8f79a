// Tables of `vftrace report`, which the page contains with their columns, units and rows.
import type { TableData } from "./model.ts";
import { number_form, time } from "./format.ts";
import { Table, type TableColumn } from "./table.tsx";

type Cell = number | string | null | { about?: number; at_least?: number };

function value_of(cell: Cell): number | string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "object") return cell.about ?? cell.at_least ?? 0;
  return cell;
}
function text_of(cell: Cell, form: (value: number) => string): string {
  const value = value_of(cell);
  if (typeof value === "string") return value;
  const sign = cell === null || typeof cell !== "object" ? "" : cell.about !== undefined ? "\u2248 " : "\u2265 ";
  return sign + form(value);
}

// Columns with points in time: a bar would not mean anything.
const point_in_time = /^(at|from|to)\b/i;

// Cells of one column have the same form: seconds with the digits that its largest value needs, or,
// if that is short, each with a unit.
function columns_of({ id: table, columns, rows }: TableData): TableColumn[] {
  const has_shares = columns.some((column) => column.unit === "%");
  const first_time = columns.findIndex((column) => column.unit === "s" && !point_in_time.test(column.title));
  const name = columns.findIndex((column) => column.type === "text");
  const depth = columns.findIndex((column) => column.id === "depth");
  return columns.map((column, i): TableColumn => {
    const most = rows.reduce((a, row) => Math.max(a, Math.abs(Number(value_of(row[i]))) || 0), 0);
    const is_short = column.unit === "s" && most > 0 && most < 0.1;
    const places = most >= 1000 ? 2 : most >= 10 ? 3 : 4;
    const form = is_short ? (value: number) => (value === 0 ? "0" : time(value * 1e9))
      : column.unit === "s" ? (value: number) => value.toFixed(places)
      : column.unit === "%" ? (value: number) => value.toFixed(1)
      : number_form(rows.map((row) => Number(value_of(row[i])) || 0));
    const unit = column.unit === "us" ? "\u00b5s" : column.unit;
    // "Self(s)" becomes "Self": the unit is shown next to it anyway.
    const title = (unit ? column.title.replace(/\s*\([^()]*\)$/, "") : column.title) || column.id;
    const bar = column.unit === "%" ? 100 : column.unit === "s" && !has_shares && i === first_time ? most : 0;
    // Rows of a tree are indented.
    const text = (row: number): string => (i === name && depth >= 0 ? "\u2003".repeat(Number(value_of(rows[row][depth])) || 0) : "") + text_of(rows[row][i], form);
    const shown_unit = is_short || unit === title ? undefined : unit;
    return {
      id: column.id, title, unit: shown_unit, left: column.type === "text", text, value: (row) => value_of(rows[row][i]),
      help: `${title}${unit ? ` in ${unit}` : ""}${is_short ? " (in CSV: s)" : ""}; see "vftrace report --table ${table}" and the page on tables`,
      share: bar > 0 ? (row) => (Number(value_of(rows[row][i])) || 0) / bar : undefined,
    };
  });
}

export function DataTable({ table, height }: { table: TableData; height?: number }) {
  return (
    <>
      <h3>{table.title || table.id}</h3>
      <Table id={table.id} label={table.title || table.id} rows={table.rows.length} height={height ?? 380} columns={columns_of(table)} />
    </>
  );
}

export function DataTables({ tables }: { tables: TableData[] }) {
  return <>{tables.map((table) => <DataTable key={table.id} table={table} />)}</>;
}
