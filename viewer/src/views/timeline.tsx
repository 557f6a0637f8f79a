// The timeline of a trace: lanes of threads and GPU streams, calls as boxes, messages as lines.
import { useMemo, useRef, useState } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import type { Block } from "../blocks.ts";
import { Canvas, type Drag } from "../canvas.tsx";
import { accent, group_of, kind_color, text_color } from "../colors.ts";
import { bytes, count, short, time } from "../format.ts";
import { call_at, depth_of_message, lanes_of, shown_lanes, window_sums, type ShownLane } from "../lanes.ts";
import { matching } from "../search.ts";
import { Choice, kind_title, Legend, Search } from "../selection.tsx";
import { text_column, Table } from "../table.tsx";
import { type Boxes, draw_frame, draw_lanes, draw_map, head, lane_gap, row_height } from "../timeline_drawing.ts";
import type { View, ViewProps } from "../view.ts";

const most_lines = 600; // more would hide everything
const most_open_lanes = 24; // with more, ranks are collapsed at first

function Timeline({ report }: ViewProps) {
  return <TraceView trace={report.trace!} />;
}

// The ranks that are collapsed, in the address: "all", "none", or numbers.
function collapsed_ranks(text: string | undefined, ranks: number[], lanes: number): Set<number> {
  const chosen = text ?? (lanes > most_open_lanes ? "all" : "none");
  return new Set(chosen === "all" ? ranks : chosen === "none" ? [] : chosen.split(".").map(Number));
}

function TraceView({ trace }: { trace: Block }) {
  const address = use_address();
  const calls = trace.lists.get("calls")!;
  const messages = trace.lists.get("messages")!;
  const names = trace.lists.get("functions")!.texts("name");
  const kinds = trace.lists.get("functions")!.texts("kind");
  const begin = calls.numbers("begin_ns");
  const duration = calls.numbers("ns");
  const func = calls.numbers("function");
  const size = calls.numbers("bytes");
  const launcher = calls.numbers("launcher");
  const reconstructed = calls.numbers("reconstructed");
  const several = calls.numbers("several");
  const lanes = useMemo(() => lanes_of(trace), [trace]);
  const ranks = useMemo(() => [...new Set(lanes.map((lane) => lane.rank))], [lanes]);
  const kinds_shown = useMemo(() => [...new Set(Array.from(func, (one) => kinds[one]))], [trace]);
  const left = useMemo(() => Math.min(270, Math.max(90, 34 + 6.2 * lanes.reduce((most, lane) => Math.max(most, lane.label.length), 0))), [lanes]);
  const end_ns = Math.max(1, trace.head.end_ns);
  const from = Math.max(0, Math.min(end_ns, Number(address.from ?? 0) || 0));
  const to = Math.max(from + 1, Math.min(end_ns, Number(address.to ?? end_ns) || end_ns));
  const [tip, set_tip] = useState<{ x: number; y: number; text: string } | undefined>();
  const [mark, set_mark] = useState<{ x: number; to?: number; text: string } | undefined>();
  const [top, set_top] = useState(0);
  const grabbed = useRef({ from: 0, to: 0, shift: 0 });
  const matches = useMemo(() => matching(names, address.q ?? ""), [names, address.q]);
  const collapsed = collapsed_ranks(address.collapsed, ranks, lanes.length);
  const shown = useMemo(() => shown_lanes(lanes, address.outer === "1", (rank) => collapsed.has(rank)), [lanes, address.outer, address.collapsed]);
  const has_outer = lanes.some((lane) => lane.outer > 0);
  const all = shown.reduce((sum, one) => sum + one.height * row_height + lane_gap, 0);
  const height = Math.min(head + all + 4, Math.max(260, Math.round(window.innerHeight * 0.62)));
  const most_shift = Math.max(0, head + all + 4 - height);
  const shift = Math.max(0, Math.min(top, most_shift));
  const tops = useMemo(() => new Map(shown.map((one, i) => [one, head + one.top * row_height + i * lane_gap])), [shown]);
  const y_of = (one: ShownLane): number => tops.get(one)! - shift;
  const boxes: Boxes = {
    begin, ns: duration, reconstructed,
    name: (call) => names[func[call]],
    color: (call) => {
      const kind = kinds[func[call]];
      return address.color === "function" ? text_color(names[func[call]]) : address.color === "group" ? text_color(group_of(kind, names[func[call]])) : kind_color(kind, names[func[call]]);
    },
    matches: (call) => !matches || matches[func[call]] === 1,
  };
  const groups = useMemo(() => [...new Set(Array.from(func, (one) => group_of(kinds[one], names[one])))].slice(0, 30), [trace]);

  const window_to = (a: number, b: number): void => {
    const span = Math.max(100, b - a);
    const start = Math.max(0, Math.min(end_ns - Math.min(span, end_ns), a));
    set_address({ from: start <= 0 ? "" : String(Math.round(start)), to: start + span >= end_ns ? "" : String(Math.round(start + span)) });
  };
  const zoom = (factor: number, center: number): void => window_to(center - (center - from) * factor, center + (to - center) * factor);
  const time_at = (x: number, width: number): number => from + ((Math.max(left, x) - left) / (width - left)) * (to - from);
  const lane_at = (y: number): ShownLane | undefined => shown.find((one) => y >= y_of(one) && y < y_of(one) + one.height * row_height);
  const find = (x: number, y: number, width: number): [ShownLane, number] | undefined => {
    const one = lane_at(y);
    if (!one || y < head) return undefined;
    const at = time_at(x, width);
    const slack = ((to - from) / (width - left)) * 1.5;
    const row = Math.floor((y - y_of(one)) / row_height);
    // On the single row of a collapsed rank, the deepest call is seen.
    for (let depth = one.collapsed ? one.lane.rows.length - 1 : one.first + row; depth >= one.first; depth--) {
      const list = one.lane.rows[depth] ?? [];
      for (const moment of [at, at - slack, at + slack]) {
        const call = call_at(list, begin, duration, moment);
        if (call >= 0) return [one, call];
      }
      if (!one.collapsed) break;
    }
    return undefined;
  };
  const about = (call: number): string => {
    const known = reconstructed[call] === 0 ? "" : several[call] ? "\nReconstructed: perhaps several calls, not open all the time" : `\nReconstructed: one call, open for at least ${time(reconstructed[call] - 1)}`;
    const span = reconstructed[call] === 0 ? time(duration[call]) : `drawn with ${time(duration[call])}`;
    return `${short(names[func[call]], 200)}\n${span}, from ${time(begin[call])}${size[call] > 0 ? `, ${bytes(size[call])}` : ""}${launcher[call] >= 0 ? `\nlaunched by ${short(names[launcher[call]], 200)}` : ""}${known}`;
  };
  const toggle = (rank: number): void => {
    const next = new Set(collapsed);
    if (!next.delete(rank)) next.add(rank);
    set_address({ collapsed: next.size === ranks.length ? "all" : next.size === 0 ? "none" : [...next].join(".") });
  };
  const sums = useMemo(() => window_sums(calls, begin, duration, func, reconstructed, from, to), [from, to, trace]);
  const hidden = trace.head.calls - calls.rows;
  const m_lane = messages.numbers("lane");
  const m_begin = messages.numbers("begin_ns");
  const m_ns = messages.numbers("ns");
  const peer = messages.numbers("peer");
  const receives = messages.numbers("receives");
  const other = messages.numbers("other");
  const in_sight = useMemo(() => {
    let sum = 0;
    for (let i = 0; i < messages.rows; i++) if (!receives[i] && m_begin[i] <= to && m_begin[i] + m_ns[i] >= from) sum++;
    return sum;
  }, [from, to, trace]);
  const shown_of_lane = useMemo(() => {
    const by_rank = new Map<number, ShownLane>();
    for (const one of shown) if (!by_rank.has(one.lane.rank)) by_rank.set(one.lane.rank, one);
    const by_lane = new Map(shown.map((one) => [one.index, one]));
    return { of: (lane: number): ShownLane | undefined => by_lane.get(lane) ?? by_rank.get(lanes[lane]?.rank), of_rank: by_rank };
  }, [shown]);
  // The row of the MPI call in which a message begins or ends.
  const y_of_call = (one: ShownLane, lane: number, at: number): number => {
    const depth = one.collapsed ? one.first : depth_of_message(lanes[lane], begin, duration, at, (call) => kinds[func[call]] === "mpi");
    return y_of(one) + (Math.max(depth, one.first) - one.first + 0.5) * row_height;
  };
  const draw_messages = (context: CanvasRenderingContext2D, x_of: (ns: number) => number): void => {
    context.strokeStyle = accent();
    context.globalAlpha = 0.55;
    context.lineWidth = 1;
    for (let i = 0; i < messages.rows; i++) {
      if (receives[i]) continue;
      const answer = other[i];
      const end = answer >= 0 ? m_begin[answer] + m_ns[answer] : m_begin[i] + m_ns[i];
      if (m_begin[i] > to || end < from) continue;
      const sender = shown_of_lane.of(m_lane[i]);
      const receiver = answer >= 0 ? shown_of_lane.of(m_lane[answer]) : shown_of_lane.of_rank.get(peer[i]);
      if (!sender || !receiver) continue;
      context.beginPath();
      context.moveTo(x_of(m_begin[i]), y_of_call(sender, m_lane[i], m_begin[i]));
      context.lineTo(x_of(end), y_of_call(receiver, answer >= 0 ? m_lane[answer] : receiver.index, end));
      context.stroke();
    }
    context.globalAlpha = 1;
  };
  // Drags the window, or with Shift or on the ruler chooses a range, to which the window then zooms.
  const dragging = (drag: Drag): void => {
    set_tip(undefined);
    if (drag.phase === "begin") grabbed.current = { from, to, shift };
    const begun = grabbed.current;
    if (drag.shift || drag.from_y < head) {
      const [a, b] = [Math.max(left, Math.min(drag.from_x, drag.x)), Math.max(left, drag.from_x, drag.x)];
      const [begins, ends] = [time_at(a, drag.width), time_at(b, drag.width)];
      set_mark(drag.phase === "end" ? undefined : { x: a, to: b, text: time(ends - begins) });
      if (drag.phase === "end") window_to(begins, ends);
      return;
    }
    const moved = ((drag.x - drag.from_x) / (drag.width - left)) * (begun.to - begun.from);
    set_mark(undefined);
    set_top(begun.shift - (drag.y - drag.from_y));
    window_to(begun.from - moved, begun.to - moved);
  };
  const drag_map = (x: number, width: number): void => {
    const center = ((Math.max(left, x) - left) / (width - left)) * end_ns;
    window_to(center - (to - from) / 2, center + (to - from) / 2);
  };
  const keys: Record<string, () => void> = {
    w: () => zoom(0.5, (from + to) / 2), s: () => zoom(2, (from + to) / 2),
    a: () => window_to(from - (to - from) / 5, to - (to - from) / 5), d: () => window_to(from + (to - from) / 5, to + (to - from) / 5),
    0: () => set_address({ from: "", to: "" }),
    ArrowDown: () => set_top(Math.min(most_shift, shift + 3 * row_height)), ArrowUp: () => set_top(Math.max(0, shift - 3 * row_height)),
  };
  Object.assign(keys, { "+": keys.w, "=": keys.w, "-": keys.s, ArrowLeft: keys.a, ArrowRight: keys.d, Escape: keys[0] });
  const on_key = (event: KeyboardEvent): void => {
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    act();
    event.preventDefault();
  };
  const view = { from, to, left };
  return (
    <>
      <div class="tools">
        <Search label="Search for functions" />
        <button class="theme" data-button="in" onClick={keys.w}>zoom in</button>
        <button class="theme" data-button="out" onClick={keys.s}>zoom out</button>
        <button class="theme" data-button="all" onClick={keys[0]}>whole run</button>
        <Choice name="color" label="Colours by" values={[["kind", "kind"], ["function", "function"], ["group", "function group"]]} value={address.color ?? "kind"} />
        {has_outer && <button class="theme" data-button="outer" aria-pressed={address.outer === "1"} onClick={() => set_address({ outer: address.outer === "1" ? "" : "1" })}>{address.outer === "1" ? "hide init and main" : "show init and main"}</button>}
        {ranks.length > 1 && <button class="theme" data-button="collapse" onClick={() => set_address({ collapsed: collapsed.size === ranks.length ? "none" : "all" })}>{collapsed.size === ranks.length ? "expand ranks" : "collapse ranks"}</button>}
        <span class="faint" data-status="window">{time(from)} to {time(to)} of {time(end_ns)}</span>
      </div>
      {trace.head.left_out && (
        <div class="finding notice" data-part="left-out">
          <p>The trace does not have every call: <bdi>{trace.head.left_out}</bdi>. Hatched boxes are reconstructed: they lasted at least as long as they say, or are several calls. They are not counted below.</p>
        </div>
      )}
      <Canvas name="map" class="map" height={Math.min(64, Math.max(26, 4 + 3 * shown.length))} inputs={[from, to, shown, address.color, matches]}
        label="Map of the whole run with the window that is shown below; click or drag to move the window."
        draw={({ context, width, height }) => draw_map(context, shown, boxes, end_ns, { ...view, width, height })}
        on_click={(x, _y, width) => drag_map(x, width)}
        on_dragging={(drag) => drag_map(drag.x, drag.width)}
        on_key={on_key} />
      <Canvas name="timeline" height={height} inputs={[from, to, shown, matches, shift, address.color]}
        label="Timeline of threads and GPU streams. W and S zoom, A and D or arrow keys move, 0 shows the whole run. The table below lists the visible calls."
        draw={({ context, width, height }) => {
          const scale = (width - left) / (to - from);
          draw_lanes(context, shown, boxes, { ...view, width, height }, y_of);
          if (in_sight <= most_lines) draw_messages(context, (ns) => Math.max(left, Math.min(width, left + (ns - from) * scale)));
          draw_frame(context, shown, { ...view, width, height }, y_of, (one) => `${ranks.length > 1 ? (one.collapsed ? "\u25b8 " : one.index === 0 || lanes[one.index - 1].rank !== one.lane.rank ? "\u25be " : "   ") : ""}${short(one.label, 60)}`);
        }}
        tip={tip}
        mark={mark}
        on_move={(x, y, width) => {
          const found = x > left ? find(x, y, width) : undefined;
          set_tip(found && { x, y, text: `${about(found[1])}\n${found[0].lane.label}` });
          set_mark(x > left ? { x, text: time(time_at(x, width)) } : undefined);
        }}
        on_leave={() => {
          set_tip(undefined);
          set_mark(undefined);
        }}
        on_click={(x, y, width) => {
          const one = lane_at(y);
          if (x <= left && one && ranks.length > 1) return toggle(one.lane.rank);
          const found = x > left ? find(x, y, width) : undefined;
          if (found) window_to(begin[found[1]] - duration[found[1]] * 0.05, begin[found[1]] + duration[found[1]] * 1.05);
        }}
        on_dragging={dragging}
        on_wheel={(event, x, width) => {
          event.preventDefault();
          if (event.ctrlKey || event.shiftKey || most_shift === 0) zoom(event.deltaY > 0 ? 1.25 : 0.8, time_at(x, width));
          else set_top(Math.max(0, Math.min(most_shift, shift + event.deltaY)));
        }}
        on_key={on_key} />
      <p class="foot" data-status="timeline">
        {count(calls.rows)} calls, {count(messages.rows)} messages.
        {hidden > 0 ? ` ${count(hidden)} shorter calls of the trace are not in this page; to see all: vftrace export --format perfetto FILE.vfd ...` : ""}
        {in_sight > most_lines ? ` ${count(in_sight)} visible messages are too many to draw: zoom in.` : ""}
        {" "}Drag to move, with Shift or on the ruler to measure and zoom; click a call to zoom to it{ranks.length > 1 ? ", the name of a rank to collapse it" : ""}. The wheel {most_shift === 0 ? "zooms" : "scrolls, and zooms with Shift"}. Keys: W and S zoom, A and D move, 0 shows the whole run.
      </p>
      {address.color === "group"
        ? <p class="legend">{groups.filter((group) => group !== "root").map((group) => <span key={group}><i style={{ background: text_color(group) }} /><bdi>{kinds.includes(group) ? kind_title(group) : short(group, 40)}</bdi></span>)}</p>
        : address.color === "function" ? null : <Legend kinds={kinds_shown} />}
      <h3>Functions in this window</h3>
      <Table id="in-sight" label="Functions in this window" rows={sums.length} sort="-time" height={260} filter_key={`${from} ${to} ${address.q ?? ""}`}
        filter={(row) => !matches || matches[sums[row].func] === 1}
        columns={[
          text_column("function", "Function", "Name of the function", (row) => names[sums[row].func]),
          { id: "calls", title: "Calls", help: "Recorded calls in the window, of those in this page. At least (\u2265): there are reconstructed ones, too", value: (row) => sums[row].count,
            text: (row) => (sums[row].reconstructed === 0 ? count(sums[row].count) : sums[row].count > 0 ? `\u2265 ${count(sums[row].count)}` : "not recorded") },
          { id: "time", title: "Time", help: "Of the recorded calls with callees, inside the window, sum over threads (in CSV: ns). At least (\u2265): there are reconstructed calls, too", value: (row) => sums[row].ns,
            text: (row) => (sums[row].reconstructed === 0 ? time(sums[row].ns) : sums[row].count > 0 ? `\u2265 ${time(sums[row].ns)}` : "not recorded") },
        ]} />
      {messages.rows > 0 && <Messages trace={trace} from={from} to={to} />}
    </>
  );
}

function Messages({ trace, from, to }: { trace: Block; from: number; to: number }) {
  const messages = trace.lists.get("messages")!;
  const lane = messages.numbers("lane");
  const label = trace.lists.get("lanes")!.texts("label");
  const begin = messages.numbers("begin_ns");
  const ns = messages.numbers("ns");
  const peer = messages.numbers("peer");
  const receives = messages.numbers("receives");
  const size = messages.numbers("bytes");
  return (
    <>
      <h3>Messages in this window</h3>
      <Table id="messages-in-sight" label="Messages in this window" rows={messages.rows} sort="begin" height={220} filter_key={`${from} ${to}`}
        filter={(row) => begin[row] <= to && begin[row] + ns[row] >= from}
        columns={[
          text_column("lane", "Thread", "The thread of the call", (row) => label[lane[row]] ?? ""),
          text_column("what", "What", "Sent or received", (row) => (receives[row] ? "received" : "sent"), 6),
          { id: "peer", title: "Other rank", help: "In MPI_COMM_WORLD; -1: not known", value: (row) => peer[row] },
          { id: "bytes", title: "Size", help: "Of the message (in CSV: bytes)", value: (row) => size[row], text: (row) => bytes(size[row]) },
          { id: "begin", title: "Begin", help: "Of the call (in CSV: ns)", value: (row) => begin[row], text: (row) => time(begin[row]) },
          { id: "time", title: "Time", help: "Time until the completion was noticed (in CSV: ns)", value: (row) => ns[row], text: (row) => time(ns[row]) },
        ]} />
    </>
  );
}

export const timeline_view: View = {
  id: "timeline", title: "Timeline", help: "What each thread and each GPU stream did when: calls as boxes, messages as lines from sender to receiver.",
  exists: (report) => (report.trace?.lists.get("calls")?.rows ?? 0) > 0, show: Timeline,
};
