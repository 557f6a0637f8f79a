// Numbers as people read them, with their units.
const digits = (value: number): number => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);

function scaled(value: number, steps: [number, string][]): string {
  for (const [size, unit] of steps)
    if (Math.abs(value) >= size) return `${(value / size).toFixed(digits(value / size))} ${unit}`;
  return `0 ${steps[steps.length - 1][1]}`;
}

// 1.23 ms
export const time = (ns: number): string =>
  scaled(ns, [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]]);
export const bytes = (value: number): string =>
  scaled(value, [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]]);
export const count = (value: number): string => value.toLocaleString("en-US", { maximumFractionDigits: 0 });
// In columns, all with as many digits as a profile of that much time needs.
let places = 6;
export function set_seconds(whole_ns: number): void {
  places = whole_ns >= 1e11 ? 3 : whole_ns >= 1e10 ? 4 : whole_ns >= 1e9 ? 5 : 6;
}
export const seconds = (ns: number): string => (ns / 1e9).toFixed(places).replace(/^-(?=0\.0*$)/, "");
export const percent = (part: number, whole: number): string => (whole > 0 ? ((100 * part) / whole).toFixed(1) : "0.0");
export const number = (value: number): string =>
  Number.isInteger(value) ? count(value)
  : Math.abs(value) >= 1e7 || Math.abs(value) < 1e-3 ? value.toExponential(3)
  : value.toLocaleString("en-US", { maximumFractionDigits: Math.abs(value) >= 100 ? 1 : 3 });

// Names that nobody could read in one piece are shortened in the middle; the whole one is in tool tips.
export function short(name: string, most = 80): string {
  return name.length <= most ? name : `${name.slice(0, most - 21)} ... ${name.slice(-16)}`;
}
