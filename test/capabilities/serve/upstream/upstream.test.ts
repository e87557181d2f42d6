import { brotliDecompressSync } from "node:zlib";
import { describe, expect } from "vitest";
import { type FaultPlan, faults, SimLedger, startSimNode } from "../../../../sim/index.ts";
import { openForwarder } from "../../../../src/capabilities/serve/upstream/forwarder.ts";
import { asWords, rawRequest, test } from "../../../support/index.ts";
import { frontScene, jsonOfRaw, sourceOf } from "../support/front.ts";
import { crawl, serveDatabase } from "../support/served-archive.ts";

const { db, scene, inFront } = await frontScene();
const json = jsonOfRaw;

/** The decimal texts of an index in BCS. */
function indexTexts(body: Buffer): string[] {
  return body.toString("latin1").match(/[0-9]+/g) ?? [];
}

describe("in front of a node", () => {
  test("the node answers what it can, with its headers in both spellings", async () => {
    await using front = await inFront();
    const answer = await front.get("/accounts/0x1?ledger_version=1500");
    expect(sourceOf(answer)).toEqual([200, "upstream", undefined]);
    expect(answer.headers).toMatchObject({
      "x-aptos-ledger-version": "2000",
      "x-node-ledger-version": "2000",
      "x-node-ledger-oldest-version": "500",
    });
    expect(sourceOf(await front.get(""))).toEqual([200, "upstream", undefined]);
    expect(sourceOf(await front.get(`/accounts/${scene.stranger}/modules`))).toEqual([200, "upstream", undefined]);
  });

  test("bodies and cursors come through as the node made them, packed as the client takes them", async () => {
    await using front = await inFront();
    const path = "/accounts/0x1/modules?ledger_version=1500&limit=3";
    for (const accept of ["application/json", "application/x-bcs"]) {
      const theirs = await rawRequest(front.node.url + path, { headers: { accept } });
      const [plain, packed] = [await front.get(path, { accept }), await front.get(path, { accept, "accept-encoding": "br" })];
      expect(plain.body.equals(theirs.body)).toBe(true);
      // Bodies below 1 KiB are not packed.
      const isPacked = plain.body.length >= 1024;
      expect([plain.headers["content-encoding"], packed.headers["content-encoding"]]).toEqual([undefined, isPacked ? "br" : undefined]);
      expect((isPacked ? brotliDecompressSync(packed.body) : packed.body).equals(theirs.body)).toBe(true);
      for (const name of ["content-type", "x-aptos-cursor"]) expect(plain.headers[name]).toBe(theirs.headers[name]);
      expect(plain.headers["x-node-cursor"]).toBe(theirs.headers["x-aptos-cursor"]);
    }
  });

  test("an answer of the node is not sent again to a client that has it", async () => {
    await using front = await inFront();
    const path = "/accounts/0x1?ledger_version=1500";
    const first = await front.get(path);
    const again = await front.get(path, { "if-none-match": first.headers["etag"] as string });
    expect([again.status, again.headers["x-movedex-source"], again.body.length]).toEqual([304, "upstream", 0]);
  });

  test("the archive answers what the node has pruned, and says so", async () => {
    await using front = await inFront();
    const answer = await front.get("/accounts/0x1/module/coin?ledger_version=900");
    expect(sourceOf(answer)).toEqual([200, "archive", "900"]);
    expect(answer.headers["x-aptos-ledger-version"]).toBe("1400");
    const absent = await front.get("/accounts/0x1/module/nope?ledger_version=900");
    expect([...sourceOf(absent), json(absent)["error_code"]]).toEqual([404, "archive", "900", "module_not_found"]);
  });

  test("what neither has is the node's refusal", async () => {
    await using front = await inFront();
    const answer = await front.get("/accounts/0x1?ledger_version=901");
    expect([...sourceOf(answer), json(answer)["error_code"]]).toEqual([410, "upstream", undefined, "version_pruned"]);
    expect(answer.headers["x-aptos-ledger-oldest-version"]).toBe("500");
    expect(answer.headers["x-movedex-nearest-held"]).toBe("900, 1400");
    expect(json(answer)["message"]).toBe("Ledger version(901) has been pruned; the archive in front of the node holds it at 900 and 1400");
  });

  test.each(["application/json", "application/x-bcs"])("the index begins where the archive does, in %s", async (accept) => {
    await using front = await inFront();
    const [ours, theirs] = [await front.get("", { accept }), await rawRequest(front.node.url, { headers: { accept } })];
    const swapped = theirs.body
      .toString("latin1")
      .replace("1000", "500")
      .replace(/(oldest_block_height":")[0-9]+/, "$150");
    if (accept === "application/json") expect(json(ours)).toEqual(JSON.parse(swapped));
    // A text and its length: 4 becomes 3.
    else expect(indexTexts(ours.body)).toEqual(indexTexts(theirs.body).map((text, index) => ["500", "50"][[2, 4].indexOf(index)] ?? text));
    expect(ours.headers["content-type"]).toBe(theirs.headers["content-type"]);
    expect(ours.headers["x-node-ledger-oldest-version"]).toBe("500");
    expect((await front.get("/accounts/0x1")).headers["x-aptos-ledger-oldest-version"]).toBe("500");
  });

  test("a version that only the archive holds can be crawled through it", async ({ place }) => {
    await using front = await inFront();
    expect(await crawl(place.file("second.db"), front.served.url, scene.accounts, { version: 500n })).toMatchObject({
      status: "sealed",
      gaps: 0,
    });
  });

  test("the operations of a node go to it; our own pages and paths that we do not know do not", async () => {
    await using front = await inFront();
    expect(sourceOf(await front.get("/info"))).toEqual([200, "upstream", undefined]);
    expect(sourceOf(await front.get("/-/healthy"))).toEqual([200, "upstream", undefined]);
    const asked = front.node.requestCount;
    for (const path of ["/spec", "/spec.json", "/snapshots", "/snapshots/900", "/transactions?limit=1", "/accounts/0x1/resources"])
      expect(sourceOf(await front.get(path))[1]).toBe("archive");
    expect((await rawRequest(`${front.served.url}/accounts/0x1`, { method: "POST", body: "x" })).status).toBe(405);
    expect(front.node.requestCount).toBe(asked);
  });

  test.each(asWords`
    /../admin /accounts/..%2f..%2fadmin/../../x /%2e%2e/admin /./x /..\admin /%2e%2e%2fadmin /..%2fadmin /%252e%252e/admin /..;/admin
    /accounts/%2e%2e /accounts/0x1/module/..%2f..%2fadmin /accounts/0x1/module/%252e%252e%252fadmin
  `)("a path that climbs (%s) does not reach the node", async (path) => {
    await using front = await inFront();
    const asked = front.node.requestCount;
    const { status } = await rawRequest(front.served.origin, { path: `/v1${path}` });
    expect(status).toBe(path.includes("accounts") && !path.includes("/../") ? 400 : 404);
    expect(front.node.requestCount).toBe(asked);
  });
});

test("a version that the archive observed is answered without asking the node", async () => {
  await using front = await inFront();
  const asked = front.node.requestCount;
  expect(sourceOf(await front.get("/accounts/0x1?ledger_version=1400"))).toEqual([200, "archive", "1400"]);
  expect(front.node.requestCount).toBe(asked);
  expect(sourceOf(await front.get("/accounts/0x1?ledger_version=1500"))).toEqual([200, "upstream", undefined]);
  expect(sourceOf(await front.get("/accounts/0x1"))).toEqual([200, "upstream", undefined]);
  expect(sourceOf(await front.get(`/accounts/${scene.stranger}?ledger_version=1400`))).toEqual([200, "upstream", undefined]);
});

describe("what goes to the node and what comes back", () => {
  test("the operator's key goes, the client's credentials and cookies do not", async () => {
    const seen: Record<string, unknown>[] = [];
    const plan: FaultPlan = {
      pick: ({ headers }) => {
        seen.push(headers);
        return [];
      },
      unmet: () => [],
    };
    await using front = await inFront({ plan, apiKey: "operators-key" });
    const client = {
      authorization: "Bearer clients-key",
      cookie: "a=b",
      origin: "https://example.org",
      "x-forwarded-for": "1.2.3.4",
      "x-aptos-client": "sdk/1",
      accept: "application/x-bcs",
    };
    await front.get("/accounts/0x1?ledger_version=1500", client);
    expect(seen.at(-1)).toMatchObject({ authorization: "Bearer operators-key", "x-aptos-client": "sdk/1", accept: "application/x-bcs" });
    for (const name of ["cookie", "origin", "x-forwarded-for"]) expect(seen.at(-1)).not.toHaveProperty(name);
  });

  test("a node of another chain is refused at the start, and is no answer later", async () => {
    const other = await startSimNode({ ledger: new SimLedger({ chainId: 9 }) });
    const forwarder = openForwarder({ url: other.url, connections: 1, silenceMs: 500 });
    await expect(serveDatabase(db, { upstream: forwarder })).rejects.toMatchObject({ code: "MOVEDEX_SERVE_CHAIN", exit: "wrongChain" });
    await forwarder.close();
    await other.close();
    await using front = await inFront();
    front.node.replaceLedger(new SimLedger({ chainId: 9 }));
    expect(sourceOf(await front.get("/accounts/0x1"))).toEqual([200, "archive", "1400"]);
    expect(json(await front.get("/accounts/0x1?ledger_version=1399"))["message"]).toContain("chain 9");
  });

  test("a hint to another archive stays here: clients would follow it by themselves", async () => {
    await using front = await inFront({ plan: faults.planFaults([{ fault: faults.archiveHint("http://169.254.169.254/latest") }]) });
    const pruned = await front.get("/accounts/0x1?ledger_version=901");
    expect(json(pruned)).toEqual({
      message: expect.stringContaining("Ledger version(901) has been pruned"),
      error_code: "version_pruned",
      vm_error_code: null,
      oldest_ledger_version: "1000",
    });
    expect(pruned.headers["x-aptos-archival-endpoint"]).toBeUndefined();
  });
});
