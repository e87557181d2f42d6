import { plural } from "../../base/plural.ts";
import { countSeverities, severityWords } from "../diff/count-severities.ts";
import type { AlertMessage } from "./message.ts";
import { findingText } from "./message.ts";

/** The first line of several changes: `12 changes of what you watch: 3 breaking, 9 dangerous`. */
export function digestHeading(messages: readonly AlertMessage[]): string {
  const counts = countSeverities(messages.map(({ severity }) => severity));
  return `${plural(messages.length, "change")} of what you watch: ${severityWords(counts)}`;
}

/** A change in one line: its summary, and the worst of what was found. */
export function digestLine({ summary, findings: [worst] }: AlertMessage): string {
  return worst === undefined ? summary : `${summary}. ${findingText(worst)}`;
}
