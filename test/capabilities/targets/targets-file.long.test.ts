import { expect, test } from "vitest";
import { walkTargetsFile } from "../../../src/capabilities/targets/file/targets-file.ts";

test("a list that may have no end is refused after ten million rows", async () => {
  const lines = new TextEncoder().encode("0x1\n".repeat(100_000));
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (;;) yield lines;
  }
  let rows = 0;
  const reading = async (): Promise<void> => {
    for await (const _ of walkTargetsFile(endless(), "stdin")) rows += 1;
  };
  await expect(reading()).rejects.toThrow("stdin: it has more than 10000000 rows: give it as several lists. No address was added.");
  expect(rows).toBe(10_000_000);
});
