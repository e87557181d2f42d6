import { address, from, maybe, orNull, text, time, truth, version, whole } from "../../../base/document/result.ts";
import { list } from "../../output/list.ts";

/** What `targets list` prints. Only `--all` has `removed_at`. */
export const targetList = list({
  columns: {
    address,
    label: orNull(text),
    reason: text,
    via: orNull(text),
    depth: whole,
    added_by: orNull(text),
    added_at: time,
    last_read: from("lastRead.version", orNull(version)),
    last_read_at: from("lastRead.sealedAt", orNull(time)),
    has_modules: from("lastRead.hasModules", orNull(truth)),
    removed_at: maybe(orNull(time)),
  },
  hasHeader: true,
});
