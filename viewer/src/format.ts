// Numbers in a readable form, with their units.
const digits = (value: number): number => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);

const fixed = (value: number, places: number): string => value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });

// A value that would be rounded to 1000 has the next unit.
function scaled(value: number, steps: [number, string][]): string {
  for (const [size, unit] of steps)
    if (Math.abs(value) >= 0.9995 * size) return `${fixed(value / size, size === 1 && unit === "B" ? 0 : digits(value / size))} ${unit}`;
  return `0 ${steps[steps.length - 1][1]}`;
}

// 1.23 ms
export const time = (ns: number): string =>
  scaled(ns, [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]]);
export const bytes = (value: number): string =>
  scaled(value, [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]]);
export const count = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 0 });
// In columns: all with the number of digits that a profile with this much time on each rank needs.
let places = 6;
export function set_seconds(ns_of_rank: number): void {
  places = ns_of_rank >= 1e11 ? 3 : ns_of_rank >= 1e10 ? 4 : ns_of_rank >= 1e9 ? 5 : 6;
}
export const seconds = (ns: number): string => (ns / 1e9).toFixed(places).replace(/^-(?=0\.0*$)/, "");
export const percent = (part: number, whole: number): string => (whole > 0 ? ((100 * part) / whole).toFixed(1) : "0.0");
export const number = (value: number): string =>
  Number.isInteger(value) ? count(value)
  : Math.abs(value) >= 1e7 || Math.abs(value) < 1e-3 ? value.toExponential(3)
  : value.toLocaleString("en-US", { maximumFractionDigits: Math.abs(value) >= 100 ? 1 : 3 });

// For a column whose largest value is `most`: all its cells have the same number of decimals,
// unless a value needs more.
export function number_form(values: number[]): (value: number) => string {
  if (values.every((value) => Number.isInteger(value))) return number;
  const most = values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  const decimals = most >= 1e5 ? 0 : most >= 100 ? 1 : most >= 10 ? 2 : 3;
  return (value) => (most >= 1e15 || (value !== 0 && Math.abs(value) < 0.5 * 0.1 ** decimals) ? number(value) : fixed(value, decimals));
}

// For a box with room for `room` characters. Namespaces and classes are left out first, then the
// end. Of "omp parallel @file:line" the end stays, which is what differs.
export function fitted(name: string, room: number): string {
  if (name.length <= room) return name;
  const construct = /^omp [a-z ]+@(?:.*\/)?([^/]+)$/.exec(name);
  if (construct) {
    const place = `@${construct[1]}`;
    return place.length <= room ? place : room > 3 ? `\u2026${place.slice(1 - room)}` : "";
  }
  const end = name.search(/[(<]/);
  const place = name.lastIndexOf("::", end < 0 ? undefined : end);
  const last = place > 0 ? name.slice(place + 2) : name;
  return last.length <= room ? last : room > 3 ? `${last.slice(0, room - 1)}\u2026` : "";
}

// Names that are too long to read are shortened in the middle; the full name is in tool tips.
export function short(name: string, most = 80): string {
  return name.length <= most ? name : `${name.slice(0, most - 21)} ... ${name.slice(-16)}`;
}
