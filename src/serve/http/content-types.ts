/** The content types of a node's answers, character for character. Source: aptos-core `api/types/src/mime_types.rs`, `api/src/spec.rs`. */
export const contentTypes = {
  json: "application/json; charset=utf-8",
  /** Of errors raised before the API: an unknown path, a parameter that does not parse. */
  frameworkJson: "application/json",
  bcs: "application/x-bcs",
  html: "text/html; charset=utf-8",
  yaml: "application/x-yaml",
  metrics: "text/plain; version=0.0.4; charset=utf-8",
} as const;

/** The two formats in which the ledger's data is answered. */
export type BodyFormat = "json" | "bcs";
