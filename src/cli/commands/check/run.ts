import type { FailLevel } from "../../../abi/compare/severity.ts";
import type { NodeGeneration } from "../../../abi/node-json/format.ts";
import { openModuleArchive } from "../../../archive/read/module-archive.ts";
import { printable } from "../../../base/printable.ts";
import { databasePath } from "../../../config.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { Address } from "../../../move/address.ts";
import { formatModuleId } from "../../../move/module-id.ts";
import { archiveLedger } from "../../../questions/check/archive-ledger.ts";
import { type BuildCheck, checkBuild, verdictOf } from "../../../questions/check/build-check.ts";
import { checkSentence, missingSentence, NOT_CHECKED, planText, targetText } from "../../../questions/check/sentences.ts";
import { incomparableSentence } from "../../../questions/diff/sentences.ts";
import type { Io } from "../../io.ts";
import { jsonLine } from "../../output/json-line.ts";
import { githubNotices, sarifLog } from "../../output/notices.ts";
import { type Paint, painter, wantsColour } from "../../output/paint.ts";
import { diffText } from "../diff/text.ts";
import { openBuild } from "./build-folder.ts";
import { checkNotices } from "./machines.ts";
import { checkResult } from "./result.ts";
import { sourcePlaces } from "./sources.ts";

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

/** How each format is written. `folder` holds the bytecode, whose sources are near. */
const writers: Readonly<Record<CheckFlags["format"], (check: BuildCheck, folder: string, paint: Paint) => string>> = {
  json: (check) => jsonLine(checkResult.print(check)),
  github: (check, folder) => githubNotices(checkNotices(check), sourcePlaces(folder)),
  sarif: (check, folder) => sarifLog(checkNotices(check), sourcePlaces(folder)),
  text: (check, _, paint) => checkText(check, paint),
};

/** Characters of a line. */
const LINE_MAX = 2000;
const COLOURS = { breaking: "red", incomparable: "yellow", done: "green" } as const;

/** The check for a person at a terminal: what it leaves out, the result, then the upgrade, what does not link, and the dependencies. */
function checkText(check: BuildCheck, paint: Paint): string {
  const { upgrade, unlinked, dependencies } = check;
  const missing = missingSentence(check);
  const sections = [
    [`${paint("bold", "not checked:")} ${NOT_CHECKED.join("; ")}`, paint(COLOURS[verdictOf(check)], checkSentence(check))],
    ["", `${paint("bold", "the upgrade")}  ${diffText(upgrade, paint).trimEnd()}`],
    ...(missing === undefined ? [] : [["", printable(missing, LINE_MAX)]]),
    ["", ...linkLines(check, paint)],
    ...(check.plan.length === 0
      ? []
      : [["", paint("bold", "publish in this order"), ...planText(check).map((line) => `  ${printable(line, LINE_MAX)}`)]]),
    ...(unlinked.length === 0
      ? []
      : [["", paint("red", "could not be checked:"), ...unlinked.map((found) => `  ${printable(incomparableSentence(found), LINE_MAX)}`)]]),
    [
      "",
      dependencies === undefined
        ? `${paint("bold", "the dependencies")}  not known: the build has no folder \`dependencies\``
        : `${paint("bold", "the dependencies")}  ${diffText(dependencies, paint).trimEnd()}`,
    ],
  ];
  return `${sections.flat().join("\n")}\n`;
}

function linkLines({ links }: BuildCheck, paint: Paint): string[] {
  if (links.length === 0) return [`${paint("bold", "linking")}  everything that is known of other modules is as the build expects it`];
  return [
    paint("bold", "linking"),
    ...links.flatMap((problem) => [
      `  ${paint("red", "refused")}  ${printable(formatModuleId(problem.module))} uses ${paint("bold", printable(targetText(problem)))}`,
      paint("red", `    - ${printable(problem.expected, LINE_MAX)}`),
      problem.found === null ? "    it is not there" : paint("green", `    + ${printable(problem.found, LINE_MAX)}`),
    ]),
  ];
}
