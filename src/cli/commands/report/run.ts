import { markdownOf, plainTextOf } from "../../../base/document.ts";
import { writeWhole } from "../../../base/files.ts";
import { ConfigError } from "../../../errors.ts";
import { mailPage } from "../../../pages/mail/document-html.ts";
import type { Io } from "../../io.ts";
import { fileFault } from "../../options/text-file.ts";
import { jsonLine } from "../../output/json-line.ts";
import { fitMarkdown } from "../../output/terminal.ts";
import { reportDocument } from "./document.ts";
import { type ChangeReport, type ReportScope, readReport } from "./read-report.ts";
import { reportResult } from "./result.ts";

type ReportFormat = "markdown" | "html" | "text";

export type ReportFlags = Omit<ReportScope, "now"> & { readonly out?: string; readonly format?: ReportFormat };

export async function runReport(io: Io, flags: ReportFlags): Promise<void> {
  const report = await makeReport(io, flags);
  if (flags.out !== undefined) return;
  const text = written(report, flags);
  await io.stdout(io.stdoutIsTerminal && !flags.json && (flags.format ?? "markdown") === "markdown" ? fitMarkdown(text, io.columns) : text);
}

export const step = { run: (io: Io, flags: ReportFlags) => makeReport(io, flags), print: reportResult.print };

async function makeReport(io: Io, flags: ReportFlags): Promise<ChangeReport> {
  const report = await readReport({ ...flags, now: io.clock.now });
  const { out } = flags;
  if (out === undefined) return report;
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
