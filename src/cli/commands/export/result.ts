import { all, either, list, object, orNull, text, version, whole } from "../../../base/result.ts";

/** What was written of tables or modules. */
export const exportResult = object({
  directory: text,
  part: orNull(whole),
  content: orNull(text),
  ...all(whole, "snapshots", "files", "rows", "bytes"),
});

/** What was written of typings, or how they differ. */
export const typingsResult = object({
  directory: text,
  ledger_version: version,
  files: whole,
  ...all(list(text), "changed", "absent", "surplus", "missing"),
});

/** What `export --json` prints. */
export const exportResults = either<unknown>([exportResult, typingsResult]);
