import type { NodeGeneration } from "../../../core/abi/node-json/format.ts";
import { listFirst, plural } from "../../../core/base/plural.ts";
import { from, list, object, orNull, text } from "../../../core/base/result.ts";
import { databasePath } from "../../../core/cli/config.ts";
import type { Io } from "../../../core/cli/io.ts";
import { jsonLine } from "../../../core/cli/output/json-line.ts";
import { type Paint, painter, wantsColour } from "../../../core/cli/output/terminal.ts";
import { openModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import type { ExitName } from "../../../core/exit-codes.ts";
import type { Address } from "../../../core/move/address.ts";
import { formatModuleId } from "../../../core/move/module-id.ts";
import type { LinkProblem } from "../../changes/compare/linking.ts";
import type { FailLevel } from "../../changes/compare/severity.ts";
import { type CausedFinding, causeOf, crowdsIn, wentAndCame } from "../../changes/diff/crowds.ts";
import { diffDocument, incomparablePoints } from "../../changes/diff/document.ts";
import { hasFailing } from "../../changes/diff/report.ts";
import { incomparableSentence } from "../../changes/diff/sentences.ts";
import { type Block, type Inline, namesOf, type Point, section } from "../../changes/documents/document.ts";
import { terminalText } from "../../changes/documents/terminal-text.ts";
import { archiveLedger } from "../archive-ledger.ts";
import { diffNotices, diffResult, incomparable } from "../diff/result.ts";
import { generalNotice, githubNotices, type Notice, sarifLog } from "../notices.ts";
import { type BuildCheck, checkBuild, verdictOf } from "./build-check.ts";
import { openBuild, sourcePlaces } from "./build-folder.ts";

type Link = BuildCheck["links"][number];

const REFUSED = { strong: "refused", tone: "breaking" };
/** Names of what uses, and of what is used. */
const USES_NAMED = 5;

export const checkResult = object({
  verdict: from(verdictOf, text),
  summary: from(checkSentence, text),
  checked: from((_: BuildCheck) => CHECKED, list(text)),
  not_checked: from((_: BuildCheck) => NOT_CHECKED, list(text)),
  upgrade: diffResult,
  links: list(
    object({
      module: from(({ module }: Link) => formatModuleId(module), text),
      target: from(({ target }: Link) => formatModuleId(target), text),
      item_kind: from("item.kind", text),
      item: from("item.name", orNull(text)),
      expected: text,
      found: orNull(text),
    }),
  ),
  unlinked: incomparable,
  missing: from(({ missing }: BuildCheck) => missing.map(formatModuleId), list(text)),
});

export type CheckFlags = {
  readonly against?: string;
  readonly at?: string;
  readonly first?: boolean;
  readonly nodeGeneration?: NodeGeneration;
  readonly failOn: FailLevel;
  readonly format: "text" | "json" | "github" | "sarif";
};

export async function runCheck(io: Io, path: string, flags: CheckFlags): Promise<ExitName> {
  const build = openBuild(path);
  await using archive = await openModuleArchive(databasePath(flags.against, io.env));
  const accounts = new Set(Array.from(build.modules.modules.values(), ({ address }) => address));
  const empty = flags.first === true ? accounts : new Set<Address>();
  const ledger = await archiveLedger(archive, { at: flags.at, empty, generation: flags.nodeGeneration });
  const check = await checkBuild(build, ledger, flags.failOn);
  await io.stdout(writers[flags.format](check, build.folder, painter(wantsColour(io))));
  return verdictOf(check);
}

const writers: Readonly<Record<CheckFlags["format"], (check: BuildCheck, folder: string, paint: Paint) => string>> = {
  json: (check) => jsonLine(checkResult.print(check)),
  github: (check, folder) => githubNotices(checkNotices(check), sourcePlaces(folder)),
  sarif: (check, folder) => sarifLog(checkNotices(check), sourcePlaces(folder)),
  text: (check, _, paint) => terminalText(checkDocument(check), paint),
};

/** The check: what it leaves out, the result, then the upgrade, and what does not link. */
function checkDocument(check: BuildCheck): Block[] {
  const { upgrade, links, unlinked } = check;
  const missing = missingSentence(check);
  const linked = links.length === 0 ? [" ", "everything that is known of other modules is as the build expects it"] : [];
  return [
    { heading: [{ strong: "not checked:" }, ` ${NOT_CHECKED.join("; ")}`], level: 1 },
    { paragraph: [{ strong: checkSentence(check), tone: verdictOf(check) }] },
    ...diffDocument(upgrade, [{ strong: "the upgrade" }, " "]),
    ...(missing === undefined ? [] : [{ paragraph: [missing] }]),
    { heading: [{ strong: "linking" }, ...linked], level: 1 },
    { points: linkPoints(links) },
    ...section([{ strong: "could not be checked:" }], 1, incomparablePoints(unlinked)),
  ];
}

/** What does not link: what differs alike in many uses once, the others one by one. */
function linkPoints(links: readonly LinkProblem[]): Point[] {
  const { crowds, others } = crowdsIn(links, (link) => causeOf(causedBy(link)));
  const several = crowds.map((of): Point => {
    const [gone, came] = wentAndCame(causedBy(of[0]));
    const names = (of: readonly string[]): Inline[] => namesOf([...new Set(of)], USES_NAMED);
    return {
      parts: [REFUSED, " ", `${plural(of.length, "use")} of other modules, by `, ...names(of.map(({ module }) => formatModuleId(module)))],
      lines: [...(gone === "" ? [] : [`- ${gone}`]), ...(came === "" ? [] : [`+ ${came}`])],
      says: [["used: ", ...names(of.map(targetText))], ["--format json lists each use"]],
    };
  });
  return [...several, ...others.map(linkPoint)];
}

/** What the build expects, and what is there, as a finding. A use does not say that a function is public, entry or native. */
function causedBy({ item, expected, found }: LinkProblem): CausedFinding {
  return { rule: "does not link", item, before: expected, after: found?.replace(/^public (?:entry |native )*/, "") ?? null };
}

function linkPoint(problem: LinkProblem): Point {
  const { module, expected, found } = problem;
  return {
    parts: [REFUSED, " ", `${formatModuleId(module)} uses `, { code: targetText(problem) }],
    lines: [`- ${expected}`, ...(found === null ? [] : [`+ ${found}`])],
    says: found === null ? [["it is not there"]] : [],
  };
}

/** What of a check is worth a notice, the result last. */
export function checkNotices(check: BuildCheck): Notice[] {
  const { upgrade, links, unlinked } = check;
  const missing = missingSentence(check);
  const levelOf = { breaking: "error", incomparable: "warning", done: "notice" } as const;
  return [
    ...diffNotices(upgrade, "the upgrade"),
    ...links.map((found): Notice => {
      const caused = causedBy(found);
      return { level: "error", rule: caused.rule, module: formatModuleId(found.module), item: "", text: linkSentence(found), caused };
    }),
    ...unlinked.map((found) => generalNotice("warning", "could not be checked", incomparableSentence(found))),
    ...(missing === undefined ? [] : [generalNotice("warning", "modules that the build lacks", missing)]),
    generalNotice(levelOf[verdictOf(check)], "movedex check", `${checkSentence(check)}. Not checked: ${NOT_CHECKED.join("; ")}`),
  ];
}

export function checkSentence(check: BuildCheck): string {
  const { upgrade, links } = check;
  const because = [
    ...(upgrade.refused > 0 ? [`${plural(upgrade.refused, "change")} that no upgrade may make`] : []),
    ...(links.length > 0 ? [`${plural(links.length, "use")} of other modules that ${links.length === 1 ? "does" : "do"} not link`] : []),
  ];
  if (because.length > 0) return `the VM would refuse this build: ${because.join(", ")}`;
  const verdict = verdictOf(check);
  if (verdict === "incomparable") return "nothing was found against this build, but not all of it could be checked";
  const lacks = check.missing.length;
  return [
    `nothing was found for which the VM would refuse this build${hasFailing(upgrade) ? "; it breaks what relies on it" : ", and it breaks no module that is known"}`,
    ...(lacks > 0
      ? [`The VM refuses it if ${lacks === 1 ? "the module" : `one of the ${lacks} modules`} that it lacks is of its package`]
      : []),
  ].join(". ");
}

/** What a check looks at, and what it leaves to others: a result says no more than the first. */
export const CHECKED = ["upgrade rules", "linking"] as const;
export const NOT_CHECKED = [
  "the VM's verifier and the rules of publishing, which the chain's CLI simulates",
  "the package's upgrade policy and which modules are its own, which no snapshot holds",
] as const;

/** `0x1::coin::withdraw`, as a module uses it. */
export function targetText({ target, item }: LinkProblem): string {
  return `${item.kind} ${formatModuleId(target)}${item.name === null ? "" : `::${item.name}`}`;
}

export function linkSentence({ module, target, item, expected, found }: LinkProblem): string {
  const what = targetText({ module, target, item, expected, found });
  return found === null ? `${what} is not there` : `${what} is not as the build expects it: ${expected}; it is: ${found}`;
}

/** What the build lacks of its accounts' modules; undefined if nothing. */
export function missingSentence({ missing }: BuildCheck): string | undefined {
  if (missing.length === 0) return undefined;
  const modules = listFirst(missing.map(formatModuleId), 5);
  return `the build lacks ${modules}: a chain refuses an upgrade that lacks modules of the same package`;
}
