import { address, text, time, truth, version, whole } from "../../../base/result/kinds.ts";
import { from, maybe, orNull } from "../../../base/result/object.ts";
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
