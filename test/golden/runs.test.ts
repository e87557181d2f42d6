import { createSampleLedger, faults, SimLedger } from "../../sim/index.ts";
import { ended, signalSender } from "../support/index.ts";
import { holds, passDay, passIdleDays, passQuietDays, type Scene, type Stage, useStages } from "./support/stage.ts";

// What commands print that read the node.

useStages();

/** The list of modules of an account cannot be read from the node. */
const unlisted = (address = "") => ({
  fault: faults.storageFailure("noIndexer"),
  match: ({ target }: { target: string }) => target.includes(`/accounts/${address}/modules`),
});

holds("sync", {
  first: { held: "targets", line: "sync --concurrency 1" },
  "without-targets": { line: "sync --concurrency 1", forms: ["txt"] },
  second: { held: "first", before: passDay, line: "sync --concurrency 1" },
  quiet: { held: "second", before: passQuietDays, line: "sync --concurrency 1" },
  "held-already": { held: "second", line: "sync" },
  "head-stands-still": { held: "second", before: passIdleDays, line: "sync" },
  "some-accounts": {
    held: "first",
    before: passDay,
    line: "sync --account 0x1 --account 0x4 --records never --concurrency 1",
    forms: ["txt"],
  },
});

holds("sync-gaps", {
  gaps: {
    held: "first",
    before: passDay,
    faults: ({ codeAccounts }) => [unlisted(codeAccounts[1]), { fault: faults.tooManyRequests("2"), at: 9 }],
    line: "sync --concurrency 1",
  },
  "gaps-tried-again": {
    held: "first",
    faults: ({ codeAccounts }) => [
      { ...unlisted(codeAccounts[1]), times: 1 },
      { ...unlisted(codeAccounts[3]), match: ({ target }) => target.includes(`/${codeAccounts[3]}/modules?ledger_version=3456004`) },
    ],
    before: async (stage) => {
      await passDay(stage);
      await ended(stage.run("sync --concurrency 1"), 2);
      await passQuietDays(stage);
    },
    line: "sync --concurrency 1",
  },
  "missing-read-later": {
    held: "first",
    faults: ({ codeAccounts }) => [{ ...unlisted(codeAccounts[1]), times: 1 }],
    before: async (stage) => {
      await passDay(stage);
      await ended(stage.run("sync --concurrency 1"), 2);
    },
    line: "sync --concurrency 1",
    forms: ["txt"],
  },
  "no-account-answers": {
    held: "targets",
    faults: () => [{ fault: unlisted().fault, match: ({ target }) => target.includes("/accounts/") }],
    line: "sync --concurrency 1",
    forms: ["txt"],
  },
  resumed: { held: "targets", before: readHalf, line: "sync --concurrency 1" },
  "resumed-too-late": {
    held: "targets",
    before: async (stage) => {
      await readHalf(stage);
      await passQuietDays(stage, 3);
    },
    line: "sync --concurrency 1",
  },
});

holds("sync-ends", {
  "budget-spent-first": { held: "targets", line: "sync --max-requests 8 --concurrency 1" },
  "budget-spent": { held: "second", before: passQuietDays, line: "sync --max-requests 10 --concurrency 1" },
  interrupted: { held: "targets", ...interruptedAt(9), line: "sync --concurrency 1" },
  "wrong-chain": { held: "first", node: () => ({ ledger: otherLedger(7) }), line: "sync" },
  "other-ledger": { held: "first", node: () => ({ ledger: otherLedger(4) }), line: "sync --concurrency 1", forms: ["txt"] },
  "node-lags": { held: "second", node: () => ({ ledger: createSampleLedger().ledger }), line: "sync" },
  refused: { held: "first", faults: () => [{ fault: faults.unauthorized() }], line: "sync", forms: ["txt"] },
  "node-down": { held: "first", before: ({ node }) => node.close(), line: "sync --concurrency 1", forms: ["txt"] },
});

holds("sync-dry-run", {
  first: { held: "targets", line: "sync --dry-run" },
  second: { held: "first", before: passDay, line: "sync --dry-run" },
  budget: { held: "second", before: passQuietDays, line: "sync --dry-run --max-requests 10" },
  unfinished: { held: "targets", before: readHalf, line: "sync --dry-run" },
});

holds("backfill", {
  run: { held: "second", line: "backfill --every 6h --concurrency 1" },
  refused: { held: "second", line: "backfill --every 6h --concurrency 1 --max-requests 20" },
  pruned: { held: "second", line: "backfill --every 12h --from 0 --concurrency 1", forms: ["txt"] },
  "too-late": { held: "first", before: seeTwice, line: (stage) => `${besideHorizon(stage)} --concurrency 1`, forms: ["txt"] },
  lost: {
    held: "second",
    before: async (stage) => {
      await ended(stage.run("backfill --every 6h --concurrency 1 --max-requests 8"));
      await passQuietDays(stage, 1);
    },
    line: "backfill --every 12h --concurrency 1",
  },
  interrupted: { held: "second", ...interruptedAt(20), line: "backfill --every 6h --concurrency 1" },
  "pruned-meanwhile": prunedAt(8),
  "pruned-first": { ...prunedAt(5), forms: ["txt"] },
  gaps: { held: "second", faults: ({ codeAccounts }) => [unlisted(codeAccounts[1])], line: "backfill --every 1d --concurrency 1" },
});

holds("backfill-plan", {
  all: { held: "second", line: "backfill --every 12h --dry-run" },
  refused: { held: "first", before: seeTwice, line: (stage) => `${besideHorizon(stage)} --max-requests 30 --dry-run` },
  "without-times": { held: "targets", line: "backfill --every 12h --dry-run", forms: ["txt"] },
});

holds("trace", {
  plan: { held: "second", line: "trace --dry-run" },
  all: { held: "second", line: "trace --concurrency 1" },
  module: {
    held: "second",
    line: "trace 0x8f3c51b6e0d24a7795ac1e8d3f60b2749d18e5c07ab34f6219c4d7e08b5a3f12::pool --concurrency 1",
    forms: ["txt"],
  },
  budget: { held: "second", line: "trace --max-requests 30 --concurrency 1" },
  pruned: { held: "second", before: (stage) => passQuietDays(stage, 2), line: "trace --concurrency 1" },
  nothing: { held: "first", line: "trace", forms: ["txt"] },
  "not-held": { held: "second", line: "trace 0x1::coinn", forms: ["txt"] },
  progress: { held: "second", answerMs: 11_000, line: "trace --concurrency 1", forms: ["txt"] },
});

/** A gap, older versions that are pruned before they are read, others left to the next night, a trace that its budget ends. */
const losses = {
  held: "first",
  answerMs: 0,
  before: passDay,
  faults: ({ codeAccounts, ledger }) => [
    { ...unlisted(codeAccounts[1]), times: 1 },
    { fault: faults.meanwhile("pruning", () => ledger.pruneTo(2_000_000n)), at: 26 },
  ],
} satisfies Partial<Scene>;
const LOSING = "night --backfill 6h --max-requests 22 --trace-requests 20 --concurrency 1 --rate 0";
const afterLosses = {
  ...losses,
  before: async (stage: Stage) => {
    await passDay(stage);
    await ended(stage.run(LOSING), 3);
    await passQuietDays(stage, 1);
    await ended(stage.run("night --backfill 6h --max-requests 7 --trace-requests 0 --concurrency 1 --rate 0"), 3);
  },
  forms: ["txt"],
} satisfies Partial<Scene>;

holds("night", {
  first: { held: "targets", line: "night --concurrency 1" },
  second: {
    held: "first",
    before: passDay,
    line: "night --concurrency 1 --backup backups/ --report changes.md",
    files: ["backups/night-20260105.db.zst"],
  },
  losses: { ...losses, line: LOSING },
  failed: { held: "first", before: passDay, faults: () => [{ fault: faults.unauthorized() }], line: "night --concurrency 1" },
  "dry-run": { held: "first", line: "night --backfill 1d --backup backups/ --keep 7 --report changes.md --dry-run" },
  weekly: { held: "first", hasAllViews: true, line: "night --weekly", forms: ["txt"] },
});

// What an operator reads after a second such night, whose budget is too small.
holds("after-losses", {
  status: { ...afterLosses, line: "status" },
  report: { ...afterLosses, line: "report --since 2592000 --format text" },
});

/** The node is seen twice, so it is known how fast it prunes: a thousand versions while one request waits for its turn. */
async function seeTwice(stage: Stage): Promise<void> {
  await ended(stage.run("sync"));
  await passDay(stage);
  await ended(stage.run("sync"));
}

/** The node prunes at its n-th request. When the run notices depends on what it does besides: no time passes, and requests take turns. */
function prunedAt(at: number): Scene {
  return {
    held: "second",
    answerMs: 0,
    faults: ({ ledger }) => [{ fault: faults.meanwhile("pruning", () => ledger.pruneTo(2_500_000n)), at }],
    line: "backfill --every 6h --concurrency 1 --rate 0 --records never",
  };
}

const besideHorizon = ({ sample }: Stage) =>
  `backfill --every 9000 --from ${sample.ledger.oldest - 9000n} --to ${sample.ledger.oldest + 45_000n} --rate 0.01`;

function otherLedger(chainId: number): SimLedger {
  const ledger = new SimLedger({ chainId, usecPerVersion: 100_000n });
  ledger.genesis((writer) => writer.account("0x1"));
  ledger.advanceTo(2_592_000n);
  return ledger;
}

function readHalf({ run }: Stage): Promise<unknown> {
  return ended(run("sync --max-requests 8 --concurrency 1"));
}

/** A command is interrupted when its n-th request comes. */
function interruptedAt(at: number): Pick<Scene, "faults" | "options"> {
  const { send, signals } = signalSender();
  return { faults: () => [{ fault: faults.meanwhile("Ctrl-C", () => send("SIGINT")), at }], options: { signals } };
}
