import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rowPrinter } from "../../../src/cli/output/rows.ts";
import { cutText, fitColumns } from "../../../src/cli/output/table.ts";

describe("fitColumns", () => {
  test("takes from the widest first, and leaves what is narrow whole", () => {
    const fitted = (natural: readonly number[], width: number) => fitColumns(natural, natural, width);
    expect(fitted([66, 6, 40], 80)).toEqual([35, 6, 35]);
    expect(fitted([66, 6, 20], 60)).toEqual([30, 6, 20]);
    expect(fitted([10, 10], 80)).toEqual([10, 10]);
    expect(fitted([30, 30], 5)).toEqual([8, 8]);
    expect(fitted([], 5)).toEqual([]);
  });

  test("cuts the names of columns before what stands in them", () => {
    expect(fitColumns([19, 18, 20], [1, 2, 20], 46)).toEqual([14, 8, 20]);
  });

  test("fits whatever can fit, makes nothing wider, and cuts nothing below eight", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(200), fc.nat(40)), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 250 }),
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
      ),
    );
  });
});

describe("cutText", () => {
  test("takes the middle of an address or hash and the end of other texts", () => {
    expect(cutText(`0x8f3c${"0".repeat(56)}3f12`, 20)).toBe("0x8f3c00000…00003f12");
    expect(cutText("public fun transfer", 10)).toBe("public fu…");
    expect(cutText("0x1", 8)).toBe("0x1");
  });

  test("is never longer than asked", () => {
    fc.assert(fc.property(fc.string(), fc.integer({ min: 8, max: 90 }), (text, width) => cutText(text, width).length <= width));
  });
});

describe("rowPrinter with a width", () => {
  test("prints one value a line where the columns do not fit however narrow", () => {
    const names = ["chain_id", "ledger_version", "address", "module", "function", "visibility", "is_entry", "is_view"];
    const printer = rowPrinter("table", names, 60);
    printer.row([4n, 2_592_000n, `0x${"ab".repeat(32)}`, "coin", "transfer", "public", 1n, 0n]);
    const text = printer.end();
    expect(text).toContain("-- row 1\nchain_id        4\nledger_version  2592000\naddress         0xabab");
    expect(text).toContain("\nis_view         0\n");
    expect(printer.isNarrowed()).toBe(false);
  });

  test("cuts a table's cells so that each line fits, and says that it did", () => {
    const writer = rowPrinter("table", ["address", "n"], 24);
    writer.row([`0x${"ab".repeat(32)}`, 7n]);
    const text = writer.end();
    expect(text).toBe("address                n\n---------------------  -\n0xababababa…babababab  7\n");
    expect(writer.isNarrowed()).toBe(true);
  });

  test.each(["csv", "json", "jsonl"] as const)("leaves %s whole", (format) => {
    const writer = rowPrinter(format, ["text"], 10);
    expect(writer.row(["x".repeat(50)])).toContain("x".repeat(50));
    expect(writer.isNarrowed()).toBe(false);
  });
});
