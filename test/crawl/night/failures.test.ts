import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FailureJudge } from "../../../src/core/crawl/night/failure-judge.ts";
import { exitOf, type SyncSummary } from "../../../src/core/crawl/night/summary.ts";
import { chooseTonights, type Tonight } from "../../../src/core/crawl/night/tonight.ts";
import { CrawlError } from "../../../src/core/crawl/visit/classify-failure.ts";
import type { Claim } from "../../../src/core/db/archive/snapshots/claims.ts";
import type { NodeErrorKind } from "../../../src/core/node/protocol/error-classes.ts";
import { AnswerFault, NodeError } from "../../../src/core/node/protocol/node-error.ts";
import { addressOf } from "../../support/store/temporary-store.ts";

const failure = (kind: NodeErrorKind): NodeError =>
  new NodeError(new AnswerFault(kind, "said so"), { url: "http://node.example/v1", attempts: 1, redact: (text) => text });
const pruned = failure("pruned");
const claimOf = (account: number, claims: number): Claim => ({
  address: addressOf(account),
  account,
  position: account,
  claims,
  readsRecord: true,
  modulesBefore: 0,
});

test("a failure of an account is tried again in another round, and is a gap in the last one", () => {
  const judge = new FailureJudge(true);
  for (const round of [1, 2]) expect(judge.judge(failure("timeout"), claimOf(1, round))).toEqual({ kind: "postponed" });
  expect(judge.unwritten).toMatchObject([{ address: addressOf(1), reason: "timeout", attempts: 2 }]);
  const last = judge.judge(failure("timeout"), claimOf(1, 3));
  expect(last).toMatchObject({ kind: "gap", gap: { reason: "timeout", isFinal: false } });
  expect(judge.unwritten).toEqual([]);
});

test("a failure for want of requests ends the run and counts for nothing", () => {
  const judge = new FailureJudge(false);
  for (let i = 0; i < 100; i++) expect(judge.judge(failure("budget_spent"), claimOf(i, 1))).toEqual({ kind: "budget" });
  expect(judge.nodeFault).toBeUndefined();
});

describe("failures of a run", () => {
  test("without one answer are its end at the 25th, and after one answer never", () => {
    const judge = new FailureJudge(false);
    for (let i = 1; i < 25; i++) judge.judge(failure("timeout"), claimOf(i, 1));
    const last = failure("timeout");
    expect(() => judge.judge(last, claimOf(25, 1))).toThrow(last);
    const answered = new FailureJudge(true);
    for (let i = 1; i < 100; i++) expect(answered.judge(failure("timeout"), claimOf(i, 1))).toEqual({ kind: "postponed" });
  });

  test("at an older version are its end at the 5th without an answer: what was read before is kept, and the rest are gaps not asked for", () => {
    const fresh = new FailureJudge(false, true);
    for (let i = 1; i < 5; i++) fresh.judge(failure("timeout"), claimOf(i, 1));
    expect(() => fresh.judge(failure("timeout"), claimOf(5, 1))).toThrow("in time");
    const begun = new FailureJudge(true, true);
    for (let i = 1; i < 5; i++) expect(begun.judge(failure("timeout"), claimOf(i, 1))).toEqual({ kind: "postponed" });
    expect(begun.judge(failure("timeout"), claimOf(5, 1))).toEqual({ kind: "rest" });
    expect(begun.ofRest).toMatchObject({ reason: "timeout", attempts: 0, isFinal: false });
    expect(begun.unwritten).toHaveLength(4);
    for (const hasAnswers of [false, true]) {
      const proven = new FailureJudge(hasAnswers, true);
      for (let i = 1; i < 5; i++) proven.judge(failure("timeout"), claimOf(i, 1));
      expect(proven.isInDoubt).toBe(true);
      proven.isProven = true;
      expect(proven.isInDoubt).toBe(false);
      for (let i = 5; i < 25; i++) expect(proven.judge(failure("timeout"), claimOf(i, 1))).toEqual({ kind: "postponed" });
    }
    const answered = new FailureJudge(true, true);
    answered.answered();
    for (let i = 1; i < 100; i++) expect(answered.judge(failure("timeout"), claimOf(i, 1))).toEqual({ kind: "postponed" });
  });

  test("show the pin to be lost when three in a row say that it is pruned, and no fewer", () => {
    const said = fc.constantFrom("pruned", "pruned", "timeout", "contradiction", "answered");
    fc.assert(
      fc.property(fc.array(said, { maxLength: 20 }), (course) => {
        const judge = new FailureJudge(true);
        let inARow = 0;
        for (const [i, what] of course.entries()) {
          inARow = what === "pruned" ? inARow + 1 : 0;
          if (what === "answered") judge.answered();
          else {
            const claim = claimOf(i, 1);
            const error =
              what === "pruned" ? pruned : what === "timeout" ? failure("timeout") : CrawlError.repeated(claim.address, 7n, "coin");
            expect(judge.judge(error, claim).kind).toBe(inARow >= 3 ? "rest" : "postponed");
          }
          expect(judge.ofRest !== undefined).toBe(inARow >= 3);
          if (inARow < 3) continue;
          // The others were not asked for.
          expect(judge.ofRest).toMatchObject({ isFinal: true, attempts: 0 });
          return;
        }
      }),
    );
  });
});

test.each<readonly [string, Tonight["request"]["version"], lag: bigint, found: bigint | string]>([
  ["the newest, kept below the head", { kind: "latest" }, 40n, 960n],
  ["the newest, never below the oldest", { kind: "latest" }, 901n, 100n],
  ["the oldest", { kind: "exact", version: 100n }, 40n, 100n],
  ["the head itself", { kind: "exact", version: 1_000n }, 40n, 1_000n],
  ["what is pruned", { kind: "exact", version: 99n }, 0n, "MOVEDEX_PIN_PRUNED"],
  ["what does not exist yet", { kind: "exact", version: 1_001n }, 0n, "MOVEDEX_PIN_FUTURE"],
  ["so far before the head that it is pruned", { kind: "behind", versions: 950n }, 0n, "MOVEDEX_PIN_PRUNED"],
  ["further before the head than the ledger is long", { kind: "behind", versions: 5_000n }, 0n, "MOVEDEX_PIN_FUTURE"],
])("the version to read: %s", (_, version, lag, found) => {
  const head = { ledgerVersion: 1_000n, oldestVersion: 100n };
  const choose = () => chooseTonights({ request: { version, lag }, head, before: { newestSealed: undefined } } as unknown as Tonight);
  if (typeof found === "bigint") expect(choose()).toBe(found);
  else expect(choose).toThrow(expect.objectContaining({ code: found }));
});

const head = { ledgerVersion: 5n, ageMs: 700_000, aheadMs: 0, risenBy: 0n, isStale: true };

test.each<readonly [string, ...Partial<SyncSummary>[]]>([
  ["lost", { status: "sealed_with_gaps" }, { isLost: true }],
  ["lost", { isLost: true, head }],
  ["gaps", { status: "sealed_with_gaps" }, { status: "sealed" }],
  // A list of thousands always has an account without an answer, which would hide for ever that the node stands still.
  ["stale", { status: "sealed_with_gaps", head }],
  ["done", { status: "sealed", head: { ...head, isStale: false } }],
  ["terminated", { status: "sealed", stoppedBy: "SIGTERM", head }],
  ["interrupted", { status: "unsealed", stoppedBy: "SIGINT" }],
  ["done", { status: "unsealed", stoppedBy: "budget" }],
])("%s is the worst of a run's snapshots, or what stopped it", (exit, ...summaries) => {
  expect(exitOf(summaries as SyncSummary[])).toBe(exit);
});
