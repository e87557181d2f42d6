import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openForwarder } from "../../src/node/http/forwarder.ts";
import { isHarmlessHint, withoutBadHint } from "../../src/serve/upstream/archive-hint.ts";
import type { Preference } from "../../src/serve/upstream/upstream-fallback.ts";
import type { FaultPlan } from "../../src/sim/faults/fault.ts";
import { faults, SimLedger, type SimNode, startSimNode } from "../../src/sim/index.ts";
import { type RawResponse, rawRequest } from "../support/raw-request.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { crawl, type ServedTest, type Settings, serveDatabase } from "./support/served-archive.ts";
import { variedLedger } from "./support/varied-ledger.ts";

const place = temporaryDirectory();
const db = place.file("archive.db");
const scene = variedLedger();

// The archive holds 500, 900 and 1400; the node reads from 1000 on, and its head is at 2000.
beforeAll(async () => {
  await using node = await startSimNode({ ledger: scene.ledger });
  for (let version = scene.next(); version !== undefined; version = scene.next()) await crawl(db, node.url, scene.accounts);
  scene.ledger.advanceTo(2000n);
  scene.ledger.pruneTo(1000n);
});
afterAll(() => place[Symbol.dispose]());

type Scene = AsyncDisposable & {
  readonly node: SimNode;
  readonly served: ServedTest;
  readonly get: (path: string, headers?: Record<string, string>) => Promise<RawResponse>;
};

async function inFront(
  options: { readonly plan?: FaultPlan; readonly prefer?: Preference; readonly apiKey?: string; readonly settings?: Settings } = {},
): Promise<Scene> {
  const node = await startSimNode({ ledger: scene.ledger, ...(options.plan === undefined ? {} : { faults: options.plan }) });
  const key = options.apiKey === undefined ? {} : { apiKey: options.apiKey };
  const forwarder = openForwarder({ url: node.url, connections: 4, silenceMs: 500, ...key });
  const served = await serveDatabase(db, { ...options.settings, upstream: { forwarder, preference: options.prefer ?? "node" } });
  return {
    node,
    served,
    get: (path, headers = {}) => rawRequest(served.url + path, { headers }),
    [Symbol.asyncDispose]: async () => {
      await served[Symbol.asyncDispose]();
      await forwarder.close();
      await node.close();
    },
  };
}

const sourceOf = ({ status, headers }: RawResponse) => [status, headers["x-movedex-source"], headers["x-movedex-observed-at"]];
const json = ({ body }: RawResponse) => JSON.parse(body.toString()) as Record<string, unknown>;

/** The status of a path sent letter by letter: URLs lose what climbs before they are sent. */
function statusOf(origin: string, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("in front of a node", () => {
  test("the node answers what it can, with its headers in both spellings", async () => {
    await using front = await inFront();
    const answer = await front.get("/accounts/0x1?ledger_version=1400");
    expect(sourceOf(answer)).toEqual([200, "upstream", undefined]);
    expect(answer.headers).toMatchObject({
      "x-aptos-ledger-version": "2000",
      "x-node-ledger-version": "2000",
      "x-node-ledger-oldest-version": "1000",
      "access-control-expose-headers": "*",
    });
    expect(sourceOf(await front.get(""))).toEqual([200, "upstream", undefined]);
    expect(sourceOf(await front.get(`/accounts/${scene.stranger}/modules`))).toEqual([200, "upstream", undefined]);
  });

  test("bodies, packings and cursors come through as the node made them", async () => {
    await using front = await inFront();
    const path = "/accounts/0x1/modules?ledger_version=1400&limit=3";
    for (const headers of [{}, { accept: "application/x-bcs" }, { "accept-encoding": "br" }] as Record<string, string>[]) {
      const [ours, theirs] = [await front.get(path, headers), await rawRequest(front.node.url + path, { headers })];
      expect(ours.body.equals(theirs.body)).toBe(true);
      for (const name of ["content-type", "content-encoding", "x-aptos-cursor"]) expect(ours.headers[name]).toBe(theirs.headers[name]);
      expect(ours.headers["x-node-cursor"]).toBe(theirs.headers["x-aptos-cursor"]);
    }
  });

  test("the archive answers what the node has pruned, and says so", async () => {
    await using front = await inFront();
    const answer = await front.get("/accounts/0x1/module/coin?ledger_version=900");
    expect(sourceOf(answer)).toEqual([200, "archive", "900"]);
    expect(answer.headers["x-aptos-ledger-version"]).toBe("1400");
    expect(front.node.requests.at(-1)).toMatchObject({ path: "/v1/accounts/0x1/module/coin", status: 410 });
    const absent = await front.get("/accounts/0x1/module/nope?ledger_version=900");
    expect([...sourceOf(absent), json(absent)["error_code"]]).toEqual([404, "archive", "900", "module_not_found"]);
  });

  test("what neither has is the node's refusal", async () => {
    await using front = await inFront();
    const answer = await front.get("/accounts/0x1?ledger_version=901");
    expect([...sourceOf(answer), json(answer)["error_code"]]).toEqual([410, "upstream", undefined, "version_pruned"]);
    expect(answer.headers["x-aptos-ledger-oldest-version"]).toBe("1000");
  });

  test("other reads under /v1 go to the node, our own pages do not", async () => {
    await using front = await inFront();
    expect(sourceOf(await front.get("/info"))).toEqual([200, "upstream", undefined]);
    expect(sourceOf(await front.get("/transactions?limit=1"))).toEqual([404, "upstream", undefined]);
    const asked = front.node.requestCount;
    for (const path of ["/spec", "/spec.json", "/snapshots", "/snapshots/900"]) expect(sourceOf(await front.get(path))[1]).toBe("archive");
    expect((await rawRequest(`${front.served.url}/accounts/0x1`, { method: "POST", body: "x" })).status).toBe(405);
    expect(front.node.requestCount).toBe(asked);
  });

  test.each(["/../admin", "/accounts/..%2f..%2fadmin/../../x", "/%2e%2e/admin", "/./x", "/..\\admin"])(
    "a path that climbs (%s) does not reach the node",
    async (path) => {
      await using front = await inFront();
      const asked = front.node.requestCount;
      expect(await statusOf(front.served.origin, `/v1${path}`)).toBe(404);
      expect(front.node.requestCount).toBe(asked);
    },
  );

  const troubles = {
    "too many requests": faults.tooManyRequests("7"),
    "a gateway's page": faults.gatewayPage(502),
    overload: faults.unavailable("overloaded"),
    "pruned state under a 500": faults.prunedState(900n, 1000n),
    "a reset": faults.resetBeforeHeaders(),
    silence: faults.silence(),
  };
  test.each(Object.entries(troubles))("in the node's trouble (%s) the archive answers what it holds", async (_, fault) => {
    await using front = await inFront({ plan: faults.planFaults([{ fault, match: ({ method }) => method === "GET" }]) });
    expect(sourceOf(await front.get("/accounts/0x1?ledger_version=1400"))).toEqual([200, "archive", "1400"]);
    const lacking = await front.get("/accounts/0x1?ledger_version=1399");
    expect(lacking.status).not.toBe(200);
    expect(lacking.status).not.toBe(404);
    expect(sourceOf(await front.get("/accounts/0x1"))).toEqual([200, "archive", "1400"]);
  });

  test("a refusal passed on keeps how long to wait", async () => {
    await using front = await inFront({
      plan: faults.planFaults([{ fault: faults.tooManyRequests("7"), match: ({ method }) => method === "GET" }]),
    });
    const answer = await front.get("/accounts/0x1?ledger_version=1399");
    expect([answer.status, answer.headers["retry-after"]]).toEqual([429, "7"]);
  });

  test("a node that does not answer is left alone for a while", async () => {
    let nowMs = 0;
    const clock = { now: () => nowMs, monotonic: () => nowMs, sleep: async () => undefined };
    const lines: string[] = [];
    const plan = faults.planFaults([{ fault: faults.resetBeforeHeaders(), match: ({ method }) => method === "GET", times: 1 }]);
    await using front = await inFront({ plan, settings: { clock, log: (_, message) => void lines.push(message) } });
    const asked = front.node.requestCount;
    for (const _ of [1, 2, 3]) expect(sourceOf(await front.get("/accounts/0x1?ledger_version=1400"))[1]).toBe("archive");
    expect(front.node.requestCount).toBe(asked + 1);
    nowMs = 6000;
    expect(sourceOf(await front.get("/accounts/0x1?ledger_version=1400"))[1]).toBe("upstream");
    expect(lines).toEqual([expect.stringContaining("does not answer"), expect.stringContaining("answers again")]);
  });

  test("a body that the node breaks off is broken off here too", async () => {
    const plan = faults.planFaults([{ fault: faults.cutBody(), match: ({ method }) => method === "GET" }]);
    await using front = await inFront({ plan });
    await expect(front.get("/accounts/0x1/modules?ledger_version=1400")).rejects.toThrow();
  });
});

describe("the archive first", () => {
  test("answers versions that it holds without asking the node", async () => {
    await using front = await inFront({ prefer: "archive" });
    const asked = front.node.requestCount;
    expect(sourceOf(await front.get("/accounts/0x1?ledger_version=1400"))).toEqual([200, "archive", "1400"]);
    expect(front.node.requestCount).toBe(asked);
    expect(sourceOf(await front.get("/accounts/0x1?ledger_version=1500"))).toEqual([200, "upstream", undefined]);
    expect(sourceOf(await front.get("/accounts/0x1"))).toEqual([200, "upstream", undefined]);
    expect(sourceOf(await front.get(`/accounts/${scene.stranger}?ledger_version=1400`))).toEqual([200, "upstream", undefined]);
  });
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
    await front.get("/accounts/0x1?ledger_version=1400", client);
    expect(seen.at(-1)).toMatchObject({ authorization: "Bearer operators-key", "x-aptos-client": "sdk/1", accept: "application/x-bcs" });
    for (const name of ["cookie", "origin", "x-forwarded-for"]) expect(seen.at(-1)).not.toHaveProperty(name);
  });

  test("a redirect is not followed and not passed on", async () => {
    const plan = faults.planFaults([{ fault: faults.redirect("http://127.0.0.1:1/steal"), match: ({ method }) => method === "GET" }]);
    await using front = await inFront({ plan });
    const held = await front.get("/accounts/0x1?ledger_version=1400");
    expect(sourceOf(held)).toEqual([200, "archive", "1400"]);
    const lacking = await front.get("/accounts/0x1?ledger_version=1399");
    expect([lacking.status, lacking.headers["location"]]).toEqual([503, undefined]);
    expect(json(lacking)["message"]).toContain("sends elsewhere");
  });

  test("a node of another chain is refused at the start, and is no answer later", async () => {
    const other = await startSimNode({ ledger: new SimLedger({ chainId: 9 }) });
    const forwarder = openForwarder({ url: other.url, connections: 1, silenceMs: 500 });
    await expect(serveDatabase(db, { upstream: { forwarder, preference: "node" } })).rejects.toMatchObject({
      code: "MOVEDEX_SERVE_CHAIN",
      exit: "wrongChain",
    });
    await forwarder.close();
    await other.close();
    await using front = await inFront();
    front.node.replaceLedger(new SimLedger({ chainId: 9 }));
    expect(sourceOf(await front.get("/accounts/0x1?ledger_version=1400"))).toEqual([200, "archive", "1400"]);
    expect(json(await front.get("/accounts/0x1?ledger_version=1399"))["message"]).toContain("chain 9");
  });

  test("hints to other archives are passed on when they are harmless, and never followed", async () => {
    const hinted = (endpoint: string) => inFront({ plan: faults.planFaults([{ fault: faults.archiveHint(endpoint) }]) });
    await using good = await hinted("https://archive.example.org/v1");
    const passed = await good.get("/accounts/0x1?ledger_version=901");
    expect(json(passed)).toMatchObject({ error_code: "version_pruned", archival_endpoint: "https://archive.example.org/v1" });
    expect(passed.headers["x-aptos-archival-endpoint"]).toBe("https://archive.example.org/v1");
    await using bad = await hinted("http://169.254.169.254/latest");
    const cleaned = await bad.get("/accounts/0x1?ledger_version=901");
    expect(json(cleaned)).toEqual({
      message: "Ledger version(901) has been pruned",
      error_code: "version_pruned",
      vm_error_code: null,
      oldest_ledger_version: "1000",
    });
    expect(cleaned.headers["x-aptos-archival-endpoint"]).toBeUndefined();
  });
});

describe("isHarmlessHint", () => {
  test.each([
    ["https://archive.example.org/v1", true],
    ["http://archive.example.org/v1", false],
    ["https://user:key@archive.example.org", false],
    ["https://10.0.0.1/v1", false],
    ["https://[::1]/v1", false],
    ["https://0x7f000001/", false],
    ["https://localhost/v1", false],
    ["https://node.internal", false],
    ["https://metadata", false],
    ["javascript:alert(1)", false],
    ["not a url", false],
    [7, false],
    [undefined, false],
  ])("%s is %s", (hint, harmless) => {
    expect(isHarmlessHint(hint)).toBe(harmless);
  });

  test("a body that is no JSON stays as it is", () => {
    const body = Buffer.from("archival_endpoint, but no JSON");
    expect(withoutBadHint(body)).toBe(body);
  });
});
