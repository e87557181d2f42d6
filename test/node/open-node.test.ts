import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, test } from "vitest";
import { emptyPage, type Fault, formatDisabled, storageFailure } from "../../sim/faults/index.ts";
import type { LedgerNode } from "../../src/core/node/open-node.ts";
import { openNode } from "../../src/core/node/open-node.ts";
import { NodeError } from "../../src/core/node/protocol/node-error.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { address, smallLedger, withNode } from "./small-ledger.ts";

const cafe = address("0xcafe");
const alice = address("0xa11ce");

async function listing(node: LedgerNode, limit?: number): Promise<{ name: string | undefined; code: string }[]> {
  const modules: { name: string | undefined; code: string }[] = [];
  for await (const { value } of node.modulePages(cafe, { version: 100n, ...(limit === undefined ? {} : { limit }) })) {
    modules.push(...value.map(({ name, bytecode }) => ({ name, code: Buffer.from(bytecode).toString("hex") })));
  }
  return modules;
}

const held = smallLedger()
  .modulesAt("0xcafe", 100n)
  .map(({ name, code }) => ({ name, code: Buffer.from(code.bytes).toString("hex") }));

describe("openNode", () => {
  test("reads the index with its head", async () => {
    await withNode({}, async ({ node }) => {
      const { value, head, encoding } = await node.index();
      expect(value).toEqual({ chainId: 4, nodeRole: "full_node", gitHash: "5e1f0d3c" });
      expect(head).toMatchObject({ chainId: 4, ledgerVersion: 100n, oldestVersion: 0n });
      expect(encoding).toBe("json");
      expect(node.lastHead()).toEqual(head);
    });
  });

  test.each(["bcs", "json"] as const)("reads an account, a module and a listing in %s", async (encoding) => {
    await withNode({ options: { encoding } }, async ({ node, sim }) => {
      const account = await node.account(alice, { version: 100n });
      expect(account).toMatchObject({ encoding, value: { sequenceNumber: 2n ** 63n + 1n } });
      expect(account.value.authenticationKey).toHaveLength(32);
      expect(account.value.resource === null).toBe(encoding === "json");
      const module = await node.module(cafe, "m3", { version: 100n });
      expect({ name: module.value.name, code: Buffer.from(module.value.bytecode).toString("hex") }).toEqual(
        held.find(({ name }) => name === "m3"),
      );
      expect(await listing(node, 7)).toEqual(held);
      expect((await node.index()).encoding).toBe(encoding);
      expect(new Set(sim.requests.map(({ accept }) => accept))).toEqual(
        new Set([encoding === "bcs" ? "application/x-bcs" : "application/json"]),
      );
    });
  });

  test("asks for one page per cursor, with the version on each, and ends at the missing cursor only", async () => {
    await withNode({ faults: [{ fault: emptyPage(), at: 1 }] }, async ({ node, sim }) => {
      expect(await listing(node, 5)).toEqual(held);
      // An empty page, then four full ones: no request for a page after the last.
      expect(sim.requests.map(({ query }) => query.replace(/start=.*/, "start"))).toEqual([
        "ledger_version=100&limit=5",
        ...Array(4).fill("ledger_version=100&limit=5&start"),
      ]);
    });
  });

  test("with `auto` a refused encoding gives way to the other, once for all", async () => {
    await withNode({ faults: [{ fault: formatDisabled("bcs") }] }, async ({ node, sim }) => {
      expect((await node.account(alice)).encoding).toBe("json");
      expect(await listing(node, 7)).toEqual(held);
      expect(sim.requests.filter(({ accept }) => accept === "application/x-bcs")).toHaveLength(1);
    });
    await withNode({ faults: [{ fault: formatDisabled("json") }] }, async ({ node }) => {
      expect((await node.index()).encoding).toBe("bcs");
    });
  });

  test("no more requests are on the way than allowed, and none is sent beyond the budget", async () => {
    await withNode({ options: { concurrency: 3, maxRequests: 20 } }, async ({ node, sim }) => {
      const results = await Promise.allSettled(Array.from({ length: 50 }, () => node.account(alice)));
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(20);
      const failure = results.find(({ status }) => status === "rejected") as PromiseRejectedResult;
      expect(failure.reason).toMatchObject({ code: "MOVEDEX_NODE_BUDGET_SPENT", ends: "run", exit: "failed" });
      expect(sim.requestCount).toBe(20);
      expect(sim.peakConcurrency).toBeLessThanOrEqual(3);
      expect(node.stats()).toMatchObject({ requests: 20, retries: 0 });
    });
  });

  test("names itself, its contact and its key, and no origin", async () => {
    const seen: IncomingHttpHeaders[] = [];
    const watch: Fault = {
      name: "watch",
      answer: (honest, request) => {
        seen.push(request.headers);
        return honest();
      },
    };
    await withNode({ faults: [{ fault: watch }], options: { contact: "mailto:ops@example.org", apiKey: "s3cret" } }, async ({ node }) => {
      await node.account(alice);
    });
    expect(seen[0]).toMatchObject({
      "user-agent": expect.stringMatching(/^movedex\/\d+\.\d+\.\d+ \(\+mailto:ops@example\.org\)$/),
      authorization: "Bearer s3cret",
      accept: "application/x-bcs",
    });
    expect(seen[0]).not.toHaveProperty("origin");
  });

  test("a user name and password go into Basic authentication, and into no message", async () => {
    const seen: (string | undefined)[] = [];
    const echo: Fault = {
      name: "echo",
      answer: (honest, { headers }) => {
        seen.push(headers.authorization);
        const body = Buffer.from(`who is ${headers.authorization}, with hunter22?`);
        return { ...honest(), status: 401, headers: { "content-type": "text/plain" }, body };
      },
    };
    await withNode({ faults: [{ fault: echo }], options: { basicAuth: "ops:hunter22" } }, async ({ node }) => {
      await expect(node.account(alice)).rejects.toThrow(/who is Basic …, with …\?$/);
    });
    expect(seen).toEqual([`Basic ${Buffer.from("ops:hunter22").toString("base64")}`]);
  });

  test("an abort ends a call at once, wherever it waits", async () => {
    await withNode({ options: { concurrency: 1 } }, async ({ node }) => {
      const reason = new Error("enough");
      const calls = Array.from({ length: 10 }, () => node.account(alice, {}, AbortSignal.abort(reason)));
      expect((await Promise.allSettled(calls)).every((result) => result.status === "rejected" && result.reason === reason)).toBe(true);
      const abort = new AbortController();
      const waiting = Array.from({ length: 10 }, () => node.account(alice, {}, abort.signal));
      setImmediate(() => abort.abort(reason));
      const results = await Promise.allSettled(waiting);
      expect(results.at(-1)).toEqual({ status: "rejected", reason });
      expect((await node.account(alice)).value.sequenceNumber).toBe(2n ** 63n + 1n);
    });
  });

  test("after closing no call waits, wherever it was", async () => {
    const clock = new ManualClock();
    await withNode({ faults: [{ fault: storageFailure("database") }], options: { clock, concurrency: 2 } }, async ({ node }) => {
      const calls = [node.account(alice), node.account(cafe), node.index()].map((call) =>
        expect(call).rejects.toMatchObject({ code: "MOVEDEX_NODE_CLOSED" }),
      );
      await expect.poll(() => clock.waiting).toBe(2);
      await node.close();
      await Promise.all(calls);
      await expect(node.account(alice)).rejects.toMatchObject({ kind: "closed" });
    });
  });

  test("a version that no database can hold is refused before anything is sent", async () => {
    await withNode({}, async ({ node, sim }) => {
      await expect(node.account(alice, { version: 2n ** 63n })).rejects.toMatchObject({ code: "MOVEDEX_CONFIG" });
      await expect(node.account(alice, { version: 2n ** 63n - 1n })).rejects.toBeInstanceOf(NodeError);
      expect(sim.requests.every(({ query }) => query === `ledger_version=${2n ** 63n - 1n}`)).toBe(true);
    });
  });

  test.each([
    [{ url: "ftp://host/v1" }, "URL"],
    [{ url: "https://user:pass@host/v1" }, "password"],
    [{ url: "http://host/v1", rate: -1 }, "rate"],
    [{ url: "http://host/v1", rate: Number.NaN }, "rate"],
    [{ url: "http://host/v1", concurrency: 0 }, "concurrency"],
    [{ url: "http://host/v1", contact: "a\r\nb: c" }, "contact"],
    [{ url: "http://host/v1", apiKey: "a b" }, "API key"],
    [{ url: "http://host/v1", basicAuth: "nobody" }, "user:password"],
  ])("refuses %j", (options, word) => {
    expect(() => openNode(options)).toThrow(expect.objectContaining({ code: "MOVEDEX_CONFIG", message: expect.stringContaining(word) }));
  });
});
