import { existsSync } from "node:fs";
import { basename } from "node:path";
import { plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { all, from, list, object, orNull, sha256, text, version, whole } from "../../../core/base/result.ts";
import { databasePath } from "../../../core/cli/config.ts";
import type { Io } from "../../../core/cli/io.ts";
import { jsonLine } from "../../../core/cli/output/json-line.ts";
import { painter, wantsColour } from "../../../core/cli/output/terminal.ts";
import { readChain } from "../../../core/db/archive/chain.ts";
import { openModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { ConfigError } from "../../../core/errors.ts";
import type { ExitName } from "../../../core/exit-codes.ts";
import { formatModuleId, itemNameOf, moduleNamed, moduleNameOf } from "../../../core/move/module-id.ts";
import { compareSeverities, worstOf } from "../../changes/compare/severity.ts";
import { crowdsOf } from "../../changes/diff/crowds.ts";
import { crowdBlocks, incomparablePoints, modulePoints } from "../../changes/diff/document.ts";
import { type ReportedModule, worstIn } from "../../changes/diff/report.ts";
import { depthNames } from "../../changes/diff/sentences.ts";
import { loadByDigest } from "../../changes/diff/sides.ts";
import { type Block, type Inline, markdownOf, namesOf, type Point, section } from "../../changes/documents/document.ts";
import { terminalText } from "../../changes/documents/terminal-text.ts";
import { archiveLedger } from "../archive-ledger.ts";
import { openBuild } from "../check/build-folder.ts";
import { diffResult, incomparable } from "../diff/result.ts";
import { builtModules, ledgerModules, lockedModules } from "../sources.ts";
import { checkLock, type ItemChange, type LockCheck, lockVerdict } from "./check-lock.ts";
import { itemsIn } from "./hashes.ts";
import { LOCK_FILE, type Lock, type LockedModule } from "./lock-file.ts";
import { readLock, vendor, vendoredIn, writeLock } from "./lock-place.ts";
import { makeLock, readOwnUses } from "./make-lock.ts";

const changes = list(
  object({
    module: from(({ item }: ItemChange) => moduleNameOf(item), text),
    item_kind: from("kind", text),
    item: from(({ item }: ItemChange) => itemNameOf(item), text),
    change: from("what", text),
  }),
);

const modules = list(
  object({ module: text, package: orNull(text), ledger_version: version, sha256, ...all(whole, "functions", "structs") }),
);

function modulesOf({ lock }: LockCheck) {
  const count = ({ functions, structs }: LockedModule) => ({ functions: functions.size, structs: structs.size });
  return Array.from(lock.modules, ([module, locked]) => ({ ...locked, module, ...count(locked) }));
}

export const lockResult = object({
  verdict: from(lockVerdict, text),
  summary: from(lockSentence, text),
  modules: from(modulesOf, modules),
  changed: changes,
  warned: changes,
  ...all(list(text), "replaced"),
  incomparable: from("unknown", incomparable),
  report: orNull(diffResult),
});

export type LockFlags = {
  readonly check?: boolean;
  readonly update?: boolean;
  readonly vendor?: string;
  readonly against?: string;
  readonly at?: string;
  readonly format: "text" | "json" | "markdown";
};

/** `given` are the build and the lock, or the lock alone. */
export async function runLock(io: Io, ...given: [first: string | undefined, second: string | undefined, LockFlags]): Promise<ExitName> {
  const [first, second, flags] = given;
  const isLockAlone = second === undefined && first?.endsWith(".lock") === true;
  const [path, file] = isLockAlone ? [undefined, first] : [first, second ?? LOCK_FILE];
  if (flags.check === true && flags.update === true)
    throw new ConfigError("--check writes nothing, and --update does. Leave out one of them.");
  const label = basename(file);
  const known = existsSync(file) || path === undefined || flags.check === true ? readLock(file) : undefined;
  if (known !== undefined && flags.check !== true && flags.update !== true)
    throw new ConfigError(`\`${printable(file)}\` is there already. --check compares it with what is there now, --update writes it anew.`);
  const build = path === undefined ? undefined : openBuild(path);
  const uses = build === undefined ? undefined : await readOwnUses(build);
  const vendored = known !== undefined && flags.vendor !== undefined ? vendoredIn(flags.vendor) : undefined;
  if (known !== undefined && vendored !== undefined && flags.check === true && flags.against === undefined && !io.env["DATABASE_URL"]) {
    const locked = lockedModules(label, known.modules, vendored);
    return print(io, await checkLock(known, locked, builtModules(build?.dependencies, locked), uses), label, flags);
  }
  await using archive = await openModuleArchive(databasePath(flags.against, io.env));
  const chainId = await readChain(archive.engine);
  if (known !== undefined && known.chainId !== chainId)
    throw new ConfigError(`\`${printable(file)}\` is of chain ${known.chainId}, the archive of chain ${chainId}. Name another archive.`);
  const ledger = await archiveLedger(archive, { at: flags.at, empty: new Set() });
  const now = await ledgerModules(ledger);
  const check = known && (await checkLock(known, lockedModules(label, known.modules, vendored ?? loadByDigest(archive)), now, uses));
  if (known !== undefined && check !== undefined && flags.check === true) return print(io, check, label, flags);
  const packages = build?.packages() ?? new Map<string, string>();
  const lock = await makeLock(uses ?? (known as Lock).uses, now, { chainId, versionOf: ledger.versionOf, packages }, known);
  if (flags.vendor !== undefined) await vendor(flags.vendor, known, lock, now);
  writeLock(file, lock);
  await print(io, check ?? { lock, isFirst: true, changed: [], warned: [], replaced: [], unknown: [], report: undefined }, label, flags);
  io.stderr(`movedex: wrote \`${printable(file)}\` with ${plural(lock.modules.size, "module")}\n`);
  return "done";
}

async function print(io: Io, check: LockCheck, label: string, { format }: LockFlags): Promise<ExitName> {
  const document = lockDocument(check, [{ code: label }]);
  if (format === "json") await io.stdout(jsonLine(lockResult.print(check)));
  else await io.stdout(format === "markdown" ? markdownOf(document) : terminalText(document, painter(wantsColour(io))));
  return lockVerdict(check);
}

/** Names of one kind of change; further ones are counted. */
const NAMED = 12;

/** `2 of 41 functions and structs that the build reaches changed`, or that nothing did. */
export function lockSentence(check: LockCheck): string {
  const { lock, isFirst, changed, warned, replaced, unknown } = check;
  const reached = `${plural(itemsIn(lock.modules).length, "function or struct", "functions and structs")} of ${plural(lock.modules.size, "module")}`;
  if (isFirst) return `the build reaches ${reached}`;
  const others =
    replaced.length === 0 ? "" : `; ${plural(replaced.length, "module")} of them ${replaced.length === 1 ? "has" : "have"} other bytes`;
  const literals =
    warned.length === 0 ? "" : `; ${plural(warned.length, "function")} ${warned.length === 1 ? "has" : "have"} other literals or operators`;
  if (changed.length > 0) return `${changed.length} of ${reached} that the build reaches changed${literals}`;
  if (unknown.length > 0) return `not everything that the build reaches could be compared: ${plural(unknown.length, "item")}`;
  return `the build reaches ${reached}, and none of it changed${others}${literals}`;
}

const WORDS: Readonly<Record<ItemChange["what"], string>> = {
  gone: "gone",
  signature: "declared in another way",
  effects: "do something else",
  literals: "other literals or operators, which only warn",
  unknown: "more than can be followed",
};

/** The changelog: the result, what changed, then the causes by package, the worst first. */
export function lockDocument(check: LockCheck, title: readonly Inline[]): Block[] {
  const { lock, changed, warned, unknown, report } = check;
  const named = new Set([...lock.uses.functions, ...lock.uses.structs]);
  const point = ([what, items]: readonly [ItemChange["what"], readonly ItemChange[]]): Point => ({
    parts: [
      `${WORDS[what]}: `,
      ...namesOf(
        items.map(({ item }) => item).sort((a, b) => Number(named.has(b)) - Number(named.has(a))),
        NAMED,
      ),
    ],
  });
  const { crowds, others } = crowdsOf(report?.modules ?? []);
  const packageOf = (id: string): string => lock.modules.get(id)?.package ?? moduleNamed(id).address;
  const packages = [...Map.groupBy(others, ({ module }) => packageOf(formatModuleId(module)))];
  const groups = [
    ...crowds.map((crowd) => ({ worst: crowd.worst, blocks: crowdBlocks(crowd) })),
    ...packages.map(([name, of]) => ({ worst: worstOf(of.map(worstIn)) ?? "silent", blocks: packageBlocks(name, of) })),
  ];
  return [
    { heading: title, level: 2 },
    { paragraph: [{ strong: lockSentence(check), tone: lockVerdict(check) }] },
    { points: [...Map.groupBy([...changed, ...warned], ({ what }) => what)].map(point) },
    ...groups.toSorted((a, b) => compareSeverities(a.worst, b.worst)).flatMap(({ blocks }) => blocks),
    ...section(["Could not be compared"], 2, incomparablePoints([...unknown, ...(report?.incomparable ?? [])])),
  ];
}

function packageBlocks(name: string, modules: readonly ReportedModule[]): Block[] {
  return [
    { heading: [{ code: name }], level: 2 },
    ...modules.flatMap((module): Block[] => [
      { heading: [{ code: formatModuleId(module.module) }, ` ${depthNames[module.depth]}`], level: 3 },
      { points: modulePoints(module) },
    ]),
  ];
}
