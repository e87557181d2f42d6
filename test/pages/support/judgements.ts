import { changeFile } from "../../support/store/ask-file.ts";

/** Makes a file's stored judgements those of other rules. @returns how many there are */
export function forgetJudgements(path: string): number {
  return changeFile(path, "UPDATE _judged_upgrades SET rules = 0, severity = 'silent', breaking = 0");
}
