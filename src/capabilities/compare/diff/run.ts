import type { NodeGeneration } from "../../../core/abi/node-json/format.ts";
import { memoize } from "../../../core/base/async.ts";
import { suggestNames } from "../../../core/base/names.ts";
import { printable } from "../../../core/base/printable.ts";
import type { Io } from "../../../core/cli/io.ts";
import { jsonLine } from "../../../core/cli/output/json-line.ts";
import { type Paint, painter, wantsColour } from "../../../core/cli/output/terminal.ts";
import { openModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { ConfigError } from "../../../core/errors.ts";
import type { ExitName } from "../../../core/exit-codes.ts";
import { formatModuleId } from "../../../core/move/module-id.ts";
import { resolveAccount } from "../../../core/questions/resolve-module.ts";
import { namesSnapshot } from "../../../core/questions/snapshot-choice.ts";
import { parseSubject } from "../../../core/questions/subject.ts";
import type { Audience, FailLevel } from "../../changes/compare/severity.ts";
import { compareSides, type HeldModule, type Side } from "../../changes/compare/sides.ts";
import { carriedFrom, carriedInto } from "../../changes/diff/carried.ts";
import { diffDocument, diffMarkdown } from "../../changes/diff/document.ts";
import type { InPlace } from "../../changes/diff/reached-effects.ts";
import { type DiffReport, fails, makeReport } from "../../changes/diff/report.ts";
import { weighingAt } from "../../changes/diff/users.ts";
import { terminalText } from "../../changes/documents/terminal-text.ts";
import { comparesHandles, judgedBy } from "../archive-ledger.ts";
import { githubNotices } from "../notices.ts";
import { diffNotices, diffResult } from "./result.ts";
import { type OpenSide, openSides, type SideFilter } from "./sides.ts";

export type DiffFlags = {
  readonly format: "text" | "json" | "markdown" | "github";
  readonly failOn?: FailLevel;
  readonly for?: readonly Audience[];
  readonly audience?: readonly Audience[];
  readonly nodeGeneration?: NodeGeneration;
  readonly code?: boolean;
  readonly db: string;
};

/** Modules of files that are kept, which changed modules refer to. */
const MODULES_KEPT = 1_000;

export async function runDiff(
  io: Io,
  first: string | undefined,
  second: string | undefined,
  subject: string | undefined,
  flags: DiffFlags,
): Promise<ExitName> {
  if (first === undefined || second === undefined) {
    throw new ConfigError("give two things to compare, as in `movedex diff previous latest`. Run with --help for what they can be.");
  }
  if (flags.code === true && flags.format === "github") {
    throw new ConfigError("--code needs --format text, markdown or json, not `github`.");
  }
  const isHeld = namesSnapshot(first) || namesSnapshot(second);
  const scope = subject === undefined ? undefined : await readFilter(subject, isHeld ? flags.db : undefined);
  await using opened = new AsyncDisposableStack();
  const [before, after] = await openSides([first, second], flags.db, scope, opened);
  const report = await compare(before, after, flags, scope);
  await io.stdout(writers[flags.format](report, painter(wantsColour(io))));
  return verdict(report);
}

async function compare(before: OpenSide, after: OpenSide, flags: DiffFlags, scope: SideFilter | undefined): Promise<DiffReport> {
  const comparison = await compareSides(...pairUp(before, after), flags.code, scope && (() => absence([before, after], scope)));
  const options = { audiences: flags.for ?? flags.audience, failOn: flags.failOn };
  const handlesCount = await comparesHandles((before.archive ?? after.archive)?.archive, flags.nodeGeneration);
  if (before.archive === undefined) return makeReport(comparison, async (_, finding) => judgedBy(handlesCount, finding), options);
  // Who was changed along with a module is looked at as it is now.
  const isOne = after.archive?.archive.path === before.archive.archive.path;
  const [{ version: from }, { archive, version: to }] = [before.archive, isOne ? (after.archive ?? before.archive) : before.archive];
  const { weigh, differs } = weighingAt(archive, { from, to }, { ...comparison, inPlace: isOne ? undefined : inPlaceOf(after) });
  // Of two snapshots of one database: what changes carry into other modules, or into the one that was asked about.
  const module = scope?.name === undefined ? undefined : { address: scope.address, name: scope.name };
  const carried = () =>
    module ? carriedInto(archive, module, { from, to }, differs) : carriedFrom(archive, to, comparison.differences, differs);
  return makeReport(comparison, (of, finding) => weigh(of, judgedBy(handlesCount, finding)), {
    ...options,
    ...(isOne ? { carried: await carried() } : {}),
    usage: { version: to, ...(await archive.coverage(to)) },
  });
}

/** Why neither side has what was asked for, with what may have been meant. */
async function absence(sides: readonly OpenSide[], { address, name }: SideFilter): Promise<string> {
  const names: string[] = [];
  for (const { label, archive: held, unknown } of sides) {
    const reason = await unknown(address);
    if (reason !== undefined) return `${label}: ${reason}`;
    if (held !== undefined) names.push(...(await held.archive.modulesAt(held.version, address)).map((module) => module.name));
  }
  const asked = name === undefined ? `a module of ${address}` : formatModuleId({ address, name });
  return `neither side holds ${printable(asked, 200)}.${suggestNames(name ?? "", names)}`;
}

/** Modules of a side beside an archive's. */
function inPlaceOf({ modules, load }: Side): InPlace {
  return memoize(MODULES_KEPT, formatModuleId, async (id) => {
    const held = modules.get(formatModuleId(id));
    return held && (await load([held]))(held);
  });
}

/** The sides to compare. Of a snapshot against files only their modules count; two single files are compared whatever their names. */
function pairUp(before: OpenSide, after: OpenSide): [Side, Side] {
  const [old] = before.modules.values();
  const [now] = after.modules.values();
  if (before.isFile && after.isFile && old !== undefined && now !== undefined) {
    return [before, { ...after, modules: new Map([[formatModuleId(old), now]]) }];
  }
  if (before.archive !== undefined && after.archive === undefined) return [only(before, after.modules), after];
  if (before.archive === undefined && after.archive !== undefined) return [before, only(after, before.modules)];
  return [before, after];
}

function only(side: Side, wanted: ReadonlyMap<string, HeldModule>): Side {
  return { ...side, accounts: undefined, modules: new Map([...side.modules].filter(([id]) => wanted.has(id))) };
}

export const writers: Readonly<Record<DiffFlags["format"], (report: DiffReport, paint: Paint) => string>> = {
  json: (report) => jsonLine(diffResult.print(report)),
  markdown: diffMarkdown,
  github: (report) => githubNotices(diffNotices(report, "movedex diff")),
  text: (report, paint) => terminalText(diffDocument(report), paint),
};

/** A break comes first: it is certain, whatever else could not be compared. */
function verdict(report: DiffReport): ExitName {
  if (fails(report)) return "breaking";
  return report.incomparable.length > 0 ? "incomparable" : "done";
}

/** What a person named; the account of a module without one is looked for in the database at `path`. */
async function readFilter(text: string, path: string | undefined): Promise<SideFilter> {
  const { address, module, item, version } = parseSubject(text);
  if (item === undefined && version === undefined) {
    if (address !== undefined) return { address, ...(module === undefined ? {} : { name: module }) };
    if (path !== undefined) {
      await using archive = await openModuleArchive(path);
      return await resolveAccount(archive, { module });
    }
  }
  throw new ConfigError("the third argument of diff is an account (0x1) or a module (0x1::coin; of ledger versions also coin).");
}
