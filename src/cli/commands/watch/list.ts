import { from, maybe, orNull, text, time, version, whole } from "../../../base/result.ts";
import { list } from "../../output/list.ts";

/** What `watch list` prints. Only `--all` has `removed_at`, and a table has `hears_nothing` where there is such a watch. */
export const watchList = list({
  columns: {
    watch: from("id", whole),
    subject: text,
    audience: orNull(text),
    level: text,
    since: orNull(version),
    added_at: time,
    alerts: whole,
    hears_nothing: orNull(text),
    removed_at: maybe(orNull(time)),
  },
  none: "nothing is watched yet. Begin with `movedex watch add 0x1::coin`.",
  hasHeader: true,
});
