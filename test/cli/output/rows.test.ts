import { describe, expect, test } from "vitest";
import type { Cell } from "../../../src/base/cell.ts";
import { type RowFormat, rowPrinter } from "../../../src/cli/output/rows.ts";

function write(format: RowFormat, columns: string[], rows: Cell[][]): string {
  const writer = rowPrinter(format, columns);
  return writer.begin() + rows.map((row) => writer.row(row)).join("") + writer.end();
}

const columns = ["address", "n"];
const rows: Cell[][] = [
  ["0x1", 7n],
  ["0xabc", 1234n],
];

describe("rowPrinter", () => {
  test("table: padded, numbers to the right", () => {
    expect(write("table", columns, rows)).toBe("address     n\n-------  ----\n0x1         7\n0xabc    1234\n");
  });

  test("table: controls are escaped, NULL is empty", () => {
    expect(write("table", ["a", "b"], [["x\u001b[2J", null]])).toBe("a           b\n----------  -\nx\\u{1b}[2J\n");
  });

  test("csv: quoted where it must be", () => {
    expect(write("csv", columns, [['say "hi", please', 1n]])).toBe('address,n\r\n"say ""hi"", please",1\r\n');
  });

  test("csv: nothing that a spreadsheet or a terminal acts on", () => {
    expect(write("csv", ["a", "b"], [["=1+1", "\u001b[2J\u202e"]])).toBe("a,b\r\n'=1+1,\\u{1b}[2J\\u{202e}\r\n");
  });

  test("json and jsonl: exact integers, bytes as hex", () => {
    expect(write("jsonl", ["a", "b", "c", "d"], [[2n ** 53n + 1n, 5n, new Uint8Array([0, 255]), null]])).toBe(
      '{"a":"9007199254740993","b":5,"c":"0x00ff","d":null}\n',
    );
    expect(JSON.parse(write("json", columns, rows))).toEqual([
      { address: "0x1", n: 7 },
      { address: "0xabc", n: 1234 },
    ]);
    expect(JSON.parse(write("json", columns, []))).toEqual([]);
  });
});
