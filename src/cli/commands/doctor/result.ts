import { text, truth, version, whole, word } from "../../../base/result/kinds.ts";
import { all, either, from, list, object } from "../../../base/result/object.ts";
import { ofNetworks } from "../../jobs/each-section.ts";

const fields = {
  fit: from("isFit", truth),
  findings: list(object({ state: word("ok", "warn", "fail"), ...all(text, "subject", "text") })),
  settings: list(object(all(text, "name", "value", "source"))),
};

export const doctorResult = object(fields);

/** What `--forget` prints. */
export const forgottenResult = object({ forgotten: whole, head_version: version });

/** What `doctor --json` prints: of one network, or of several. */
export const doctorResults = either<unknown>([doctorResult, forgottenResult, ofNetworks(fields)]);
