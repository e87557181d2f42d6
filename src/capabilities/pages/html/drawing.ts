import { type Html, html } from "../../changes/pages/html.ts";

/** A line through values, the first at the left and the last at the right of a drawing; `y` places each, downwards from the top. */
export function lineThrough(values: readonly number[], width: number, y: (value: number) => number): Html {
  const step = width / Math.max(1, values.length - 1);
  return html`<polyline points="${values.map((value, i) => `${(i * step).toFixed(1)},${y(value).toFixed(1)}`).join(" ")}"/>`;
}
