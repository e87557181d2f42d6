import { MovedexError } from "../../../errors.ts";

/** One thing that `doctor` looked at: fine, worth knowing, or in the way of a night. */
export type CheckResult = {
  readonly state: "ok" | "warn" | "fail";
  readonly subject: "node" | "database" | "night" | "watches";
  readonly text: string;
};

/** A failed check as a finding, in the words of its error. Bugs are thrown on. */
export function checkResultOf(error: unknown, subject: CheckResult["subject"], state: "warn" | "fail" = "fail"): CheckResult {
  if (!(error instanceof MovedexError)) throw error;
  return { state, subject, text: error.message };
}
