import fc from "fast-check";
import { expect, test } from "vitest";
import type { Cell } from "../../../src/core/base/cell.ts";
import { jsonLine } from "../../../src/core/cli/output/json-line.ts";
import { cutText, fitColumns, printRows, type RowFormat, type RowPrinter, rowPrinter } from "../../../src/core/cli/output/rows.ts";
import { law } from "../../support/property/law.ts";

const printWith = ({ begin = "", row, end }: RowPrinter, rows: Cell[][]): string => begin + rows.map(row).join("") + (end?.() ?? "");
const write = (format: RowFormat, columns: string[], rows: Cell[][]): string => printWith(rowPrinter(format, columns), rows);

const columns = ["address", "n"];
const rows: Cell[][] = [
  ["0x1", 7n],
  ["0xabc", 1234n],
];

test("rowPrinter: json and jsonl: exact integers, bytes as hex", () => {
  expect(write("jsonl", ["a", "b", "c", "d"], [[2n ** 53n + 1n, 5n, new Uint8Array([0, 255]), null]])).toBe(
    '{"a":"9007199254740993","b":5,"c":"0x00ff","d":null}\n',
  );
  expect(JSON.parse(write("json", columns, rows))).toEqual([
    { address: "0x1", n: 7 },
    { address: "0xabc", n: 1234 },
  ]);
  expect(JSON.parse(write("json", columns, []))).toEqual([]);
});

test("one line that says the same, without a character that a terminal acts on", () => {
  const value = { text: "a\nb \u001b[2J \u009b2J \u202e \u2028", big: 2n ** 60n, small: 1 };
  const line = jsonLine(value);
  expect(JSON.parse(line)).toEqual({ ...value, big: "1152921504606846976" });
  expect(line.indexOf("\n")).toBe(line.length - 1);
  expect(line.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
});

test("the widths of a table are those of its first thousand rows, and further rows are printed as they come", () => {
  const printer = rowPrinter("table", ["label", "n"], 20);
  const first = Array.from({ length: 1000 }, (_, n) => printer.row(["a \u001b[2J", BigInt(n)])).join("");
  expect(first.split("\n").slice(0, 3)).toEqual(["label          n", "-----------  ---", "a \\u{1b}[2J    0"]);
  expect([printer.row(["short", null]), printer.row(["longer than all", 7n])]).toEqual(["short\n", "longer tha…    7\n"]);
  expect([printer.end?.(), printer.isNarrowed?.()]).toEqual(["", true]);
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
  const plain: RowPrinter = { row: ([text]) => `${text}\n` };
  await printRows({ stdout }, plain, lines());
  expect([most, pieces, whole.length]).toEqual([1, 16, 1_000_000]);
});

law(
  "fitColumns fits whatever can fit, makes nothing wider, and cuts nothing below eight",
  100,
  [fc.array(fc.tuple(fc.nat(200), fc.nat(40)), { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 250 })],
  (columns, width) => {
    const natural = columns.map((pair) => Math.max(...pair));
    const widths = fitColumns(
      natural,
      columns.map(([cell]) => cell),
      width,
    );
    const total = widths.reduce((sum, one) => sum + one, 2 * (natural.length - 1));
    for (const [i, one] of widths.entries()) {
      expect(one).toBeLessThanOrEqual(natural[i] as number);
      expect(one).toBeGreaterThanOrEqual(Math.min(8, natural[i] as number));
    }
    expect(total <= width || widths.every((one) => one <= 8)).toBe(true);
  },
);

law(
  "cutText is never longer than asked",
  100,
  [fc.string(), fc.integer({ min: 8, max: 90 })],
  (text, width) => cutText(text, width).length <= width,
);

test("rowPrinter with a width prints one value a line where the columns do not fit however narrow", () => {
  const names = ["chain_id", "ledger_version", "address", "module", "function", "visibility", "is_entry", "is_view"];
  const printer = rowPrinter("table", names, 60);
  printer.row([4n, 2_592_000n, `0x${"ab".repeat(32)}`, "coin", "transfer", "public", 1n, 0n]);
  const text = printer.end?.();
  expect(text).toContain("-- row 1\nchain_id        4\nledger_version  2592000\naddress         0xabab");
  expect(text).toContain("\nis_view         0\n");
  expect(printer.isNarrowed?.()).toBe(false);
});
