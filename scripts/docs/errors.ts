import { formatDuration } from "../../src/base/time.ts";
import { exitCodes } from "../../src/exit-codes.ts";
import { errorClass, errorClasses, type NodeErrorKind } from "../../src/node/protocol/error-classes.ts";
import { markdownRows } from "./blocks.ts";
import { type ErrorCodeDocument, errorCodes } from "./error-codes.ts";

/** The exit codes as a table. */
export function exitCodesMarkdown(): string {
  const rows = Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]);
  return markdownRows(["exit code", "meaning"], rows);
}

/** The codes of errors, by the part of movedex they come from. */
export function errorCodesMarkdown(): string {
  const sections = Object.entries(errorCodes).map(([title, codes]) => {
    const rows = Object.entries(codes).map(([code, { meaning, todo, exit }]) => [`\`${code}\``, meaning, todo, exitText(exit)]);
    return `### ${title}\n\n${markdownRows(["code", "meaning", "what to do", "exit code"], rows)}`;
  });
  return sections.join("\n\n");
}

/** Failures at the node: what each means, how long it is tried again, and what is over then. From the one table that decides it. */
export function nodeErrorsMarkdown(): string {
  const rows = (Object.keys(errorClasses) as NodeErrorKind[]).map((kind) => {
    const { meaning, retry, ends, pausesAll, exit } = errorClass(kind);
    const tries = retry === undefined ? "no" : `up to ${retry.attempts} times within ${formatDuration(retry.withinMs)}`;
    const outcome = ends === "request" ? "a gap" : `the run ends: ${exitText(exit)}`;
    return [`\`${nodeErrorCode(kind)}\``, meaning, `${tries}${pausesAll ? "; all requests wait" : ""}`, outcome];
  });
  return markdownRows(["code", "meaning", "tried again", "then"], rows);
}

/** The code of a `NodeError` of that kind. */
export function nodeErrorCode(kind: NodeErrorKind): string {
  return `MOVEDEX_NODE_${kind.toUpperCase()}`;
}

function exitText(exit: ErrorCodeDocument["exit"] = "failed"): string {
  if (exit === "gap") return "– (a gap)";
  if (exit === "answer") return "– (an answer)";
  return String(exitCodes[exit].code);
}
