// What is shown is in the address, after the #, so that links and the buttons of the browser
// restore it.
import { useEffect, useState } from "preact/hooks";

export type Address = Record<string, string>;

export function parse_address(hash: string): Address {
  const result: Address = {};
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ""))) result[key] = value;
  return result;
}

export function address_text(address: Address): string {
  const parameters = new URLSearchParams();
  for (const key of Object.keys(address)) if (address[key] !== "") parameters.set(key, address[key]);
  return `#${parameters}`;
}

let current: Address = typeof location === "undefined" ? {} : parse_address(location.hash);
const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());

if (typeof window !== "undefined")
  window.addEventListener("hashchange", () => {
    current = parse_address(location.hash);
    tell();
  });

// `step`: whether the back button of the browser returns from this change.
export function set_address(change: Address, step = false): void {
  current = { ...current, ...change };
  for (const key of Object.keys(current)) if (current[key] === "") delete current[key];
  const text = address_text(current);
  // A page that was opened from a file may not have a separate history.
  try {
    if (step) history.pushState(null, "", text);
    else history.replaceState(null, "", text);
  } catch {
    location.hash = text;
  }
  tell();
}

export function use_address(): Address {
  const [, redraw] = useState(0);
  useEffect(() => {
    const listener = () => redraw((n) => n + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return current;
}
export const address = (): Address => current;
