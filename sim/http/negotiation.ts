/** The two ways in which a node writes an answer. */
export type BodyFormat = "json" | "bcs";

const formats: Readonly<Record<string, BodyFormat>> = { "application/json": "json", "application/x-bcs": "bcs" };

/**
 * What an `Accept` header asks for: items are sorted by weight, the first that is one of the two media types, in any case
 * and with no parameter, decides; no match is JSON. Source: aptos-core `api/src/accept_type.rs`, poem `web/accept.rs`.
 */
export function acceptedFormat(accept: string | undefined): BodyFormat {
  if (accept === undefined) return "json";
  const sole = formats[accept];
  if (sole) return sole;
  const items = accept
    .split(",")
    .map((item) => item.trim())
    .filter((item) => /^[^\s/;]+\/[^\s/;]+/.test(item))
    .map((text) => ({ text, weight: Number(/;\s*q=([0-9.]+)/.exec(text)?.[1] ?? 1) }))
    .sort((a, b) => b.weight - a.weight);
  for (const { text } of items) {
    const format = formats[text.toLowerCase().replace(/;$/, "")];
    if (format) return format;
  }
  return "json";
}

export type ContentEncoding = "br" | "gzip" | "deflate";

const preference: readonly ContentEncoding[] = ["br", "gzip", "deflate"];

/**
 * Which encoding a node picks for an `Accept-Encoding` header. `*` means br, a weight counts only without blanks, and a weight of
 * 0 does not exclude. Source: poem 3.1 `middleware/compression.rs`.
 */
export function acceptedEncoding(acceptEncoding: string | undefined): ContentEncoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  let best: { encoding: ContentEncoding; weight: number } | undefined;
  for (const item of acceptEncoding.split(",")) {
    const match = /^(br|gzip|deflate|\*)(?:;q=([0-9.]+))?$/.exec(item.trim());
    if (!match) continue;
    const encoding = match[1] === "*" ? "br" : (match[1] as ContentEncoding);
    const weight = Number(match[2] ?? 1);
    const isBetter = !best || weight > best.weight;
    const isPreferred = best && weight === best.weight && preference.indexOf(encoding) < preference.indexOf(best.encoding);
    if (isBetter || isPreferred) best = { encoding, weight };
  }
  return best?.encoding;
}
