import { MovedexError } from "../../../errors.ts";

/** One thing that `doctor` looked at: fine, worth knowing, or in the way of a night. */
export type CheckResult = {
  readonly state: "ok" | "warn" | "fail";
  readonly subject: "node" | "database" | "watches";
  readonly text: string;
};

/** What a check finds; if it fails, that in the words of the error. Bugs are thrown on. */
export async function tryCheck(subject: CheckResult["subject"], check: () => Promise<CheckResult[]>): Promise<CheckResult[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof MovedexError)) throw error;
    return [{ state: "fail", subject, text: error.message }];
  }
}

export const ok = (subject: CheckResult["subject"], text: string): CheckResult => ({ state: "ok", subject, text });
export const fail = (subject: CheckResult["subject"], text: string): CheckResult => ({ state: "fail", subject, text });
export const warn = (subject: CheckResult["subject"], text: string): CheckResult => ({ state: "warn", subject, text });
