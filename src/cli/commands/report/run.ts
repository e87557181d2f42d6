import { markdownOf, plainTextOf } from "../../../base/document/document.ts";
import { writeWhole } from "../../../base/files/durable-file.ts";
import { ConfigError } from "../../../errors.ts";
import { mailPage } from "../../../pages/mail/document-html.ts";
import type { Io } from "../../io.ts";
import { fileFault } from "../../options/text-file.ts";
import { fitMarkdown } from "../../output/fit-markdown.ts";
import { jsonLine } from "../../output/json-line.ts";
import { reportDocument } from "./document.ts";
import { type ChangeReport, type ReportScope, readReport } from "./read-report.ts";
import { reportResult } from "./result.ts";

type ReportFormat = "markdown" | "html" | "text";

export async function runReport(
  io: Io,
  { out, format: asked, ...flags }: Omit<ReportScope, "now"> & { readonly out?: string; readonly format?: ReportFormat },
): Promise<void> {
  const report = await readReport({ ...flags, now: io.clock.now });
  const format = flags.json === true ? "json" : (asked ?? formatOf(out));
  const text = format === "json" ? jsonLine(reportResult.print(report)) : written(report, format);
  if (out === undefined) return await io.stdout(io.stdoutIsTerminal && format === "markdown" ? fitMarkdown(text, io.columns) : text);
  try {
    writeWhole(out, text);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw fileFault("write", "report", out, error, "Check the path, its permissions and the disk.");
  }
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
