import { all, object, orNull, text } from "../../../base/document/result.ts";

/** What `serve --json` prints when the server is ready. */
export const serveResult = object({ ...all(text, "url", "database", "between"), upstream: orNull(text), metrics: text });
