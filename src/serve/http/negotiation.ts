import type { BodyFormat } from "./answer.ts";

const formats: Readonly<Record<string, BodyFormat>> = { "application/json": "json", "application/x-bcs": "bcs" };

/**
 * The format that an `Accept` header selects on a node: its first item that is exactly one of the two media types, without
 * parameters; else JSON. Source: aptos-core `api/src/accept_type.rs`, and a node's answers.
 */
export function negotiateFormat(accept: string | undefined): BodyFormat {
  if (accept === undefined) return "json";
  const single = formats[accept];
  if (single !== undefined) return single;
  // An item without parameters has the full weight, so the first such item is also the heaviest.
  for (const item of accept.split(",")) {
    const format = formats[item.trim().toLowerCase().replace(/;$/, "")];
    if (format !== undefined) return format;
  }
  return "json";
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
  const any = weights.get("*") ?? 0;
  let best: { readonly encoding: Encoding; readonly weight: number } | undefined;
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? (encoding === "gzip" ? any : 0);
    if (weight > (best?.weight ?? 0)) best = { encoding, weight };
  }
  return best !== undefined && best.weight >= (weights.get("identity") ?? 0) ? best.encoding : undefined;
}

function weightOf(item: string): number {
  return Number(/;\s*q=([0-9]+(?:\.[0-9]+)?)/i.exec(item)?.[1] ?? 1);
}
