import { expect, test } from "vitest";
import { printPieces } from "../../../src/cli/output/pieces.ts";
import type { Cell, RowPrinter } from "../../../src/cli/output/row-printer.ts";
import { rowPrinter } from "../../../src/cli/output/rows.ts";
import { measureTable } from "../../../src/cli/output/table.ts";

const columns = ["address", "label", "n"];
const rows: Cell[][] = [
  ["0x1", null, 7n],
  ["0xabc", "a \u001b[2J", 1234n],
  [`0x${"f".repeat(64)}`, "the third of them", null],
];
const write = (printer: RowPrinter): string => printer.begin() + rows.map(printer.row).join("") + printer.end();

test.each([undefined, 60, 20])("a table of rows that come twice is that of rows that were kept, in %s characters", (width) => {
  const measure = measureTable(columns, width);
  for (const row of rows) measure.add(row);
  const streamed = measure.printer();
  const kept = rowPrinter("table", columns, width);
  expect(write(streamed)).toBe(write(kept));
  expect(streamed.isNarrowed()).toBe(kept.isNarrowed());
});

test("a table without rows is its names", () => {
  expect(measureTable(columns).printer().begin()).toBe("address  label  n\n-------  -----  -\n");
});

test("text is handed on in pieces, and none while the one before is not taken", async () => {
  let [taking, most, whole] = [0, 0, ""];
  const pieces = printPieces({
    stdout: async (text) => {
      most = Math.max(most, ++taking);
      await new Promise(setImmediate);
      whole += text;
      taking--;
    },
  });
  const line = `${"x".repeat(999)}\n`;
  let waits = 0;
  for (let n = 0; n < 1000; n++) {
    const taken = pieces.add(line);
    if (taken !== undefined) waits++;
    await taken;
  }
  await pieces.end();
  expect([most, waits, whole.length]).toEqual([1, 15, 1_000_000]);
});
