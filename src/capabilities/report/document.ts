import { grouped, listFirst, plural } from "../../core/base/plural.ts";
import { second } from "../../core/base/result.ts";
import { aboutTime } from "../../core/base/time.ts";
import { outlookText } from "../../core/cli/commands/sync/text.ts";
import { type ExitName, exitCodes } from "../../core/exit-codes.ts";
import { formatItemId, formatModuleId } from "../../core/move/module-id.ts";
import { changeText } from "../changes/compare/behaviour-words.ts";
import { isBehaviour } from "../changes/compare/rules/rules.ts";
import type { Severity } from "../changes/compare/severity.ts";
import { itemsOf } from "../changes/compare/usage.ts";
import { type Crowd, crowdSize, crowdsOf } from "../changes/diff/crowds.ts";
import { headlineOf, type ReportedModule } from "../changes/diff/report.ts";
import {
  crowdSentence,
  incomparableSentence,
  usageSentence,
  whatChanged,
  whomItConcerns,
  whomTheyConcern,
} from "../changes/diff/sentences.ts";
import { type Block, type Inline, namesOf, type Point, section } from "../changes/documents/document.ts";
import { changeKey, type ModuleChange } from "../changes/judge/changes.ts";
import { horizonSentence, unheldClauses } from "../gaps/going.ts";
import { breakingModules, type ChangeReport, type Listed } from "./read-report.ts";

/** Points of all lists together, so that the text has at most forty lines; those that are kept for what may break; names of a list. */
const [POINTS_MAX, MAY_MIN, NAMES_MAX] = [25, 4, 5];
const CAUSE_MAX = 200;

type Folded = ReturnType<typeof crowdsOf>;

/** A report to be read in a minute: what breaks, what may, by its causes; the rest by number. A quiet night is one line. */
export function reportDocument(report: ChangeReport): Block[] {
  const { chainId, after, upTo, snapshots, breaks } = report;
  if (upTo < 0n) return [{ heading: ["No snapshot is held yet"], level: 1 }];
  const chain = chainId === null ? "" : ` on chain ${chainId}`;
  const stretch = after < 0n ? `up to ledger version ${upTo}` : `after ledger version ${after}, up to ${upTo}`;
  const title: Block = { heading: [`What changed${chain}, ${stretch}`], level: 1 };
  const [others, unheld] = [alsoPoints(report), report.goes === undefined ? [] : unheldClauses(report.goes)];
  const also = [...others, ...horizonPoint(report)];
  if (snapshots.length === 0 && changeCount(report) === 0)
    return [title, { paragraph: [`Nothing new: no snapshot is newer than ledger version ${after}.`] }, ...section(["Also"], 2, also)];
  if (changeCount(report) === 0 && others.length === 0 && unheld.length === 0)
    return [{ paragraph: [quietLine(`${chain} ${stretch}`, report)] }];
  const folded = crowdsOf(breaks?.modules ?? []);
  const may = mayPoints(report, folded);
  const room = POINTS_MAX - also.length;
  const most = room - Math.min(may.length, MAY_MIN);
  const crowds = crowdPoints(folded, "breaking");
  const single = breakingPoints(breakingModules({ modules: folded.others }, "breaking").toSorted(byUsers), most - crowds.length, report);
  const breaking = [...crowds, ...single];
  const shown = Math.min(breaking.length, most);
  return [
    title,
    { paragraph: [headline(report)] },
    ...section(["What breaks"], 2, firstOf(breaking, shown, "change")),
    ...section(["What may break, and what does something else"], 2, firstOf(may, room - shown, "cause")),
    ...section(["Also"], 2, also),
    ...(breaks?.usage === undefined ? [] : [{ paragraph: [`The ${usageSentence(breaks.usage)}.`] }]),
  ];
}

/** The first of some points, as many as fit, and how many more there are. */
function firstOf(points: readonly Point[], most: number, noun: string): Point[] {
  if (points.length <= most) return [...points];
  const rest = points.length - most + 1;
  return [...points.slice(0, most - 1), { parts: [`and ${plural(rest, `more ${noun}`)}`] }];
}

/** Whether there is nothing that a report of before does not have. */
export function hasNoNews(report: ChangeReport): boolean {
  return report.snapshots.length === 0 && report.older.length === 0 && changeCount(report) === 0;
}

function changeCount({ added, abiChanged, bytesChanged, unclear, removed }: ChangeReport): number {
  return [added, abiChanged, bytesChanged, unclear, removed].reduce((sum, { total }) => sum + total, 0);
}

function headline(report: ChangeReport): string {
  const gaps = report.gaps.length === 0 ? "" : `; ${gapText(report)}`;
  const quiet = report.after < 0n ? `The first snapshot, ${plural(report.snapshots.at(-1)?.modules ?? 0, "module")}` : "No module changed";
  return `${changeCount(report) === 0 ? quiet : headlineOf(report.levels)}${gaps}.`;
}

function gapText({ gaps }: ChangeReport): string {
  return `${plural(gaps.length, "account")} unknown: ${listFirst(
    gaps.map(({ address }) => address),
    NAMES_MAX,
  )}`;
}

function quietLine(stretch: string, { snapshots, goes }: ChangeReport): string {
  const [newest] = snapshots;
  const time = newest === undefined ? undefined : aboutTime(newest.ledgerTime, newest.ledgerTimeErrorMs);
  const counts = [plural(snapshots.length, "snapshot"), plural(newest?.accounts ?? 0, "account"), plural(newest?.modules ?? 0, "module")];
  const horizon = goes === undefined ? "" : `; ${horizonSentence(goes)}`;
  return `Nothing changed${stretch}${time === undefined ? "" : ` (${time})`}: ${counts.join(", ")}${horizon}.`;
}

type Found = Pick<ReportedModule, "findings">;

function byUsers(a: Found, b: Found): number {
  const users = ({ findings }: Found): number => findings.reduce((sum, finding) => sum + (finding.users?.length ?? 0), 0);
  return users(b) - users(a);
}

/** A sentence for each item; where that would be too many, for each module. */
function breakingPoints(modules: readonly ReportedModule[], most: number, report: ChangeReport): Point[] {
  const items = modules.flatMap((module) => module.findings.map((finding) => ({ ...module, findings: [finding] })));
  return (items.length <= most ? items : modules).map((module) => modulePoint(module, report));
}

/** What one cause does to many items, where its worst is of a level. */
function crowdPoints({ crowds }: Folded, level: Severity): Point[] {
  return crowds.filter(({ worst }) => worst === level).map(crowdPoint);
}

function crowdPoint(crowd: Crowd): Point {
  const names = namesOf([...crowd.names.values()], NAMES_MAX);
  const reached = crowd.functions.length === 0 ? "" : ` (${plural(crowd.functions.length, "more function")} by them)`;
  const whom = whomTheyConcern(crowd.findings, crowd.users);
  return { parts: [...crowdSentence(crowdSize(crowd), crowd.first), ": ", ...names, reached, "; ", ...whom] };
}

function modulePoint(module: ReportedModule, report: ChangeReport): Point {
  const [worst, ...more] = module.findings;
  const name: Inline = { code: formatModuleId(module.module), href: linkOf(module, report) };
  if (worst === undefined) return { parts: [name] };
  const rest = more.length === 0 ? "" : ` (and ${more.length} more)`;
  if (worst.rule === "module-removed") return { parts: [name, " was removed: ", ...whomItConcerns(worst)] };
  return { parts: [name, ": ", ...whatChanged(worst), rest, "; ", ...whomItConcerns(worst)] };
}

function linkOf({ module, sha256 }: ReportedModule, { links }: ChangeReport): string | undefined {
  return links.get(changeKey({ address: module.address, module: module.name, from: sha256.before, to: sha256.after }));
}

/** What could not be compared, what is dangerous, and then what functions do otherwise by its cause: what most use or reach first. */
function mayPoints(report: ChangeReport, folded: Folded): Point[] {
  const { breaks } = report;
  if (breaks === undefined) return [];
  const modules = folded.others;
  const dangerous = [
    ...folded.crowds.filter(({ worst }) => worst === "dangerous").map((crowd) => ({ ...crowd, point: crowdPoint(crowd) })),
    ...breakingModules({ modules }, "dangerous").map((module) => ({ ...module, point: modulePoint(module, report) })),
  ];
  return [
    ...breaks.incomparable.map((found): Point => ({ parts: ["could not be compared: ", { code: incomparableSentence(found) }] })),
    ...dangerous.toSorted(byUsers).map(({ point }) => point),
    ...crowdPoints(folded, "behaviour"),
    ...causesOf(modules, report).map(({ fn, what, href, reached }): Point => {
      const shown = what.length > CAUSE_MAX ? `${what.slice(0, CAUSE_MAX)}…` : what;
      return { parts: [{ code: fn, href }, ": ", { code: shown }, reached < 2 ? "" : ` (${plural(reached, "function")} by it)`] };
    }),
  ];
}

type Cause = {
  readonly fn: string;
  readonly what: string;
  readonly href: string | undefined;
  readonly reached: number;
  readonly rank: number;
};

/** Behaviour once at each cause, with how many functions of all modules reach it; what says most first, then what most reach. */
function causesOf(modules: readonly ReportedModule[], report: ChangeReport): Cause[] {
  const carriedTo = Map.groupBy(report.breaks?.carried?.changes ?? [], ({ chain }) => chain.at(-1) as string);
  return modules
    .flatMap((module) =>
      module.findings
        .filter(({ rule, worst }) => isBehaviour(rule) && worst === "behaviour")
        .map((finding): Cause => {
          const functions = itemsOf(finding).map(({ name }) => formatItemId({ module: module.module, name: name ?? "" }));
          const others = functions.reduce((sum, fn) => sum + (carriedTo.get(fn)?.length ?? 0), 0);
          return {
            fn: functions[0] as string,
            what: changeText(finding),
            href: linkOf(module, report),
            reached: functions.length + others,
            rank: finding.rule !== "function-changed" ? 0 : finding.effects !== undefined ? 1 : 2,
          };
        }),
    )
    .toSorted((a, b) => a.rank - b.rank || b.reached - a.reached);
}

/** That the archive is as it was before a night that failed, so that no report of it passes for that of a quiet one. */
function failedSync({ lastSync }: ChangeReport): Point[] {
  if (lastSync === undefined || ["done", "gaps", "stale", "absent"].includes(lastSync.exit ?? "done")) return [];
  // A word of another movedex's, or of a stranger, is no row of the table.
  const { code } = exitCodes[lastSync.exit as ExitName] ?? exitCodes.failed;
  // It may have sealed all the same.
  const why = lastSync.exit === "lost" ? `: ${exitCodes.lost.meaning}` : "";
  return [{ parts: [`the last sync, begun ${second.print(lastSync.startedAt)}, ended with exit code ${code}${why}`] }];
}

function alsoPoints(report: ChangeReport): Point[] {
  const { older, outlook, gaps } = report;
  const list = <T>({ rows, total }: Listed<T>, one: string, many: string, nameOf: (row: T) => string): Point[] => {
    const more = total > NAMES_MAX ? ` and ${grouped(total - NAMES_MAX)} more` : "";
    return total === 0
      ? []
      : [{ parts: [`${plural(total, one, many)}: `, ...namesOf(rows.slice(0, NAMES_MAX).map(nameOf), NAMES_MAX), more] }];
  };
  const addressOf = ({ address }: { readonly address: string }): string => address;
  const moduleOf = ({ address, module }: Pick<ModuleChange, "address" | "module">): string => formatModuleId({ address, name: module });
  const about = gaps
    .slice(0, NAMES_MAX)
    .flatMap(({ address, message }, i): Inline[] => [i === 0 ? "" : "; ", { code: address }, ": ", { code: message }]);
  return [
    ...failedSync(report),
    ...list(report.alerts, "alert", "alerts", ({ watch: { subject }, ...change }) =>
      subject === moduleOf(change) ? subject : `${subject} (${moduleOf(change)})`,
    ),
    ...list(report.added, "module added", "modules added", moduleOf),
    ...list(report.removed, "module removed", "modules removed", moduleOf),
    ...list(
      report.renamed,
      "item has another name",
      "items have another name",
      ({ rename, change }) => `${moduleOf(change)}::${rename.from} → ${rename.to}`,
    ),
    ...list(report.keyRotations, "key rotated", "keys rotated", addressOf),
    ...list(report.newAccounts, "new account", "new accounts", addressOf),
    ...list(report.firstReadAccounts, "account read for the first time", "accounts read for the first time", addressOf),
    ...(about.length === 0
      ? []
      : [{ parts: ["no answer from ", ...about, gaps.length > NAMES_MAX ? `; and ${gaps.length - NAMES_MAX} more` : ""] }]),
    ...(outlook === undefined ? [] : [{ parts: [`the budget is too small for all accounts: ${outlookText(outlook)}`] }]),
    ...(older.length === 0 ? [] : [{ parts: [`${plural(older.length, "older snapshot")} read or completed`, ...moreSince(report)] }]),
  ];
}

/** What late answers show is in the report of the night that heard them, and in no other. */
function moreSince({ beforeOlder, isOlderTold }: ChangeReport): Inline[] {
  if (isOlderTold) return ["; what late answers show there is in this report"];
  return beforeOlder === undefined ? [] : ["; a report from before them: ", { code: `movedex report --since ${beforeOlder}` }];
}

/** What is gone tomorrow, and what of it is not held. */
function horizonPoint({ goes }: ChangeReport): Point[] {
  if (goes === undefined) return [];
  const unheld = unheldClauses(goes);
  return [{ parts: [`${horizonSentence(goes)}, ${unheld.length === 0 ? "and held" : `and not held: ${unheld.join("; ")}`}`] }];
}
