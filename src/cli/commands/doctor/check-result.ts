import { MovedexError } from "../../../errors.ts";

/** One thing that `doctor` looked at: fine, worth knowing, or in the way of a night. */
export type Finding = { readonly state: "ok" | "warn" | "fail"; readonly subject: "node" | "database"; readonly text: string };

/** A failed check as a finding, in the words of its error. Bugs are thrown on. */
export function findingOf(error: unknown, subject: Finding["subject"], state: "warn" | "fail" = "fail"): Finding {
  if (!(error instanceof MovedexError)) throw error;
  return { state, subject, text: error.message };
}
