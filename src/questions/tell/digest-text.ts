import { plural } from "../../base/plural.ts";
import { countSeverities, severityWords } from "../diff/count-severities.ts";
import type { AlertMessage } from "./message.ts";
import { findingText, renamedText } from "./message.ts";

/** The first line of several changes: `12 changes of what you watch: 3 breaking, 9 dangerous`. */
export function digestHeading(messages: readonly AlertMessage[]): string {
  const counts = countSeverities(messages.map(({ severity }) => severity));
  return `${plural(messages.length, "change")} of what you watch: ${severityWords(counts)}`;
}

/** A change in one line: its summary, the worst of what was found, and a new name. */
export function digestLine({ summary, findings: [worst], renamed: [name] }: AlertMessage): string {
  return `${summary}${worst === undefined ? "" : `. ${findingText(worst)}`}${name === undefined ? "" : `; ${renamedText(name)}`}`;
}
