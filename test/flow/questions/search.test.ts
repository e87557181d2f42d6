import { describe, expect, test } from "vitest";
import { runCli, runProcess, sampleArchive, temporaryDirectory } from "../../support/index.ts";

const { db } = await sampleArchive(temporaryDirectory().file("night.db"));

const search = (argv: readonly string[], options: Parameters<typeof runCli>[1] = {}) => runCli(["search", "--db", db, ...argv], options);

describe("search", () => {
  test("forgives a typo, and says which word it took instead", async () => {
    expect(await search(["coin", "tranfser"])).toMatchObject({
      code: 0,
      stdout: "function  0x1::coin::transfer\n          public entry fun transfer<T0>(&signer, address, u64)\n",
      stderr: "movedex: nothing has `tranfser` in it; these are results for `coin`, `transfer`.\n",
    });
    expect((await search(["--json", "tranfser", "coin"])).json()).toMatchObject({
      words: ["transfer", "coin"],
      instead_of: ["tranfser", "coin"],
      results: [{ name: "transfer" }],
    });
  });

  test("falls back to fewer words where nothing has all", async () => {
    const { stdout, stderr } = await search(["coin", "transfer", "zebra"]);
    expect(stdout).toContain("0x1::coin::transfer\n");
    expect(stderr).toBe("movedex: nothing has `zebra` in it; these are results for `coin`, `transfer`.\n");
    const apart = await search(["spot_price", "rotate_key", "--all"]);
    expect(apart.stdout).not.toBe("");
    expect(apart.stderr).toMatch(/^movedex: nothing has all of `spot`, `price`, `rotate`, `key` in it; these are results for /);
  });

  test("says how a type is used, and nothing of one that is not used, as an event with the name of a function", async () => {
    expect((await search(["coin::Coin"])).stdout).toMatch(/^type {6}0x1::coin::Coin: \d+ functions take it, /);
    expect((await search(["coin::deposited"])).stdout).toMatch(/^struct {4}0x1::coin::Deposited\n/);
  });
});

describe("output", () => {
  const tall = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT i, hex(zeroblob(20)) FROM n";

  test("ends quietly when who reads it has gone", async () => {
    const script = `set -o pipefail; npx node bin/movedex.mjs query --db "$0" --format csv --max-rows 0 "$1" | head -1`;
    const { code, stdout, stderr } = await runProcess("bash", ["-c", script, db, tall]);
    expect({ code, stdout, stderr: stderr.replaceAll(/^npm warn.*\n/gm, "") }).toEqual({
      code: 0,
      stdout: "i,hex(zeroblob(20))\r\n",
      stderr: "",
    });
  });
});
