import type { BodyFormat } from "./answer.ts";

const formats: Readonly<Record<string, BodyFormat>> = { "application/json": "json", "application/x-bcs": "bcs" };

/**
 * The format that an `Accept` header selects on a node: its first item that is exactly one of the two media types, without
 * parameters; else JSON. Source: aptos-core `api/src/accept_type.rs`, and a node's answers.
 */
export function negotiateFormat(accept: string | undefined): BodyFormat {
  // An item without parameters has the full weight, so the first such item is also the heaviest.
  const items = (accept ?? "").split(",").map((item) => item.trim().toLowerCase().replace(/;$/, ""));
  return formats[items.find((item) => Object.hasOwn(formats, item)) ?? ""] ?? "json";
}

/** A content encoding that this service can produce. */
export type Encoding = "zstd" | "br" | "gzip";

// The cheapest first: at these levels zstd makes a page of modules as small as brotli does, in a third of the time.
const encodings: readonly Encoding[] = ["zstd", "br", "gzip"];
/** Items of an `Accept-Encoding` header that are looked at. */
const MAX_ITEMS = 20;

/** The encoding that an `Accept-Encoding` header allows: the heaviest, then the cheapest; undefined for none. `*` alone is gzip. */
export function negotiateEncoding(acceptEncoding: string | undefined): Encoding | undefined {
  if (acceptEncoding === undefined || acceptEncoding === "identity") return undefined;
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.split(",").slice(0, MAX_ITEMS)) {
    const name = (item.split(";", 1)[0] as string).trim().toLowerCase();
    if (!weights.has(name)) weights.set(name, weightOf(item));
  }
  const weightFor = (encoding: Encoding): number => weights.get(encoding) ?? (encoding === "gzip" ? (weights.get("*") ?? 0) : 0);
  const [best] = encodings.toSorted((a, b) => weightFor(b) - weightFor(a)) as [Encoding];
  const weight = weightFor(best);
  return weight > 0 && weight >= (weights.get("identity") ?? 0) ? best : undefined;
}

function weightOf(item: string): number {
  return Number(/;\s*q=([0-9]+(?:\.[0-9]+)?)/i.exec(item)?.[1] ?? 1);
}
