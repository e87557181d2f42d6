import { MovedexError } from "../../../errors.ts";

/** One thing that `doctor` looked at: fine, worth knowing, or in the way of a night. */
export type CheckResult = {
  readonly state: "ok" | "warn" | "fail";
  readonly subject: "node" | "database" | "night" | "watches";
  readonly text: string;
};

/** A failed check as a finding, in the words of its error. Bugs are thrown on. */
export function checkResultOf(error: unknown, subject: CheckResult["subject"]): CheckResult {
  if (!(error instanceof MovedexError)) throw error;
  return { state: "fail", subject, text: error.message };
}

export const ok = (subject: CheckResult["subject"], text: string): CheckResult => ({ state: "ok", subject, text });
export const warn = (subject: CheckResult["subject"], text: string): CheckResult => ({ state: "warn", subject, text });
