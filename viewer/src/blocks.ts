// The blocks of data in the page: base64, zlib, then a JSON object and columns
// (doc/design/report-page.md).
import { unzlibSync } from "fflate";

export type Column = Float64Array | string[];

export interface Block {
  head: any;
  lists: Map<string, List>;
}

// A list of rows, kept as columns.
export class List {
  readonly columns = new Map<string, Column>();
  rows = 0;
  numbers(name: string): Float64Array {
    const column = this.columns.get(name);
    return column instanceof Float64Array ? column : new Float64Array(this.rows);
  }
  texts(name: string): string[] {
    const column = this.columns.get(name);
    return Array.isArray(column) ? column : new Array<string>(this.rows).fill("");
  }
  has(name: string): boolean {
    return this.columns.has(name);
  }
}

export const no_list = new List();

function bytes_of_base64(text: string): Uint8Array {
  const from = (Uint8Array as any).fromBase64;
  if (from) return from.call(Uint8Array, text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  if (typeof DecompressionStream === "undefined") return unzlibSync(bytes);
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Numbers with seven bits per byte, lowest first. Beyond 2^53 they lose their last digits.
function read_varints(bytes: Uint8Array, begin: number, rows: number, zigzag: boolean): { values: Float64Array; end: number } {
  const values = new Float64Array(rows);
  let at = begin;
  for (let row = 0; row < rows; row++) {
    let byte = bytes[at++];
    let low = byte & 0x7f;
    if (byte >= 0x80) {
      let shift = 7;
      while (byte >= 0x80 && shift < 28) {
        byte = bytes[at++];
        low |= (byte & 0x7f) << shift;
        shift += 7;
      }
      if (byte >= 0x80) {
        let high = 0;
        let scale = 1;
        while (byte >= 0x80) {
          byte = bytes[at++];
          high += (byte & 0x7f) * scale;
          scale *= 128;
        }
        const whole = low + high * 268435456;
        values[row] = zigzag ? (low & 1 ? -(whole + 1) / 2 : whole / 2) : whole;
        continue;
      }
    }
    values[row] = zigzag ? (low & 1 ? -(low + 1) / 2 : low / 2) : low;
  }
  return { values, end: at };
}

function read_column(bytes: Uint8Array, encoding: string, rows: number): Column {
  switch (encoding) {
    case "z":
      return new Float64Array(rows);
    case "u":
      return read_varints(bytes, 0, rows, false).values;
    case "i":
      return read_varints(bytes, 0, rows, true).values;
    case "d": {
      const { values } = read_varints(bytes, 0, rows, true);
      for (let i = 1; i < rows; i++) values[i] += values[i - 1];
      return values;
    }
    case "f": {
      const values = new Float64Array(rows);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      for (let i = 0; i < rows; i++) values[i] = view.getFloat64(8 * i, true);
      return values;
    }
    case "s": {
      if (bytes.length === 0) return new Array<string>(rows).fill("");
      const { values: lengths, end } = read_varints(bytes, 0, rows, false);
      const decoder = new TextDecoder();
      const texts: string[] = [];
      let at = end;
      for (let i = 0; i < rows; i++) {
        texts.push(decoder.decode(bytes.subarray(at, at + lengths[i])));
        at += lengths[i];
      }
      return texts;
    }
    default:
      throw new Error(`this page has a column with the unknown encoding "${encoding}"`);
  }
}

export function read_block(bytes: Uint8Array): Block {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const lists = new Map<string, List>();
  let at = 4 + length;
  for (const [name, column, encoding, rows, size] of head.columns as [string, string, string, number, number][]) {
    let list = lists.get(name);
    if (!list) lists.set(name, (list = new List()));
    list.rows = rows;
    list.columns.set(column, read_column(bytes.subarray(at, at + size), encoding, rows));
    at += size;
  }
  return { head, lists };
}

// All blocks of the document; the element of each is removed, to return its memory.
export async function read_blocks(document: Document): Promise<Block[]> {
  const blocks: Block[] = [];
  for (let number = 0; ; number++) {
    const element = document.getElementById(`vftrace-data-${number}`);
    if (!element) return blocks;
    const bytes = bytes_of_base64(element.textContent ?? "");
    element.remove();
    blocks.push(read_block(await inflate(bytes)));
  }
}
