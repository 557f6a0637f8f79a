// The timeline of a trace: lanes of threads and GPU streams, calls as boxes, messages as lines.
import { useMemo, useState } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import { Canvas } from "../canvas.tsx";
import { accent, faint, ink, kind_color, line, paper } from "../colors.ts";
import type { Block } from "../blocks.ts";
import { bytes, count, fitted, short, time } from "../format.ts";
import { matching } from "../search.ts";
import { Legend, Search } from "../selection.tsx";
import { count_column, text_column, Table } from "../table.tsx";
import { lanes_of, type Lane } from "../lanes.ts";
import { linear_ticks } from "../plot_layout.ts";
import type { View, ViewProps } from "../view.ts";

const row_height = 15;
const head = 22;
const most_lines = 600; // more would hide everything

// 1.5 ms instead of 1.50 ms
const short_time = (ns: number): string => time(ns).replace(/\.?0+ /, (zeros) => (zeros.startsWith(".") ? " " : zeros)).replace(/(\.\d*[1-9])0+ /, "$1 ");

function Timeline({ report }: ViewProps) {
  return <TraceView trace={report.trace!} />;
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
  const launcher = calls.has("launcher") ? calls.numbers("launcher") : undefined;
  const work_of = (call: number): string =>
    `${size[call] > 0 ? `, ${bytes(size[call])}` : ""}${launcher && launcher[call] >= 0 ? `\nlaunched by ${short(names[launcher[call]], 200)}` : ""}`;
  const lanes = useMemo(() => lanes_of(trace), [trace]);
  const kinds_shown = useMemo(() => [...new Set(Array.from(func, (one) => kinds[one]))], [trace]);
  const left = useMemo(() => Math.min(270, Math.max(90, 18 + 6.2 * lanes.reduce((most, lane) => Math.max(most, lane.label.length), 0))), [lanes]);
  const end_ns = Math.max(1, trace.head.end_ns);
  const from = Math.max(0, Math.min(end_ns, Number(address.from ?? 0) || 0));
  const to = Math.max(from + 1, Math.min(end_ns, Number(address.to ?? end_ns) || end_ns));
  const [tip, set_tip] = useState<{ x: number; y: number; text: string } | undefined>();
  const [top, set_top] = useState(0);
  const matches = useMemo(() => matching(names, address.q ?? ""), [names, address.q]);
  const all = lanes.reduce((sum, lane) => sum + lane.height * row_height + 6, 0);
  const height = Math.min(head + all + 4, Math.max(260, Math.round(window.innerHeight * 0.62)));
  const shift = Math.max(0, Math.min(top, head + all + 4 - height));
  const tops = useMemo(() => {
    let y = head;
    return lanes.map((lane) => {
      const here = y;
      y += lane.height * row_height + 6;
      return here;
    });
  }, [lanes]);
  const window_to = (a: number, b: number): void => {
    const span = Math.max(100, b - a);
    const start = Math.max(0, Math.min(end_ns - Math.min(span, end_ns), a));
    set_address({ from: start <= 0 ? "" : String(Math.round(start)), to: start + span >= end_ns ? "" : String(Math.round(start + span)) });
  };
  const zoom = (factor: number, center: number): void => window_to(center - (center - from) * factor, center + (to - center) * factor);
  const time_at = (x: number, width: number): number => from + ((x - left) / (width - left)) * (to - from);
  const find = (x: number, y: number, width: number): [Lane, number] | undefined => {
    const at = time_at(x, width);
    const slack = ((to - from) / (width - left)) * 1.5;
    for (let l = 0; l < lanes.length; l++) {
      const row = Math.floor((y + shift - tops[l]) / row_height);
      if (row < 0 || row >= lanes[l].height) continue;
      const list = lanes[l].rows[row];
      for (const call of list) if (begin[call] - slack <= at && at <= begin[call] + duration[call] + slack) return [lanes[l], call];
    }
    return undefined;
  };
  const shown_calls = useMemo(() => {
    const rows: { func: number; ns: number; count: number }[] = [];
    const place = new Map<number, number>();
    for (let i = 0; i < calls.rows; i++) {
      const inside = Math.min(begin[i] + duration[i], to) - Math.max(begin[i], from);
      if (inside <= 0) continue;
      let at = place.get(func[i]);
      if (at === undefined) {
        place.set(func[i], (at = rows.length));
        rows.push({ func: func[i], ns: 0, count: 0 });
      }
      rows[at].ns += inside;
      rows[at].count++;
    }
    return rows;
  }, [from, to, trace]);
  const lane_of_rank = useMemo(() => {
    const ranks = trace.lists.get("lanes")!.numbers("rank");
    const first = new Map<number, number>();
    ranks.forEach((rank, lane) => {
      if (!first.has(rank)) first.set(rank, lane);
    });
    return first;
  }, [trace]);
  const hidden = trace.head.calls - calls.rows;
  const lane = messages.numbers("lane");
  const m_begin = messages.numbers("begin_ns");
  const m_ns = messages.numbers("ns");
  const peer = messages.numbers("peer");
  const receives = messages.numbers("receives");
  const in_sight = useMemo(() => {
    let sum = 0;
    for (let i = 0; i < messages.rows; i++) if (!receives[i] && m_begin[i] <= to && m_begin[i] + m_ns[i] >= from) sum++;
    return sum;
  }, [from, to, trace]);
  return (
    <>
      <div class="tools">
        <Search label="Search for functions" />
        <button class="theme" data-button="in" onClick={() => zoom(0.5, (from + to) / 2)}>zoom in</button>
        <button class="theme" data-button="out" onClick={() => zoom(2, (from + to) / 2)}>zoom out</button>
        <button class="theme" data-button="all" onClick={() => set_address({ from: "", to: "" })}>whole run</button>
        <span class="faint" data-status="window">{time(from)} to {time(to)} of {time(end_ns)}</span>
      </div>
      <Canvas name="timeline" height={height} inputs={[from, to, lanes, matches, shift]}
        label="Timeline of threads and GPU streams. Arrow keys move, plus and minus zoom, 0 shows the whole run. The table below lists the visible calls."
        draw={({ context, width }) => {
          context.font = "11px system-ui, sans-serif";
          context.textBaseline = "middle";
          const scale = (width - left) / (to - from);
          const y_of_lane = (lane: number): number => tops[lane] - shift;
          lanes.forEach((lane, l) => {
            const y0 = y_of_lane(l);
            if (y0 > height || y0 + lane.height * row_height < 0) return;
            context.fillStyle = line();
            context.fillRect(0, y0 - 3, width, 1);
            lane.rows.forEach((list, row) => {
              const y = y0 + row * row_height;
              let drawn_to = -1;
              for (const call of list) {
                const x0 = Math.max(left, left + (begin[call] - from) * scale);
                const x1 = Math.min(width, left + (begin[call] + duration[call] - from) * scale);
                if (x1 < left || x0 > width || x1 <= drawn_to + 0.3) continue;
                drawn_to = x1;
                const matched = !matches || matches[func[call]] === 1;
                context.globalAlpha = matched ? 1 : 0.22;
                context.fillStyle = kind_color(kinds[func[call]], names[func[call]]);
                context.fillRect(x0, y, Math.max(0.7, x1 - x0 - (x1 - x0 > 3 ? 0.6 : 0)), row_height - 1);
                context.globalAlpha = 1;
                if (x1 - x0 > 30) {
                  context.fillStyle = matched ? ink() : faint();
                  const room = Math.floor((x1 - x0 - 4) / 6);
                  context.fillText(fitted(names[func[call]], room), x0 + 2, y + row_height / 2, x1 - x0 - 3);
                }
              }
            });
          });
          context.strokeStyle = accent();
          context.globalAlpha = 0.55;
          context.lineWidth = 1;
          if (in_sight <= most_lines)
            for (let i = 0; i < messages.rows; i++) {
              const other = lane_of_rank.get(peer[i]);
              if (receives[i] || m_begin[i] > to || m_begin[i] + m_ns[i] < from || lane[i] >= lanes.length || other === undefined) continue;
              context.beginPath();
              context.moveTo(Math.max(left, left + (m_begin[i] - from) * scale), y_of_lane(lane[i]) + row_height / 2);
              context.lineTo(Math.max(left, left + (m_begin[i] + m_ns[i] - from) * scale), y_of_lane(other) + row_height / 2);
              context.stroke();
            }
          context.globalAlpha = 1;
          context.fillStyle = paper();
          context.fillRect(0, 0, width, head - 4);
          context.fillRect(0, 0, left - 2, height);
          context.fillStyle = faint();
          for (const tick of linear_ticks(0, to - from, 8)) {
            const x = left + tick * scale;
            if (width - x < 50) continue;
            context.fillRect(x, 4, 1, head - 8);
            context.fillText(tick === 0 ? short_time(from) : `${from === 0 ? "" : "+"}${short_time(tick)}`, x + 4, 9);
          }
          context.textAlign = "left";
          context.fillStyle = ink();
          lanes.forEach((one, l) => {
            const y = y_of_lane(l) + row_height / 2;
            if (y > head - 6 && y < height) context.fillText(short(one.label, 60), 4, y, left - 10);
          });
        }}
        tip={tip}
        on_move={(x, y, width) => {
          const found = x > left ? find(x, y, width) : undefined;
          set_tip(found && { x, y, text: `${short(names[func[found[1]]], 200)}\n${time(duration[found[1]])}, from ${time(begin[found[1]])}${work_of(found[1])}\n${found[0].label}` });
        }}
        on_leave={() => set_tip(undefined)}
        on_click={(x, y, width) => {
          const found = x > left ? find(x, y, width) : undefined;
          if (found) window_to(begin[found[1]] - duration[found[1]] * 0.05, begin[found[1]] + duration[found[1]] * 1.05);
        }}
        on_drag={(a, b, width) => window_to(time_at(Math.max(left, a), width), time_at(Math.max(left, b), width))}
        on_wheel={(event, x, width) => {
          event.preventDefault();
          if (event.ctrlKey || event.shiftKey || head + all + 4 <= height) zoom(event.deltaY > 0 ? 1.25 : 0.8, time_at(Math.max(left, x), width));
          else set_top(Math.max(0, Math.min(head + all + 4 - height, shift + event.deltaY)));
        }}
        on_key={(event) => {
          const span = to - from;
          if (event.key === "ArrowRight") window_to(from + span / 5, to + span / 5);
          else if (event.key === "ArrowLeft") window_to(from - span / 5, to - span / 5);
          else if (event.key === "+" || event.key === "=") zoom(0.5, (from + to) / 2);
          else if (event.key === "-") zoom(2, (from + to) / 2);
          else if (event.key === "0" || event.key === "Escape") set_address({ from: "", to: "" });
          else if (event.key === "ArrowDown") set_top(Math.min(Math.max(0, head + all + 4 - height), shift + 3 * row_height));
          else if (event.key === "ArrowUp") set_top(Math.max(0, shift - 3 * row_height));
          else return;
          event.preventDefault();
        }} />
      <p class="foot" data-status="timeline">
        {count(calls.rows)} calls, {count(messages.rows)} messages.
        {hidden > 0 ? ` ${count(hidden)} shorter calls of the trace are not in this page; to see all: vftrace export --format perfetto FILE.vfd ...` : ""}
        {in_sight > most_lines ? ` ${count(in_sight)} visible messages are too many to draw: zoom in.` : ""}
        {" "}Drag to zoom, click a call to zoom to it; the wheel {head + all + 4 <= height ? "zooms" : "scrolls, and zooms with Shift"}.
      </p>
      <Legend kinds={kinds_shown} />
      <h3>Functions in this window</h3>
      <Table id="in-sight" label="Functions in this window" rows={shown_calls.length} sort="-time" height={260} filter_key={`${from} ${to} ${address.q ?? ""}`}
        filter={(row) => !matches || matches[shown_calls[row].func] === 1}
        columns={[
          text_column("function", "Function", "Name of the function", (row) => names[shown_calls[row].func]),
          count_column("calls", "Calls", "Calls in the window, of those in this page", (row) => shown_calls[row].count),
          { id: "time", title: "Time", help: "With callees, inside the window, sum over threads (in CSV: ns)", value: (row) => shown_calls[row].ns, text: (row) => time(shown_calls[row].ns) },
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
