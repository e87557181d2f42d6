import { expect, test } from "vitest";
import type { Cell } from "../../../src/base/cell.ts";
import { rowPrinter } from "../../../src/cli/output/rows.ts";
import { measureTable, printRows, type RowPrinter } from "../../../src/cli/output/table.ts";

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

test("rows are handed on in pieces, and none while the one before is not taken", async () => {
  let [taking, most, pieces, whole] = [0, 0, 0, ""];
  const stdout = async (text: string): Promise<void> => {
    most = Math.max(most, ++taking);
    pieces++;
    await new Promise(setImmediate);
    whole += text;
    taking--;
  };
  const lines = async function* (): AsyncGenerator<Cell[]> {
    for (let n = 0; n < 1000; n++) yield ["x".repeat(999)];
  };
  const plain: RowPrinter = { begin: () => "", row: ([text]) => `${text}\n`, end: () => "", isNarrowed: () => false };
  await printRows({ stdout }, plain, lines());
  expect([most, pieces, whole.length]).toEqual([1, 16, 1_000_000]);
});
