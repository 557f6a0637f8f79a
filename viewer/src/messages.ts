// The matrix of messages, between ranks or hosts.
import type { Profile } from "./model.ts";

export interface Matrix {
  labels: string[];
  cells: Map<number, number>; // for sender i and receiver j at i * labels.length + j
  pairs: [number, number, number][]; // sender, receiver, value
  values: number[];
}

// `what`: "bytes", "messages" or "ns". `path`: only messages of its calls; -1: all messages. If
// both the sender and the receiver have recorded the messages of a pair, the values of the sender
// count.
export function message_matrix(profile: Profile, by_host: boolean, what: string, path: number): Matrix {
  const list = profile.list("communication");
  const column = what === "ns" ? "time_ns" : what;
  const rank = list.numbers("rank");
  const peer = list.numbers("peer");
  const node = list.numbers("node");
  const sent = list.numbers(`sent.${column}`);
  const received = list.numbers(`received.${column}`);
  const ranks = profile.run.ranks;
  const hosts = profile.list("ranks").texts("host");
  const numbers = new Map<string, number>();
  const place: number[] = [];
  for (let r = 0; r < ranks; r++) {
    const name = by_host ? hosts[r] ?? "unknown host" : String(r);
    if (!numbers.has(name)) numbers.set(name, numbers.size);
    place.push(numbers.get(name)!);
  }
  const n = numbers.size;
  const add = (cells: Map<number, number>, from: number, to: number, value: number): void => {
    if (!(value > 0) || from < 0 || to < 0 || from >= ranks || to >= ranks) return;
    const key = place[from] * n + place[to];
    cells.set(key, (cells.get(key) ?? 0) + value);
  };
  const by_sender = new Map<number, number>();
  const by_receiver = new Map<number, number>();
  for (let i = 0; i < list.rows; i++) {
    if (path >= 0 && node[i] !== path) continue;
    add(by_sender, rank[i], peer[i], sent[i]);
    add(by_receiver, peer[i], rank[i], received[i]);
  }
  const cells = by_sender;
  for (const [key, value] of by_receiver) if (!cells.has(key)) cells.set(key, value);
  const pairs = [...cells].map(([key, value]): [number, number, number] => [Math.floor(key / n), key % n, value]);
  return { labels: [...numbers.keys()], cells, pairs, values: pairs.map((pair) => pair[2]) };
}

const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
function power(exponent: number): string {
  return `${2 ** (exponent % 10)} ${units[Math.floor(exponent / 10)]}`;
}
// Bin 0 has messages of 0 bytes, bin i those of 2^(i - 1) to 2^i - 1 bytes.
export function size_name(bin: number): string {
  return bin === 0 ? "0 B" : `${power(bin - 1)} to ${power(bin)}`;
}
