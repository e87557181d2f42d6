import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { faults, SimLedger, startSimNode } from "../../sim/index.ts";
import { type RawResponse, rawRequest } from "../support/raw-request.ts";

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

  test("answers HEAD as GET, without a body", async () => {
    await using node = await startSimNode({ ledger: ledgerOfOne() });
    const url = `${node.url}/accounts/0x1/module/coin`;
    const [head, get] = [await rawRequest(url, { method: "HEAD" }), await rawRequest(url)];
    expect(head.body).toHaveLength(0);
    expect(head.headers["content-length"]).toBe(String(get.body.length));
    expect(head.headers["x-aptos-ledger-version"]).toBe("1000");
  });

  test.each([
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
    ["deflate", inflateSync],
  ] as const)("compresses with %s when asked, in chunks and without Vary", async (encoding, unpack) => {
    await using node = await startSimNode({ ledger: ledgerOfOne() });
    const url = `${node.url}/accounts/0x1/modules`;
    const plain = await rawRequest(url);
    for (let time = 0; time < 2; time++) {
      const packed = await rawRequest(url, { headers: { "accept-encoding": encoding } });
      expect(packed.headers).toMatchObject({ "content-encoding": encoding, "transfer-encoding": "chunked" });
      expect(packed.headers["content-length"]).toBeUndefined();
      expect(packed.headers["vary"]).toBeUndefined();
      expect(unpack(packed.body)).toEqual(plain.body);
    }
  });

  test("compresses neither errors nor anything of generation A", async () => {
    const ledger = ledgerOfOne();
    ledger.transact((writer) => writer.account("0x1"));
    await using node = await startSimNode({ ledger });
    await using old = await startSimNode({ ledger, generation: "A" });
    const headers = { "accept-encoding": "gzip" };
    expect((await rawRequest(`${node.url}/accounts/0x1/module/nope`, { headers })).headers["content-encoding"]).toBeUndefined();
    expect((await rawRequest(`${old.url}/accounts/0x1/modules`, { headers })).headers["content-encoding"]).toBeUndefined();
  });

  test("echoes an Origin without exposing the ledger headers, and answers a browser's preflight", async () => {
    await using node = await startSimNode({ ledger: ledgerOfOne() });
    const headers = { origin: "https://example.org" };
    const answer = await rawRequest(node.url, { headers });
    expect(answer.headers).toMatchObject({ "access-control-allow-origin": "https://example.org", vary: "Origin" });
    expect(answer.headers["access-control-expose-headers"]).toBeUndefined();
    const ask = (method: string): Promise<RawResponse> =>
      rawRequest(node.url, { method: "OPTIONS", headers: { ...headers, "access-control-request-method": method } });
    expect((await ask("GET")).headers["access-control-max-age"]).toBe("86400");
    expect((await ask("DELETE")).status).toBe(403);
    expect((await rawRequest(node.url, { method: "OPTIONS" })).status).toBe(405);
  });

  test("refuses a POST by its length before it looks where it goes", async () => {
    await using node = await startSimNode({ ledger: ledgerOfOne() });
    const chunked = { method: "POST", headers: { "transfer-encoding": "chunked" }, body: "x" };
    expect((await rawRequest(`${node.url}/nowhere`, chunked)).status).toBe(411);
    expect((await rawRequest(node.url, { method: "POST", body: "x" })).status).toBe(405);
  });

  test("takes turns between nodes at different heights", async () => {
    await using node = await startSimNode({ ledger: ledgerOfOne(), behind: [0n, 40n] });
    const heads: unknown[] = [];
    for (let turn = 0; turn < 4; turn++) heads.push((await rawRequest(node.url)).headers["x-aptos-ledger-version"]);
    expect(heads).toEqual(["960", "1000", "960", "1000"]);
    expect((await rawRequest(`${node.url}/accounts/0x1?ledger_version=1000`)).status).toBe(404);
    expect((await rawRequest(`${node.url}/accounts/0x1?ledger_version=1000`)).status).toBe(200);
  });

  test("changes the ledger behind its address when told to", async () => {
    await using node = await startSimNode({ ledger: ledgerOfOne() });
    node.replaceLedger(new SimLedger({ chainId: 9 }));
    expect((await rawRequest(node.url)).headers).toMatchObject({ "x-aptos-chain-id": "9", "x-aptos-ledger-version": "0" });
  });

  test("counts how many requests were under way at once", async () => {
    const plan = faults.planFaults([{ fault: faults.late(20) }]);
    await using node = await startSimNode({ ledger: ledgerOfOne(), faults: plan });
    await Promise.all([rawRequest(node.url), rawRequest(node.url), rawRequest(node.url)]);
    await rawRequest(node.url);
    expect(node.peakConcurrency).toBe(3);
    expect(node.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test("keeps no log when told so, and still counts", async () => {
    await using node = await startSimNode({ ledger: ledgerOfOne(), log: false });
    await rawRequest(node.url);
    expect([node.requests.length, node.requestCount]).toEqual([0, 1]);
  });
});
