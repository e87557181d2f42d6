import { version, whole } from "../../../base/result/kinds.ts";
import { all, either, list, object } from "../../../base/result/object.ts";
import { spent } from "../../output/result-fields.ts";

export const summaryResult = object({ ledger_versions: list(version), ...all(whole, "traces", "requests", "duration_ms") });

/** What `work --json` prints. */
export const workResult = either<unknown>([summaryResult, spent]);
