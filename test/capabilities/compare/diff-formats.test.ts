import fc from "fast-check";
import { describe, expect } from "vitest";
import { makeFinding } from "../../../src/capabilities/changes/compare/finding.ts";
import type { Comparison } from "../../../src/capabilities/changes/compare/sides.ts";
import { diffMarkdown } from "../../../src/capabilities/changes/diff/document.ts";
import { type DiffReport, makeReport } from "../../../src/capabilities/changes/diff/report.ts";
import { writers } from "../../../src/capabilities/compare/diff/run.ts";
import { painter } from "../../../src/core/cli/output/terminal.ts";
import { type Address, parseAddress } from "../../../src/core/move/address.ts";
import { law } from "../../support/property/law.ts";

const address = parseAddress("0x1") as Address;

const diffGithub = (report: DiffReport) => writers.github(report, painter(false));
const diffJson = (report: DiffReport) => writers.json(report, painter(false));

/** A report in which every text that a stranger can choose is this one. */
function reportWith(text: string) {
  const item = { kind: "function", name: text } as const;
  const comparison: Comparison = {
    before: text,
    after: "ledger version 2",
    unchanged: 3,
    differences: [
      {
        module: { address, name: text },
        depth: "interface",
        renamed: [],
        sha256: { before: "aa".repeat(32), after: "bb".repeat(32) },
        findings: [
          makeFinding("function-removed", item, { before: text, after: null }),
          makeFinding("error-text-changed", { kind: "error", name: text }, { before: `${text}1`, after: `${text}2` }),
        ],
      },
    ],
    incomparable: [{ subject: text, reason: text }],
  };
  const users = [{ address, name: text }];
  return makeReport(comparison, async (_, finding) => ({ ...finding, users }), {
    audiences: undefined,
    failOn: undefined,
    usage: undefined,
  });
}

const hostile = [
  "\u001b[2J\u001b]0;x\u0007",
  "a\nb\r\nc",
  "\u202egpj.exe\u2066",
  "| a | b |",
  "```\n# owned",
  "`` ` ``` ````",
  "</code><script>alert(1)</script>",
  "[x](javascript:alert(1)) @everyone #1 ![](http://evil/x.png)",
  "]]></failure><testcase name='x'/>",
  "::error title=x::y%0A::set-output name=a::b",
  "a,b:c%2C\r::stop-commands::t",
  "\ud800\udfff\ufffe\u0000",
  "=HYPERLINK()",
];
const texts = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: "binary", maxLength: 80 }), fc.string({ maxLength: 80 }));
const CONTROLS = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

/** Lines that say something, without the newlines that the format itself writes. */
const linesOf = (output: string) => output.split("\n");

describe("hostile names and texts", () => {
  law("cannot leave their lines or move a cursor, in any format but JSON", 100, [texts], async (text) => {
    const report = await reportWith(text);
    const plain = writers.text(await reportWith("x"), painter(false));
    const shown = writers.text(report, painter(false));
    expect(linesOf(shown).length).toBe(linesOf(plain).length);
    for (const output of [shown, diffMarkdown(report), diffGithub(report)]) {
      for (const line of linesOf(output)) expect(line).not.toMatch(CONTROLS);
    }
  });

  law("cannot end a block of code, begin markup or mention anybody in Markdown", 100, [texts], async (text) => {
    const output = diffMarkdown(await reportWith(text));
    // What is left when code is taken away was written by movedex itself.
    const blocks = output.replaceAll(/^ {2}(`{3,})diff\n(?: {2}[-+] .*\n)+ {2}\1$/gm, "");
    const prose = blocks.replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, "");
    expect(prose).not.toMatch(/[`<>|@![\]\\]/);
    expect(linesOf(prose).filter((line) => line.startsWith("#")).length).toBe(3);
  });

  law("cannot begin a workflow command of their own", 100, [texts], async (text) => {
    const lines = linesOf(diffGithub(await reportWith(text))).slice(0, -1);
    expect(lines.length).toBe(3);
    for (const line of lines) {
      const [, properties] = /^::(?:error|warning|notice) (title=[^:,]*)::/.exec(line) ?? [];
      expect(properties, line).toBeDefined();
      expect(line.replaceAll(/%(?:25|0A|0D|3A|2C)/g, "")).not.toContain("%");
    }
  });

  law("come through JSON as they are", 100, [texts], async (text) => {
    const output = diffJson(await reportWith(text));
    expect(output.split("\n").length).toBe(2);
    expect(output.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    const parsed = JSON.parse(output) as { modules: { module: string }[] };
    expect(parsed.modules[0]?.module).toBe(text);
  });
});
