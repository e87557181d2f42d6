import { existsSync } from "node:fs";
import { packageVersion, writeWhole } from "../../core/base/files.ts";
import { plural } from "../../core/base/plural.ts";
import { type Io, openLog } from "../../core/cli/io.ts";
import type { NightStep } from "../../core/cli/night-part.ts";
import { fileFault } from "../../core/cli/options/text-file.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { waitWhenBusy } from "../../core/crawl/run/run-work.ts";
import type { WhenBusy } from "../../core/db/engine/database.ts";
import { ConfigError } from "../../core/errors.ts";
import { runQueries } from "../../core/work/runs/runs.ts";
import { openStore } from "../../core/work/store.ts";
import { markdownOf, plainTextOf } from "../changes/documents/document.ts";
import { fitMarkdown } from "../changes/documents/terminal-text.ts";
import { hasNoNews, reportDocument } from "./document.ts";
import { mailPage } from "./document-html.ts";
import { type ChangeReport, type ReportScope, readReport } from "./read-report.ts";
import { reportResult } from "./result.ts";

type ReportFormat = "markdown" | "html" | "text";

export type ReportFlags = Omit<ReportScope, "now" | "chooser"> & { readonly out?: string; readonly format?: ReportFormat };

export async function runReport(io: Io, flags: ReportFlags): Promise<void> {
  const report = await makeReport(io, flags);
  if (flags.out !== undefined) return;
  const text = written(report, flags);
  await io.stdout(io.stdoutIsTerminal && !flags.json && (flags.format ?? "markdown") === "markdown" ? fitMarkdown(text, io.columns) : text);
}

/** `noted`: up to which version nights have reported. */
export type StepFlags = ReportFlags & { readonly noted: bigint | undefined };

export const step: NightStep<StepFlags, ChangeReport> = {
  // A second night of the same day leaves what the first one wrote to be read.
  run: (io, { noted: _, ...flags }) => makeReport(io, flags, hasNoNews),
  print: reportResult.print,
  says: ({ added, abiChanged, bytesChanged, unclear, removed }) => ({
    changedModules: added.total + abiChanged.total + bytesChanged.total + unclear.total + removed.total,
    // A chain keeps what was published, so this is not to pass for a change among others.
    numbers: [removed.total > 0 && `${plural(removed.total, "module")} gone`],
  }),
  finish: noteReport,
};

/** Notes up to where was reported, and when, if that is more than what is noted: a night without news writes nothing. */
async function noteReport(io: Io, { db, noted }: StepFlags, { upTo, older }: ChangeReport): Promise<void> {
  if (upTo < 0n || (upTo === noted && older.length === 0)) return;
  await using store = await openStore(db, { mode: "join", whenBusy: waitFor(io) });
  await runQueries(store.engine).noteReport({ ledgerVersion: upTo, appVersion: packageVersion(), now: io.clock.now() });
}

const waitFor = (io: Io): WhenBusy => waitWhenBusy(io.clock, openLog(io), io);

async function makeReport(io: Io, flags: ReportFlags, leaves: (report: ChangeReport) => boolean = () => false): Promise<ChangeReport> {
  const report = await readReport({ ...flags, now: io.clock.now, chooser: io.chooseTargets, whenBusy: io.patience && waitFor(io) });
  const { out } = flags;
  if (out === undefined || (existsSync(out) && leaves(report))) return report;
  try {
    writeWhole(out, written(report, flags));
    return report;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw fileFault("write", "report", out, error, "Check the path, its permissions and the disk.");
  }
}

function formatOf(out: string | undefined): ReportFormat {
  return /\.html?$/i.test(out ?? "") ? "html" : /\.txt$/i.test(out ?? "") ? "text" : "markdown";
}

function written(report: ChangeReport, { json, out, format = formatOf(out) }: ReportFlags): string {
  if (json) return jsonLine(reportResult.print(report));
  const blocks = reportDocument(report);
  if (format === "markdown") return markdownOf(blocks);
  return format === "text"
    ? plainTextOf(blocks)
    : mailPage("What changed", blocks, `movedex made this: chain ${report.chainId ?? "unknown"}.`);
}
