import type { BodyForm } from "./content-types.ts";

const forms: Readonly<Record<string, BodyForm>> = { "application/json": "json", "application/x-bcs": "bcs" };
const weightOf = (item: string): number => Number(/;\s*q=([0-9]+(?:\.[0-9]+)?)/i.exec(item)?.[1] ?? 1);

/**
 * Which form an `Accept` header asks a node for. The whole text of an item has to be one of the two media types, so that
 * `application/x-bcs;q=0.9` is no wish for BCS; the first such item wins; none is JSON.
 * Source: aptos-core `api/src/accept_type.rs`.
 */
export function wantedForm(accept: string | undefined): BodyForm {
  if (accept === undefined) return "json";
  const alone = forms[accept];
  if (alone !== undefined) return alone;
  // An item that is a media type and nothing more has the full weight, so the first such item is the heaviest.
  for (const item of accept.split(",")) {
    const form = forms[item.trim()];
    if (form !== undefined) return form;
  }
  return "json";
}

/** A packing of bodies. */
export type Packing = "zstd" | "br" | "gzip";

// The cheapest to make first: at these levels zstd packs a page of modules as small as brotli in a third of the time.
const packings: readonly Packing[] = ["zstd", "br", "gzip"];

/** Which packing an `Accept-Encoding` header allows: the heaviest, then the cheapest; undefined for none. `*` alone is gzip. */
export function wantedPacking(acceptEncoding: string | undefined): Packing | undefined {
  if (acceptEncoding === undefined || acceptEncoding === "identity") return undefined;
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.split(",").slice(0, 20)) {
    const name = (item.split(";", 1)[0] as string).trim().toLowerCase();
    if (!weights.has(name)) weights.set(name, weightOf(item));
  }
  const any = weights.get("*") ?? 0;
  let best: { readonly packing: Packing; readonly weight: number } | undefined;
  for (const packing of packings) {
    const weight = weights.get(packing) ?? (packing === "gzip" ? any : 0);
    if (weight > (best?.weight ?? 0)) best = { packing, weight };
  }
  return best !== undefined && best.weight >= (weights.get("identity") ?? 0) ? best.packing : undefined;
}
