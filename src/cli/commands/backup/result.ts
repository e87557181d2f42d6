import { all, always, either, from, list, object, orNull, sha256, text, truth, version, whole, within } from "../../../base/result.ts";

const copied = within("copied", {
  ...all(whole, "bytes", "database_bytes"),
  sha256,
  snapshots: whole,
  newest_version: from("newestSnapshot", orNull(version)),
  newest_digest: orNull(sha256),
  is_older: truth,
});

export const backupResult = object({ file: text, ...copied, removed: from("removed.length", whole) });

/** What `--dry-run` prints. */
export const planResult = object({ dry_run: always(true, truth), file: text, kept: list(text), surplus: list(text) });

/** What `backup --json` prints. */
export const backupResults = either<unknown>([backupResult, planResult]);

/** What `restore --json` prints. */
export const restoreResult = object({ database: text, ...copied, kept_aside: orNull(text) });
