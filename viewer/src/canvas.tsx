// A canvas that fills its place and is sharp on every screen. It is drawn again when its size, the
// colours or its inputs change.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { set_dark, is_dark } from "./colors.ts";

export interface Drawing {
  context: CanvasRenderingContext2D;
  width: number;
  height: number;
}

interface Props {
  height: number;
  label: string;
  name: string;
  class?: string;
  draw: (drawing: Drawing) => void;
  inputs: unknown[];
  on_move?: (x: number, y: number, width: number) => void;
  on_leave?: () => void;
  on_click?: (x: number, y: number, width: number) => void;
  on_double_click?: () => void;
  on_drag?: (from: number, to: number, width: number) => void;
  // Called while the pointer is dragged, instead of on_drag at the end.
  on_dragging?: (drag: Drag) => void;
  on_wheel?: (event: WheelEvent, x: number, width: number) => void;
  on_key?: (event: KeyboardEvent) => void;
  tip?: { x: number; y: number; text: string } | undefined;
  // Drawn over the canvas: a line at x, or a range.
  mark?: { x: number; to?: number; text: string } | undefined;
}

export interface Drag {
  from_x: number;
  from_y: number;
  x: number;
  y: number;
  shift: boolean; // the key, when the drag began
  phase: "begin" | "move" | "end";
  width: number;
}

export function Canvas(props: Props) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, set_width] = useState(0);
  const theme = use_theme();
  const pressed = useRef<{ x: number; y: number; shift: boolean; dragging: boolean } | undefined>(undefined);
  useEffect(() => {
    const element = place.current!;
    const observer = new ResizeObserver(() => set_width(element.clientWidth));
    observer.observe(element);
    set_width(element.clientWidth);
    return () => observer.disconnect();
  }, []);
  // Draws in the frame in which the change was requested.
  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element || width === 0) return;
    const ratio = Math.max(1, window.devicePixelRatio || 1);
    element.width = Math.round(width * ratio);
    element.height = Math.round(props.height * ratio);
    const context = element.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, props.height);
    const begin = performance.now();
    props.draw({ context, width, height: props.height });
    element.dataset.ms = (performance.now() - begin).toFixed(1);
  }, [width, props.height, theme, ...props.inputs]);
  useEffect(() => {
    const element = canvas.current!;
    const wheel = (event: WheelEvent) => props.on_wheel?.(event, event.offsetX, width);
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  });
  const drag = (event: MouseEvent, phase: "move" | "end"): boolean => {
    const from = pressed.current;
    if (!from || !props.on_dragging || (!from.dragging && Math.hypot(event.offsetX - from.x, event.offsetY - from.y) <= 4)) return false;
    const at = { from_x: from.x, from_y: from.y, x: event.offsetX, y: event.offsetY, shift: from.shift, width };
    if (!from.dragging) props.on_dragging({ ...at, phase: "begin" });
    from.dragging = true;
    props.on_dragging({ ...at, phase });
    return true;
  };
  const tip = props.tip;
  const mark = props.mark;
  return (
    <div class={props.class ? `canvas ${props.class}` : "canvas"} ref={place}>
      <canvas ref={canvas} data-canvas={props.name} role="img" tabIndex={0} aria-label={props.label}
        style={{ height: `${props.height}px`, width: "100%" }}
        onMouseMove={(event) => {
          if (!(event.buttons & 1)) pressed.current = undefined;
          if (!drag(event, "move")) props.on_move?.(event.offsetX, event.offsetY, width);
        }}
        onMouseLeave={() => props.on_leave?.()}
        onMouseDown={(event) => (pressed.current = { x: event.offsetX, y: event.offsetY, shift: event.shiftKey, dragging: false })}
        onMouseUp={(event) => {
          const from = pressed.current;
          const dragged = drag(event, "end");
          pressed.current = undefined;
          if (dragged) return;
          if (from !== undefined && props.on_drag && Math.abs(event.offsetX - from.x) > 6)
            props.on_drag(Math.min(from.x, event.offsetX), Math.max(from.x, event.offsetX), width);
          else props.on_click?.(event.offsetX, event.offsetY, width);
        }}
        onDblClick={() => props.on_double_click?.()}
        onKeyDown={(event) => props.on_key?.(event)} />
      {mark && (
        <div class={mark.to === undefined ? "mark" : "mark range"} style={{ left: `${mark.x}px`, width: mark.to === undefined ? "0" : `${mark.to - mark.x}px` }}>
          <span data-mark={props.name} style={width - mark.x < 90 ? { right: "3px" } : {}}>{mark.text}</span>
        </div>
      )}
      {tip && (
        <div class="tip" role="status" ref={keep_inside} style={{ left: `${Math.min(tip.x + 14, Math.max(0, width - 380))}px`, top: `${tip.y + 18}px` }}>
          {tip.text.split("\n").map((line, i) => <div key={i}><bdi>{line}</bdi></div>)}
        </div>
      )}
    </div>
  );
}

// A tool tip that would end below the window is moved above the pointer. The place of a canvas does
// not cut it off.
function keep_inside(tip: HTMLDivElement | null): void {
  if (!tip) return;
  tip.style.marginTop = "";
  const box = tip.getBoundingClientRect();
  if (box.bottom > window.innerHeight && box.top > box.height + 36) tip.style.marginTop = `${-box.height - 36}px`;
}

export function use_theme(): boolean {
  const [dark, set] = useState(is_dark());
  useEffect(() => {
    const listener = () => set(is_dark());
    window.addEventListener("vftrace-theme", listener);
    return () => window.removeEventListener("vftrace-theme", listener);
  }, []);
  return dark;
}
export { set_dark };
