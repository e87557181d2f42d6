import { describe, expect, test } from "vitest";
import { SimLedger, startSimNode } from "../../sim/index.ts";
import { rawRequest } from "../support/raw-request.ts";

function ledgerOfOne(): SimLedger {
  const ledger = new SimLedger();
  ledger.genesis((writer) => writer.publish("0x1", "coin", Buffer.alloc(5000, 7)));
  ledger.advance(1000n);
  return ledger;
}

describe("startSimNode", () => {
  test("listens on 127.0.0.1, logs what it was asked, and stops", async () => {
    const node = await startSimNode({ ledger: ledgerOfOne(), now: () => 12 });
    expect(node.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    await rawRequest(`${node.url}/accounts/0x1/module/coin?ledger_version=9`, { headers: { accept: "application/x-bcs" } });
    await rawRequest(`${node.url}/nowhere`);
    const common = { method: "GET", at: 12, faults: [] };
    expect(node.requests).toEqual([
      { ...common, path: "/v1/accounts/0x1/module/coin", query: "ledger_version=9", accept: "application/x-bcs", status: 200 },
      { ...common, path: "/v1/nowhere", query: "", accept: undefined, status: 404 },
    ]);
    expect(node.requestCount).toBe(2);
    await node.close();
    await node.close();
    await expect(rawRequest(node.url)).rejects.toThrow();
  });

  test("takes turns between nodes at different heights", async () => {
    await using node = await startSimNode({ ledger: ledgerOfOne(), behind: [0n, 40n] });
    const heads: unknown[] = [];
    for (let turn = 0; turn < 4; turn++) heads.push((await rawRequest(node.url)).headers["x-aptos-ledger-version"]);
    expect(heads).toEqual(["960", "1000", "960", "1000"]);
    expect((await rawRequest(`${node.url}/accounts/0x1?ledger_version=1000`)).status).toBe(404);
    expect((await rawRequest(`${node.url}/accounts/0x1?ledger_version=1000`)).status).toBe(200);
  });
});
