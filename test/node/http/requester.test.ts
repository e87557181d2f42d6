import { describe, expect, test } from "vitest";
import { type Fault, faults } from "../../../sim/index.ts";
import { closing } from "../../../src/core/base/async.ts";
import { type LedgerNode, openNode } from "../../../src/core/node/open-node.ts";
import { NodeError } from "../../../src/core/node/protocol/node-error.ts";
import { ManualClock } from "../../support/index.ts";
import { address, smallLedger, withNode } from "../small-ledger.ts";

const cafe = address("0xcafe");
const alice = address("0xa11ce");
const json = { values: 100_000, depth: 64 };
const limits = { wireBytes: 200_000, bodyBytes: 1_000_000, json, silenceTimeoutMs: 10_000, attemptTimeoutMs: 60_000 };
/** For faults that never end by themselves. undici looks once a second. */
const impatient = { ...limits, silenceTimeoutMs: 60, attempts: 2 };
const isSilent = ({ name }: Fault): boolean => /silence|stall/.test(name);

type Ending = { readonly fault: Fault; readonly kind: string; readonly ends: "request" | "run" };

/** The error with which an account read ends under a fault that never goes away. */
async function failure(fault: Fault): Promise<NodeError> {
  let caught: unknown;
  await withNode({ faults: [{ fault }], options: { limits: isSilent(fault) ? impatient : limits } }, async ({ node }) => {
    caught = await node.account(alice, { version: 100n }).catch((error: unknown) => error);
  });
  if (!(caught instanceof NodeError)) throw new Error(`not a NodeError: ${String(caught)}`);
  return caught;
}

describe("Requester", () => {
  test("a head that leaps is asked again before anybody hears of it", async () => {
    const absurd = faults.falseHead(() => ({ head: 2n ** 63n - 1n }));
    await withNode({ faults: [{ fault: absurd, at: [2, 4] }] }, async ({ node }) => {
      const heard: bigint[] = [];
      node.onHead(({ ledgerVersion }) => heard.push(ledgerVersion));
      for (let count = 0; count < 3; count++) expect((await node.account(alice, { version: 100n })).head.ledgerVersion).toBe(100n);
      expect(heard).toEqual([100n, 100n, 100n]);
      expect(node.stats()).toMatchObject({ requests: 5, retries: 2 });
    });
  });

  test.each<Ending & { attempts: number }>([
    { fault: faults.tooManyRequests("86400"), kind: "rate_limited", ends: "run", attempts: 5 },
    { fault: faults.tooManyRequests(), kind: "rate_limited", ends: "run", attempts: 5 },
    { fault: faults.unavailable("overloaded"), kind: "overloaded", ends: "run", attempts: 10 },
    { fault: faults.storageFailure("database"), kind: "server_error", ends: "request", attempts: 8 },
    { fault: faults.errorInSuccess(), kind: "server_error", ends: "request", attempts: 8 },
    { fault: faults.gatewayPage(200), kind: "gateway", ends: "request", attempts: 8 },
    { fault: faults.gatewayPage(502), kind: "gateway", ends: "request", attempts: 8 },
    { fault: faults.cutBody(), kind: "cut", ends: "request", attempts: 8 },
    { fault: faults.resetBeforeHeaders(), kind: "cut", ends: "request", attempts: 8 },
    { fault: faults.silence(), kind: "timeout", ends: "request", attempts: 2 },
    { fault: faults.stall(), kind: "timeout", ends: "request", attempts: 2 },
    { fault: faults.storageFailure("indexLate"), kind: "behind", ends: "request", attempts: 10 },
    { fault: faults.withoutLedgerHeaders(), kind: "bad_answer", ends: "request", attempts: 6 },
    { fault: faults.malformedHeader("chain-id", "256"), kind: "bad_answer", ends: "request", attempts: 6 },
    { fault: faults.trailingBytes(), kind: "bad_answer", ends: "request", attempts: 6 },
    { fault: faults.endlessHints(), kind: "bad_answer", ends: "request", attempts: 6 },
    { fault: faults.lyingLength(), kind: "bad_answer", ends: "request", attempts: 6 },
    { fault: faults.cutText(), kind: "bad_answer", ends: "request", attempts: 6 },
    { fault: faults.jsonBomb("deep", 300_000), kind: "bad_answer", ends: "request", attempts: 6 },
    { fault: faults.falseHead(() => ({ oldest: 9n, head: 8n })), kind: "bad_answer", ends: "request", attempts: 6 },
  ])("$fault.name: tried again, then $kind", async ({ fault, kind, ends, attempts }) => {
    const error = await failure(fault);
    expect(error).toMatchObject({ kind, ends, code: `MOVEDEX_NODE_${kind.toUpperCase()}` });
    expect(error.facts["attempts"]).toBeGreaterThanOrEqual(attempts);
  });

  test.each<Ending>([
    { fault: faults.storageFailure("noIndexer"), kind: "unable", ends: "request" },
    { fault: faults.storageFailure("noIndex"), kind: "unable", ends: "request" },
    { fault: faults.prunedState(100n, 120n), kind: "pruned", ends: "request" },
    { fault: faults.unauthorized(), kind: "credentials", ends: "run" },
    { fault: faults.gatewayPage(403), kind: "forbidden", ends: "run" },
    { fault: faults.gatewayPage(404), kind: "unknown_path", ends: "request" },
    { fault: faults.redirect("https://elsewhere.example/v1"), kind: "redirected", ends: "run" },
    { fault: faults.compressionBomb(3), kind: "too_large", ends: "request" },
    { fault: faults.jsonBomb("wide", 300_000), kind: "too_large", ends: "request" },
    { fault: faults.endlessBody(2_000_000), kind: "too_large", ends: "request" },
  ])("$fault.name: $kind at once", async ({ fault, kind, ends }) => {
    expect(await failure(fault)).toMatchObject({ kind, ends, facts: { attempts: 1 } });
  });

  test("pruned state carries the oldest version, from the text or from the headers", async () => {
    expect(await failure(faults.prunedState(100n, 120n))).toMatchObject({ facts: { oldest_version: 120n } });
    const ledger = smallLedger();
    ledger.pruneTo(40n);
    await withNode({ sim: { ledger } }, async ({ node }) => {
      await expect(node.account(alice, { version: 7n })).rejects.toMatchObject({
        kind: "pruned",
        status: 410,
        facts: { oldest_version: ledger.oldest },
      });
    });
  });

  test.each([faults.unauthorized(), faults.gatewayPage(403), faults.redirect("https://elsewhere.example/v1"), faults.tooManyRequests()])(
    "$name after an answer is a limit: all requests wait, and are sent again",
    async (fault) => {
      await withNode({ faults: [{ fault, at: [2, 3] }] }, async ({ node, clock }) => {
        await node.account(alice);
        const start = clock.monotonic();
        expect((await node.account(alice)).value.sequenceNumber).toBe(2n ** 63n + 1n);
        expect(clock.monotonic() - start).toBeGreaterThanOrEqual(2000);
        expect(node.stats()).toMatchObject({ requests: 4, retries: 2 });
      });
    },
  );

  test("a 429 makes all requests wait as long as it asks, and slows them down", async () => {
    await withNode({ faults: [{ fault: faults.tooManyRequests("120"), at: 1 }], options: { rate: 10 } }, async ({ node, clock }) => {
      const start = clock.monotonic();
      await Promise.all(Array.from({ length: 8 }, () => node.account(alice)));
      expect(clock.monotonic() - start).toBeGreaterThanOrEqual(120_000);
      expect(node.stats()).toMatchObject({ requests: 9, retries: 1 });
      await withNode({ faults: [{ fault: faults.tooManyRequests("1"), at: 1 }], options: { rate: 10 } }, async ({ node: other }) => {
        await other.account(alice);
        expect(other.stats().allowedPerSecond).toBeLessThan(6);
      });
    });
  });

  test("a request that was aborted before it was sent costs nothing of the budget", async () => {
    const clock = new ManualClock();
    await withNode({ options: { clock, rate: 1, maxRequests: 2 } }, async ({ node, sim }) => {
      await node.account(alice);
      const abort = new AbortController();
      const waiting = node.account(alice, {}, abort.signal);
      await expect.poll(() => clock.waiting).toBe(1);
      abort.abort(new Error("enough"));
      await expect(waiting).rejects.toThrow("enough");
      await clock.advance(1000);
      await node.account(alice);
      await expect(node.account(alice)).rejects.toMatchObject({ kind: "budget_spent" });
      expect(sim.requestCount).toBe(2);
    });
  });

  test("what is kept aside of it is for a last question, which waits for no request under way and for no sign of life", async () => {
    const silent = { fault: faults.silence(), match: ({ target }: { target: string }) => target.includes(cafe) };
    const dead = { fault: faults.storageFailure("joinError"), match: ({ target }: { target: string }) => /account/.test(target) };
    const last = (node: LedgerNode) => node.modulePages(alice, { version: 100n, limit: 1, isLast: true }).next();
    await withNode({ faults: [silent], options: { concurrency: 1, maxRequests: 2 } }, async ({ node }) => {
      node.keepAside(1);
      const abort = new AbortController();
      const waiting = node.account(cafe, {}, abort.signal);
      await expect.poll(() => node.requestsLeft()).toBe(0);
      await expect(last(node)).resolves.toMatchObject({ done: false });
      abort.abort(new Error("enough"));
      await expect(waiting).rejects.toThrow("enough");
    });
    await withNode({ faults: [{ ...dead, every: 1 }], options: { maxRequests: 14 } }, async ({ node, sim }) => {
      node.keepAside(1);
      const heard: (string | undefined)[] = [];
      const onFailure = (_: string, error?: NodeError) => void heard.push(error?.kind);
      const asked = [alice, cafe].map((account) => node.account(account, { version: 100n, onFailure }));
      expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
      await expect(node.index()).rejects.toMatchObject({ kind: "budget_spent" });
      await last(node).catch(() => {});
      expect(sim.requestCount).toBe(14);
      expect(sim.requests.at(-1)?.path).toMatch(/modules$/);
      expect(new Set(heard)).toEqual(new Set(["server_error"]));
    });
  });

  test("a version that the node does not have yet is waited for, up to a minute", async () => {
    await withNode({}, async ({ node, clock }) => {
      const start = clock.monotonic();
      await expect(node.account(alice, { version: 101n })).rejects.toMatchObject({ kind: "behind", status: 404 });
      expect(clock.monotonic() - start).toBeGreaterThan(50_000);
      expect(clock.monotonic() - start).toBeLessThanOrEqual(60_000);
    });
    const ledger = smallLedger();
    const grow = faults.meanwhile("grows", () => ledger.advance(1n));
    await withNode({ sim: { ledger }, faults: [{ fault: grow, at: 3 }] }, async ({ node }) => {
      expect((await node.account(alice, { version: 101n })).head.ledgerVersion).toBe(101n);
    });
  });

  test("a name that no module can have is the node's to refuse, and never leaves its place in the path", async () => {
    await withNode({}, async ({ node, sim }) => {
      await expect(node.module(cafe, "../../spec?x#y")).rejects.toBeInstanceOf(NodeError);
      expect(sim.requests.map(({ path }) => path)).toEqual(["/v1/accounts/0xcafe/module/..%2F..%2Fspec%3Fx%23y"]);
    });
  });

  test("another chain ends the run with its own exit code, in data, in errors and against what was expected", async () => {
    await withNode({ faults: [{ fault: faults.wrongChain(9), at: 2 }] }, async ({ node }) => {
      await node.account(alice);
      await expect(node.account(alice)).rejects.toMatchObject({ kind: "wrong_chain", ends: "run", exit: "wrongChain" });
    });
    await withNode({ options: { chainId: 1 } }, async ({ node }) => {
      await expect(node.account(alice)).rejects.toMatchObject({ kind: "wrong_chain" });
      await expect(node.module(cafe, "nowhere")).rejects.toMatchObject({ kind: "wrong_chain" });
    });
  });

  test.each([{ fault: faults.stuckCursor() }, { fault: faults.circularCursor() }, { fault: faults.emptyListing(), at: 7 }])(
    "a listing with a $fault.name ends in an error",
    async (planned) => {
      await withNode({ faults: [planned] }, async ({ node, sim }) => {
        await expect(Array.fromAsync(node.modulePages(cafe, { version: 100n, limit: 3 }))).rejects.toMatchObject({ kind: "bad_answer" });
        expect(sim.requestCount).toBeLessThan(10);
      });
    },
  );

  test.each([
    [{ modules: 7 }, "9 modules on 3 pages"],
    [{ pages: 2 }, "9 modules on 3 pages"],
  ])("a listing beyond the limits %j has no end", async (limits, found) => {
    await withNode({ options: { limits } }, async ({ node, sim }) => {
      const listing = Array.fromAsync(node.modulePages(cafe, { version: 100n, limit: 3 }));
      await expect(listing).rejects.toMatchObject({ kind: "too_large", message: expect.stringContaining(`has no end: ${found}`) });
      expect(sim.requestCount).toBe(3);
    });
  });

  test("a page that is too large is asked for in smaller ones", async () => {
    await withNode({ options: { encoding: "json", limits: { bodyBytes: 1500 } } }, async ({ node, sim }) => {
      const pages = await Array.fromAsync(node.modulePages(cafe, { version: 100n, limit: 16 }));
      expect(pages.flatMap(({ value }) => value)).toHaveLength(20);
      expect(new Set(sim.requests.map(({ query }) => /limit=(\d+)/.exec(query)?.[1]))).toEqual(new Set(["16", "2"]));
    });
  });

  test("messages hold no control characters, no key and no secret path", async () => {
    const key = "sk_0123456789abcdef0123456789";
    const rude: Fault = {
      name: "rude",
      answer: () => ({
        status: 400,
        headers: { "content-type": "application/json" },
        body: Buffer.from(JSON.stringify({ message: `\u001b[2J no ${key} \n${"x".repeat(9000)}`, error_code: "invalid_input" })),
        compressible: false,
      }),
    };
    await withNode({ faults: [{ fault: rude }], options: { apiKey: key } }, async ({ node }) => {
      const error = (await node.account(alice).catch((caught: unknown) => caught)) as NodeError;
      expect(error.kind).toBe("bad_request");
      expect(error.message).not.toContain(key);
      expect(error.message.length).toBeLessThan(800);
      expect(/[\p{Cc}]/u.test(error.message)).toBe(false);
    });
    await using hidden = closing(openNode({ url: "http://127.0.0.1:1/aB3dE5gH7jK9mN1pQ3sT5/v1" }));
    expect(hidden.url).toMatch(/^http:\/\/127\.0\.0\.1:1\/…[0-9a-f]{8}\/v1$/);
  });

  test("an unknown host is told of at once, and waited for where it is expected", async () => {
    const clock = new ManualClock({ skipSleeps: true });
    await using node = closing(openNode({ url: "http://nowhere.invalid", clock }));
    await expect(node.index()).rejects.toMatchObject({ kind: "unknown_host", facts: { attempts: 1 } });
    node.expect();
    await expect(node.index()).rejects.toMatchObject({ kind: "node_down", message: expect.stringContaining("be resolved") });
  });

  test("a node that goes down in the night is waited for", async () => {
    const clock = new ManualClock({ skipSleeps: true });
    const outage = [...Array(20).keys()].map((turn) => turn + 2);
    await withNode({ faults: [{ fault: faults.gatewayPage(502), at: outage }], options: { clock, concurrency: 2 } }, async ({ node }) => {
      await node.account(alice);
      const answers = await Promise.all([node.account(alice), node.account(cafe), node.index()]);
      expect(answers).toHaveLength(3);
    });
  });

  test("accounts of which every request fails do not take a living node down: the index is asked for a sign of life", async () => {
    const match = ({ target }: { target: string }) => target.includes("/accounts/");
    await withNode(
      { faults: [{ fault: faults.storageFailure("joinError"), match }], options: { maxRequests: 200 } },
      async ({ node, sim }) => {
        const failures = [alice, cafe].flatMap((account) => [
          node.account(account, { version: 100n }).catch((error: unknown) => error),
          Array.fromAsync(node.modulePages(account, { version: 100n })).catch((error: unknown) => error),
        ]);
        for (const error of await Promise.all(failures)) expect(error).toMatchObject({ kind: "server_error", ends: "request" });
        expect(sim.requests.some(({ path }) => path === "/v1" || path === "/v1/")).toBe(true);
        await expect(node.index()).resolves.toBeDefined();
      },
    );
  });
});
