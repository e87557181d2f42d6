import { describe, expect } from "vitest";
import { ModuleCode, SimLedger, type SimNodeOptions, startSimNode, writeModule } from "../../../sim/index.ts";
import { ended, rowsOf, runCli, temporaryDirectory, test, twoNights } from "../../support/index.ts";

const COUNT = 12;

/** What a night found. */
async function night(options: Omit<SimNodeOptions, "ledger">, ...flags: string[]) {
  const scene = twoNights(COUNT);
  await using node = await startSimNode({ ledger: scene.ledger, ...options });
  using place = temporaryDirectory();
  const db = place.file("night.db");
  const targets = scene.targetsFile(place.file("targets.csv"));
  const argv = ["sync", "--rpc", node.url, "--db", db, "--targets", targets, "--rate", "0", "--json", ...flags];
  const { json } = await ended(runCli(argv));
  const rows = (sql: string) => rowsOf<Record<string, unknown>>(db, sql);
  const builds = rows("SELECT git_hash, build FROM node_builds");
  return { summary: json(), findings: rows("SELECT * FROM findings"), builds, requests: node.requestCount };
}

describe("sync --cross-check", () => {
  test("asks for so many modules as JSON besides, and finds nothing where node and bytes agree", async () => {
    const without = await night({});
    const { summary, findings, builds, requests } = await night({}, "--cross-check", "5");
    expect(summary).toMatchObject({ abis_compared: 5, abis_explained: 0, abi_findings: 0, node_build: "D", requests });
    expect(requests).toBe(without.requests + 5);
    expect(findings).toEqual([]);
    expect(builds).toEqual([{ git_hash: "5e1f0d3c", build: "D" }]);
    expect(without.summary).not.toHaveProperty("abis_compared");
    expect(without.builds).toEqual([{ git_hash: "5e1f0d3c", build: null }]);
  });

  test("a node that is read as JSON is compared at every new bytecode, without a request more", async () => {
    const { summary } = await night({ disabledFormats: ["bcs"] });
    expect(summary).toMatchObject({ abis_compared: summary["new_bytecodes"], abis_explained: 0, abi_findings: 0 });
    expect(summary["abis_compared"]).toBeGreaterThan(5);
  });

  test("an ABI that the bytes do not give is a finding with both values, and the night is sealed all the same", async ({ place }) => {
    const ledger = new SimLedger();
    const of = (params: readonly string[]) =>
      writeModule({ address: "0x7", name: "pay", functions: [{ name: "pay", visibility: "public", params }] });
    const honest = new ModuleCode(of(["u64"]));
    const other = JSON.parse(new ModuleCode(of(["u128"])).json({ generation: "D", maxBytecodeVersion: 10 }).toString());
    ledger.transact((writer) => {
      writer.account("0x7");
      writer.publish("0x7", "pay", new ModuleCode(honest.bytes, () => other.abi));
    });
    await using node = await startSimNode({ ledger });
    const db = place.file("night.db");
    const { json } = await ended(
      runCli(["sync", "--rpc", node.url, "--db", db, "-a", "0x7", "--rate", "0", "--cross-check", "1", "--json"]),
    );
    expect(json()).toMatchObject({ status: "sealed", abis_compared: 1, abi_findings: 1 });
    expect(rowsOf(db, "SELECT kind, subject, stored, found, origin FROM findings")).toEqual([
      {
        kind: "node_abi",
        subject: honest.sha256,
        stored: "abi.exposed_functions[0].params[0]: u64",
        found: "abi.exposed_functions[0].params[0]: u128",
        origin: `${node.url} (build 5e1f0d3c)`,
      },
    ]);
  });
});
