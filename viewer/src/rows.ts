// Rows of tables: their order, and their text as comma-separated values (RFC 4180).
export interface Sortable {
  id: string;
  title: string;
  unit?: string;
  value: (row: number) => number | string;
}

// `sort`: the id of a column, with "-" before it for descending order. Equal rows keep their order.
export function sorted_rows(count: number, columns: Sortable[], sort: string, filter?: (row: number) => boolean): number[] {
  const order: number[] = [];
  for (let row = 0; row < count; row++) if (!filter || filter(row)) order.push(row);
  const falling = sort.startsWith("-");
  const column = columns.find((candidate) => candidate.id === sort.replace(/^-/, ""));
  if (!column || order.length === 0) return order;
  const sign = falling ? -1 : 1;
  const values = new Map<number, number | string>();
  for (const row of order) values.set(row, column.value(row));
  return order.sort((a, b) => {
    const x = values.get(a)!;
    const y = values.get(b)!;
    const difference = typeof x === "number" && typeof y === "number" ? x - y : x < y ? -1 : x > y ? 1 : 0;
    return difference === 0 ? a - b : sign * difference;
  });
}

function csv_cell(value: number | string): string {
  let text = String(value);
  // A spreadsheet would mistake it for a formula.
  if (typeof value === "string" && /^[=+\-@\t]/.test(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(columns: Sortable[], order: number[]): string {
  const lines = [columns.map((column) => csv_cell(column.unit ? `${column.title} [${column.unit}]` : column.title)).join(",")];
  for (const row of order) lines.push(columns.map((column) => csv_cell(column.value(row))).join(","));
  return `${lines.join("\r\n")}\r\n`;
}
