import { summarise } from "../../../abi/compare/change-summary.ts";
import type { JudgedChange, ModuleChange, NewAccount, VersionRange } from "../../../archive/read/changes.ts";
import { openModuleArchive } from "../../../archive/read/module-archive.ts";
import { markdownOf, plainTextOf } from "../../../base/document/document.ts";
import { writeWhole } from "../../../base/files/durable-file.ts";
import { lastOutlook } from "../../../crawl/cadence/last-outlook.ts";
import { mailPage } from "../../../pages/mail/document-html.ts";
import { compareChanges, findBreaks, judgeNow } from "../../../questions/diff/breaks.ts";
import { type ChangeSeverity, countSeverities } from "../../../questions/diff/count-severities.ts";
import { alertsOf, lastNight, sealedAmong } from "../../../questions/diff/last-night.ts";
import { openStore, type Store } from "../../../work/store.ts";
import { fileFault } from "../../file-fault.ts";
import type { Io } from "../../io.ts";
import { pageOfChange, pagesAddress } from "../../options/page-address.ts";
import type { AgeFlags, DatabaseFlags } from "../../options/shared-flags.ts";
import { fitMarkdown } from "../../output/fit-markdown.ts";
import { jsonLine } from "../../output/json-line.ts";
import { reportDocument } from "./document.ts";
import { type ChangeReport, type Listed, type RenamedItem, reportJson } from "./json.ts";

export type ReportFlags = DatabaseFlags &
  AgeFlags & {
    readonly since?: bigint;
    readonly last?: boolean;
    readonly limit: number;
    readonly out?: string;
    readonly format?: ReportFormat;
    readonly baseUrl?: string;
    readonly siteUrl?: string;
  };

type ReportFormat = "markdown" | "html" | "text";

export async function runReport(io: Io, flags: ReportFlags): Promise<void> {
  const found = await readReport(flags.db, flags);
  const compared = [...found.abiChanged.rows, ...found.bytesChanged.rows, ...found.unclear.rows, ...found.removed.rows];
  const isSite = flags.siteUrl !== undefined;
  const pages = isSite ? pagesAddress(flags.siteUrl, "--site-url") : pagesAddress(flags.baseUrl, "--base-url");
  const judged = await judgedIn(flags.db, compared, found, { pages, isSite });
  const report = { ...found, ...judged, compared, limit: flags.limit };
  const format = flags.json === true ? "json" : (flags.format ?? formatOf(flags.out));
  const text = format === "json" ? jsonLine(reportJson(report)) : written(report, format);
  if (flags.out === undefined) await io.stdout(io.stdoutIsTerminal && format === "markdown" ? fitMarkdown(text, io.columns) : text);
  else writeReport(flags.out, text);
}

/** How a file is written whose format was not said. */
function formatOf(out: string | undefined): ReportFormat {
  return /\.html?$/i.test(out ?? "") ? "html" : /\.txt$/i.test(out ?? "") ? "text" : "markdown";
}

function written(report: ChangeReport, format: ReportFormat): string {
  const blocks = reportDocument(report);
  if (format === "markdown") return markdownOf(blocks);
  return format === "text"
    ? plainTextOf(blocks)
    : mailPage("What changed", blocks, `movedex made this: chain ${report.chainId ?? "unknown"}.`);
}

/** The number of changes of each kind that are compared, however few are listed: a night's one line has their number and no list. */
const COMPARED_MIN = 1000;

/** What the changes break, and how many there are of each severity: as it is stored, and judged now where it is not yet. */
async function judgedIn(
  path: string,
  compared: readonly ModuleChange[],
  { after, added, alerts, judged, unjudged, renamed }: FoundChanges,
  { pages, isSite }: { readonly pages: URL | undefined; readonly isSite: boolean },
): Promise<Pick<ChangeReport, "breaks" | "bySeverity" | "linkOf" | "renamed">> {
  const addresses = new Map<string, string>();
  const keyOf = ({ address, module, from, to, atOrBeforeVersion }: Parameters<ChangeReport["linkOf"]>[0]): string =>
    `${address} ${module} ${from} ${to} ${atOrBeforeVersion}`;
  const linkOf: ChangeReport["linkOf"] = (change) => addresses.get(keyOf(change));
  if (judged.length + unjudged.length + alerts.total === 0) {
    return { breaks: undefined, bySeverity: countSeverities([]), linkOf, renamed: listed(renamed) };
  }
  await using archive = await openModuleArchive(path);
  const comparison = await compareChanges(archive, compared);
  const keyOfBytes = (address: string, name: string, from: string | null, to: string | null): string => `${address} ${name} ${from} ${to}`;
  const differences = new Map(
    comparison.differences.map(({ module, sha256, findings, renamed }) => [
      keyOfBytes(module.address, module.name, sha256.before, sha256.after),
      summarise(findings, undefined, renamed),
    ]),
  );
  const now: ChangeSeverity[] = [];
  const all = [...renamed];
  for (const change of unjudged) {
    const known = differences.get(keyOfBytes(change.address, change.module, change.from, change.to));
    const summary = known ?? (await judgeNow(archive, change));
    now.push(summary.worst ?? "unclear");
    all.push(...summary.renamed.map((rename) => ({ change, rename })));
  }
  for (const change of pages === undefined ? [] : [...compared, ...added.rows, ...alerts.rows]) {
    const address = await pageOfChange(archive, change, pages, isSite);
    if (address !== undefined) addresses.set(keyOf(change), address);
  }
  return {
    breaks: compared.length === 0 ? undefined : await findBreaks(archive, comparison, after),
    bySeverity: countSeverities([...judged, ...now]),
    linkOf,
    renamed: listed(all),
  };
}

function listed<T>(rows: readonly T[]): Listed<T> {
  return { rows, total: rows.length };
}

/** The lists of a report; of all changes, how bad each is, and those of which no judgement is stored. */
type FoundChanges = Omit<ChangeReport, "breaks" | "bySeverity" | "linkOf" | "compared" | "renamed" | "limit"> & {
  readonly renamed: readonly RenamedItem[];
  readonly judged: readonly ChangeSeverity[];
  readonly unjudged: readonly JudgedChange[];
};

async function readReport(path: string, flags: ReportFlags): Promise<FoundChanges> {
  await using store = await openStore(path, { mode: "read" });
  const limit = Math.max(flags.limit, COMPARED_MIN);
  const sealed = sealedAmong(await store.listSnapshots());
  const newest = sealed[0];
  const night = flags.last ? lastNight(sealed) : sinceReport(lastNight(sealed), await store.reportedVersions(2));
  const stretch = { ...night, after: flags.since ?? night.after };
  const alerts = alertsOf(sealed, stretch);
  return {
    ...stretch,
    chainId: await store.chainId(),
    outlook: await lastOutlook(store, newest, { maxAgeMs: flags.maxAge, halfLifeMs: flags.halfLife }),
    snapshots: sealed.filter(({ ledgerVersion }) => ledgerVersion > stretch.after),
    older: sealed.filter(
      ({ ledgerVersion, sealedAt }) => ledgerVersion <= stretch.after && (sealedAt ?? 0) > (newest?.createdAt ?? Number.POSITIVE_INFINITY),
    ),
    alerts: { rows: await store.listAlerts(alerts, limit), total: await store.countAlerts(alerts) },
    ...(await sortChanges(store, stretch, limit)),
  };
}

/** What no finished report of a night covers yet; where all is covered, what the last of them did. */
function sinceReport({ after, upTo }: VersionRange, [last, before]: readonly bigint[]): VersionRange {
  if (last === undefined) return { after, upTo };
  return { after: last < upTo ? last : (before ?? after), upTo };
}

async function sortChanges(store: Store, stretch: VersionRange, limit: number) {
  const isNew = (account: NewAccount): "firstReadAccounts" | "newAccounts" => (account.isFirstRead ? "firstReadAccounts" : "newAccounts");
  const judged: ChangeSeverity[] = [];
  const unjudged: JudgedChange[] = [];
  const renamed: RenamedItem[] = [];
  const kindOf = (change: JudgedChange) => {
    if (change.summary === undefined) unjudged.push(change);
    else judged.push(change.summary.worst ?? "unclear");
    renamed.push(...(change.summary?.renamed ?? []).map((rename) => ({ change, rename })));
    return kindOfChange(change);
  };
  return {
    judged,
    unjudged,
    renamed,
    ...(await sorted(store.newAccounts(stretch), ["newAccounts", "firstReadAccounts"], isNew, limit)),
    ...(await sorted(store.moduleChanges(stretch), ["added", "abiChanged", "bytesChanged", "unclear", "removed"], kindOf, limit)),
    ...(await sorted(store.keyRotations(stretch), ["keyRotations"], () => "keyRotations", limit)),
  };
}

function kindOfChange({ from, to, abiChanged }: ModuleChange): "added" | "abiChanged" | "bytesChanged" | "unclear" | "removed" {
  if (from === null) return "added";
  if (to === null) return "removed";
  return abiChanged === null ? "unclear" : abiChanged ? "abiChanged" : "bytesChanged";
}

/** Rows sorted into lists, each cut at a limit and counted whole. */
async function sorted<T, Kind extends string>(
  rows: AsyncIterable<T>,
  kinds: readonly Kind[],
  kindOf: (row: T) => Kind,
  limit: number,
): Promise<Record<Kind, Listed<T>>> {
  type List = { readonly rows: T[]; total: number };
  const lists = Object.fromEntries(kinds.map((kind): [Kind, List] => [kind, { rows: [], total: 0 }])) as Record<Kind, List>;
  for await (const row of rows) {
    const list = lists[kindOf(row)];
    if (list.total < limit) list.rows.push(row);
    list.total += 1;
  }
  return lists;
}

function writeReport(path: string, text: string): void {
  try {
    writeWhole(path, text);
  } catch (error) {
    throw fileFault("write", "report", path, error, "Check the path, its permissions and the disk.");
  }
}
