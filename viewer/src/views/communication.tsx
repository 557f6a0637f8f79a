// Messages of MPI: the communication matrix, how large they were, and which calls sent them.
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { set_address, use_address } from "../address.ts";
import { Canvas } from "../canvas.tsx";
import { faint, heat_color, ink } from "../colors.ts";
import { bytes, count, time } from "../format.ts";
import { message_matrix, size_name } from "../messages.ts";
import type { Profile } from "../model.ts";
import { Choice, number_of, PathLine, Scale } from "../selection.tsx";
import { count_column, text_column, time_column, Table } from "../table.tsx";
import type { View, ViewProps } from "../view.ts";

function Matrix({ profile, children }: { profile: Profile; children: ComponentChildren }) {
  const address = use_address();
  const [tip, set_tip] = useState<{ x: number; y: number; text: string } | undefined>();
  const hosts = useMemo(() => new Set(profile.list("ranks").texts("host")).size, [profile]);
  const by = address.pairs ?? (hosts > 1 && profile.run.ranks > 64 ? "hosts" : "ranks");
  const what = address.what ?? "bytes";
  const path = number_of(address.path, profile.count);
  const of_path = address.only === "path" ? path : -1;
  const matrix = useMemo(() => message_matrix(profile, by === "hosts", what, of_path), [profile, by, what, of_path]);
  const n = matrix.labels.length;
  const margin = Math.min(92, 30 + 7 * matrix.labels.reduce((most, label) => Math.max(most, label.length), 0));
  const size = Math.min(620, Math.max(180, window.innerHeight - 330), margin + 6 + 80 * n);
  const most = matrix.values.reduce((a, b) => Math.max(a, b), 0);
  const shown = what === "bytes" ? bytes : what === "ns" ? time : count;
  const side = size - margin - 6;
  const label_of = (i: number): string => (by === "hosts" ? matrix.labels[i] : `rank ${matrix.labels[i]}`);
  const at = (x: number, y: number): [number, number] => [Math.floor(((y - margin) / side) * n), Math.floor(((x - margin) / side) * n)];
  return (
    <>
      <div class="tools">
        <Choice name="what" label="Show" values={[["bytes", "bytes"], ["messages", "messages"], ["ns", "time"]]} value={what} />
        {hosts > 1 && <Choice name="pairs" label="Between" values={[["hosts", "hosts"], ["ranks", "ranks"]]} value={by} />}
        {path >= 0 && <Choice name="only" label="Of" values={[["all", "all calls"], ["path", "the chosen path"]]} value={address.only ?? "all"} />}
      </div>
      <div class="columns">
      <div>
      <Canvas name="matrix" height={size} inputs={[matrix, size]} label={`Matrix of messages between ${by}: senders are rows, receivers are columns. The table below shows the same.`}
        draw={({ context }) => {
          context.font = "11px system-ui, sans-serif";
          context.textBaseline = "middle";
          const cell = side / n;
          const step = Math.max(1, Math.ceil(15 / cell));
          const upright = matrix.labels.some((label) => context.measureText(label).width > step * cell - 4);
          context.fillStyle = faint();
          for (let i = 0; i < n; i += step) {
            context.textAlign = "right";
            context.fillText(matrix.labels[i], margin - 5, margin + (i + 0.5) * cell, margin - 12);
            context.save();
            context.translate(margin + (i + 0.5) * cell, margin - 5);
            if (upright) {
              context.rotate(-Math.PI / 2);
              context.textAlign = "left";
            } else context.textAlign = "center";
            context.fillText(matrix.labels[i], 0, 0, margin - 20);
            context.restore();
          }
          context.textAlign = "left";
          context.fillStyle = ink();
          context.fillText("sender \u2193  receiver \u2192", 4, 8);
          context.fillStyle = heat_color(0);
          context.fillRect(margin, margin, side, side);
          for (const [key, value] of matrix.cells) {
            const from = Math.floor(key / n);
            const to = key % n;
            context.fillStyle = heat_color(most > 0 ? 0.15 + (0.85 * Math.log1p(value)) / Math.log1p(most) : 0);
            context.fillRect(margin + to * cell, margin + from * cell, Math.max(1, cell - (cell > 5 ? 1 : 0)), Math.max(1, cell - (cell > 5 ? 1 : 0)));
          }
        }}
        tip={tip}
        on_move={(x, y) => {
          const [from, to] = at(x, y);
          set_tip(from < 0 || to < 0 || from >= n || to >= n ? undefined : { x, y, text: `${label_of(from)} to ${label_of(to)}\n${shown(matrix.cells.get(from * n + to) ?? 0)}` });
        }}
        on_leave={() => set_tip(undefined)} />
      {most > 0 && <Scale least={shown(1)} most={`${shown(most)} (logarithmic)`} color={(share) => heat_color(0.15 + 0.85 * share)} />}
      <p class="foot">Point-to-point and one-sided messages as counted by their senders, or by the receiver if only that was recorded.</p>
      </div>
      <div>
      <h3 class="first">Pairs of {by}</h3>
      <Table id="matrix" label="Pairs with messages" rows={matrix.pairs.length} sort="-value" height={260} filter={() => true} filter_key={`${by} ${what} ${of_path}`}
        columns={[
          { id: "from", left: by === "hosts", width: 4, title: by === "hosts" ? "From host" : "From rank", help: "The sender", value: (row) => (by === "hosts" ? label_of(matrix.pairs[row][0]) : Number(matrix.labels[matrix.pairs[row][0]])) },
          { id: "to", left: by === "hosts", width: 4, title: by === "hosts" ? "To host" : "To rank", help: "The receiver", value: (row) => (by === "hosts" ? label_of(matrix.pairs[row][1]) : Number(matrix.labels[matrix.pairs[row][1]])) },
          { id: "value", title: what === "bytes" ? "Bytes" : what === "ns" ? "Time" : "Messages", help: `Sum over all messages of the pair${what === "bytes" ? " (in CSV: bytes)" : what === "ns" ? " (in CSV: ns)" : ""}`,
            value: (row) => matrix.pairs[row][2], text: (row) => shown(matrix.pairs[row][2]), share: (row) => matrix.pairs[row][2] / (most || 1) },
        ]} />
      {children}
      </div>
      </div>
    </>
  );
}

function Sizes({ profile }: { profile: Profile }) {
  const sizes = profile.list("message_sizes");
  const sent = sizes.numbers("sent");
  const received = sizes.numbers("received");
  const most = Math.max(...sent, ...received, 1);
  const used = [...sent.keys()].filter((i) => sent[i] + received[i] > 0);
  if (used.length === 0) return null;
  const rows = Array.from({ length: used[used.length - 1] - used[0] + 1 }, (_, i) => used[0] + i);
  return (
    <>
      <h3>Sizes of messages</h3>
      <Table id="sizes" label="Sizes of messages" rows={rows.length} height={340}
        columns={[
          text_column("size", "Size", "Bytes of a message: up to, but not including, the end", (row) => size_name(rows[row])),
          count_column("sent", "Sent", "Messages, including those of collectives", (row) => sent[rows[row]], { share: (row) => sent[rows[row]] / most }),
          count_column("received", "Received", "The same", (row) => received[rows[row]], { share: (row) => received[rows[row]] / most }),
        ]} />
    </>
  );
}

function Communication({ profile }: ViewProps) {
  const address = use_address();
  const list = profile.list("messages");
  const node = list.numbers("node");
  const column = (name: string): Float64Array => list.numbers(name);
  const sent = column("sent.messages");
  const sent_bytes = column("sent.bytes");
  const received = column("received.messages");
  const received_bytes = column("received.bytes");
  const path = number_of(address.path, profile.count);
  const rate = (bytes_column: Float64Array, ns: Float64Array, row: number): number => (ns[row] > 0 ? bytes_column[row] / (ns[row] / 1e9) : 0);
  return (
    <>
      {profile.list("communication").rows > 0 ? <Matrix profile={profile}><Sizes profile={profile} /></Matrix> : <Sizes profile={profile} />}
      {list.rows > 0 && (
        <>
          <h3>Calls with messages</h3>
          <Table id="messages" label="Calls with messages" rows={list.rows} sort="-time" height={340} selected={Array.prototype.indexOf.call(node, path)}
            on_select={(row) => set_address({ path: String(node[row]) })}
            columns={[
              text_column("function", "Function", "The MPI function", (row) => profile.name(node[row])),
              text_column("caller", "Caller", "The caller on this path", (row) => (profile.parent[node[row]] >= 0 ? profile.name(profile.parent[node[row]]) : "")),
              time_column("time", "Time", "From the calls to their completion, sum over all messages sent and received", (row) => column("sent.time_ns")[row] + column("received.time_ns")[row]),
              count_column("sent", "Sent", "Messages; every message of a collective counts", (row) => sent[row]),
              { id: "sent_bytes", title: "Sent bytes", help: "Bytes in them (in CSV: bytes)", value: (row) => sent_bytes[row], text: (row) => bytes(sent_bytes[row]) },
              { id: "sent_mean", title: "Mean size", help: "Bytes sent, divided by messages (in CSV: bytes)", value: (row) => (sent[row] > 0 ? sent_bytes[row] / sent[row] : 0), text: (row) => (sent[row] > 0 ? bytes(sent_bytes[row] / sent[row]) : "") },
              { id: "sent_rate", title: "Rate", help: "Bytes sent, divided by the time from the calls to their completion (in CSV: bytes per second)", value: (row) => rate(sent_bytes, column("sent.time_ns"), row), text: (row) => `${bytes(rate(sent_bytes, column("sent.time_ns"), row))}/s` },
              count_column("received", "Received", "Messages", (row) => received[row]),
              { id: "received_bytes", title: "Received bytes", help: "Bytes in them (in CSV: bytes)", value: (row) => received_bytes[row], text: (row) => bytes(received_bytes[row]) },
              { id: "received_rate", title: "Rate", help: "Bytes received, divided by the time from the calls to their completion (in CSV: bytes per second)", value: (row) => rate(received_bytes, column("received.time_ns"), row), text: (row) => `${bytes(rate(received_bytes, column("received.time_ns"), row))}/s` },
            ]} />
          <PathLine profile={profile} path={path} />
        </>
      )}
    </>
  );
}

export const communication_view: View = {
  id: "communication", title: "Communication", help: "MPI messages: between which ranks, of which size, from which calls. Choosing a call narrows the matrix to it.",
  exists: (_, profile) => profile.list("communication").rows > 0 || profile.list("messages").rows > 0, show: Communication,
};
