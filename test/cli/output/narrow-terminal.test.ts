import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { createSampleLedger } from "../../../sim/index.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { nodeOfFile } from "../../support/scene/node-of-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

describe("on a terminal of 80 columns", async () => {
  const place = temporaryDirectory();
  const db = place.file("night.db");

  const sample = createSampleLedger();
  const node = await nodeOfFile({ ledger: sample.ledger });
  await runCli(["targets", "add", ...sample.codeAccounts, sample.trader, "--db", db]);
  for (const pass of [() => undefined, () => sample.passDay()]) {
    pass();
    await ended(runCli(["sync", "--rpc", node.url, "--rate", "0", "--db", db]));
  }

  test.each([
    [["status"]],
    [["show", "0x1"]],
    [["snapshots"]],
    [["runs"]],
    [["targets", "list"]],
    [["verify"]],
    [["report"]],
    [["doctor", "--rate", "0"]],
    [["cookbook"]],
    [["schema"]],
    [["schema", "functions_at"]],
    [["schema", "--tables"]],
  ])("%j has no line that wraps", async ([command = "", ...rest]) => {
    const ofDatabase = ["cookbook", "schema"].includes(command) ? [] : ["--db", db];
    const ofNode = command === "doctor" ? ["--rpc", node.url] : [];
    const { stdout } = await ended(runCli([command, ...rest, ...ofNode, ...ofDatabase], { terminal: 80 }));
    // A path or an address is one word, and stays whole.
    const wraps = stripVTControlCharacters(stdout)
      .split("\n")
      .filter((line) => line.length > 80 && line.trim().includes(" "));
    expect(wraps).toEqual([]);
  });
});
