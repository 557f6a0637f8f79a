// Colours for drawing on a canvas; the others are in style.css.
let dark = false;

export const is_dark = (): boolean => dark;

export function set_dark(value: boolean): void {
  dark = value;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  window.dispatchEvent(new Event("vftrace-theme"));
}

export const ink = (): string => (dark ? "#e6e8eb" : "#1c2126");
export const faint = (): string => (dark ? "#8b949e" : "#6a737d");
export const paper = (): string => (dark ? "#14181d" : "#ffffff");
export const line = (): string => (dark ? "#30363d" : "#d9dee3");
export const accent = (): string => (dark ? "#6cb6ff" : "#0b62c4");

// Hue and saturation by kind of function. They can be distinguished without telling red from green.
const hues: Record<string, [number, number]> = {
  root: [220, 8], function: [32, 78], region: [265, 45], section: [265, 45], task: [290, 45],
  mpi: [205, 70], openmp: [160, 45], io: [95, 40], gpu: [345, 55], "gpu kernel": [330, 60], "gpu copy": [48, 70], "gpu memset": [75, 45], "gpu migration": [15, 65],
  thread: [220, 10], pause: [220, 5],
};

export function hash(text: string): number {
  let value = 2166136261;
  for (let i = 0; i < text.length && i < 200; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

export function kind_color(kind: string, name: string): string {
  const [hue, saturation] = hues[kind] ?? hues.function;
  const shift = hash(name);
  const lightness = (dark ? 38 : 68) + (shift % 9) - 4;
  return `hsl(${hue + ((shift >>> 8) % 13) - 6} ${dark ? saturation * 0.75 : saturation}% ${lightness}%)`;
}

export function text_color(text: string): string {
  return `hsl(${hash(text) % 360} ${dark ? 40 : 60}% ${dark ? 38 : 72}%)`;
}

// The group by which a function is coloured on request: its namespace or class, else its kind.
export function group_of(kind: string, name: string): string {
  if (kind !== "function" && kind !== "") return kind;
  const end = name.search(/[(<]/);
  const place = name.lastIndexOf("::", end < 0 ? undefined : end);
  return place > 0 ? name.slice(0, place) : "function";
}

// From nothing to much, 0 to 1: the lightness changes steadily, so that grey print shows it as
// well.
export function heat_color(share: number): string {
  const value = Math.max(0, Math.min(1, share));
  return dark ? `hsl(30 ${15 + 75 * value}% ${11 + 54 * value}%)`
              : `hsl(${50 - 45 * value} ${60 + 30 * value}% ${97 - 55 * value}%)`;
}

// -1: less (blue), 0: the same, 1: more (orange).
export function difference_color(share: number): string {
  const value = Math.max(-1, Math.min(1, share));
  const strength = Math.sqrt(Math.abs(value)); // so that a tenth is visible
  const hue = value < 0 ? 210 : 22;
  return dark ? `hsl(${hue} ${75 * strength}% ${28 + 18 * strength}%)` : `hsl(${hue} ${85 * strength}% ${90 - 32 * strength}%)`;
}
