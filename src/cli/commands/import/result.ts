import { all, either, object, orNull, sha256, text, whole } from "../../../base/result.ts";

/** What was taken from another archive. */
export const archiveResult = object({
  ...all(text, "path", "kind"),
  chain_id: orNull(whole),
  digest: orNull(sha256),
  ...all(whole, "snapshots", "new_snapshots", "accounts", "new_answers", "new_bytecodes", "findings"),
});

/** What was taken from files of modules. */
export const modulesResult = object({ ...all(text, "path", "kind"), ...all(whole, "files", "new_bytecodes", "skipped") });

/** What `import --json` prints. */
export const importResult = either<unknown>([archiveResult, modulesResult]);
