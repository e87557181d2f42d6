import { text, truth, whole } from "../../../base/result/kinds.ts";
import { always, either, list, maybe, object } from "../../../base/result/object.ts";
import { ofNetworks } from "../../jobs/each-section.ts";
import { stepResult } from "../../jobs/job.ts";
import { exitWord } from "../../output/result-fields.ts";
import { totalsResult } from "./totals.ts";

const fields = {
  job: text,
  exit: exitWord,
  exit_code: whole,
  duration_ms: whole,
  totals: maybe(totalsResult),
  steps: list(stepResult),
};
const planFields = { job: text, dry_run: always(true, truth), steps: list(object({ name: text, argv: list(text) })) };

/** How a night or a week ended. */
export const nightResult = object(fields);

/** What `--dry-run` prints. */
export const planResult = object(planFields);

/** What `night --json` prints: of one network, or of several. */
export const nightResults = either<unknown>([nightResult, planResult, ofNetworks(fields), ofNetworks(planFields)]);
