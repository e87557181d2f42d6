import { text } from "../../../base/result/kinds.ts";
import { all, object, orNull } from "../../../base/result/object.ts";

/** What `serve --json` prints when the server is ready. */
export const serveResult = object({ ...all(text, "url", "database", "between"), upstream: orNull(text), metrics: text });
