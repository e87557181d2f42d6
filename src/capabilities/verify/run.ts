import { setImmediate as turn } from "node:timers/promises";
import { closing } from "../../core/base/async.ts";
import { packageVersion } from "../../core/base/files.ts";
import { grouped, listFirst, plural } from "../../core/base/plural.ts";
import { hangingText, printable } from "../../core/base/printable.ts";
import { all, from, list, named, object, orNull, text, truth, whole } from "../../core/base/result.ts";
import { formatDuration } from "../../core/base/time.ts";
import { derivedRowsOf, followSeal } from "../../core/cli/hooks.ts";
import { dataWidth, type Io, openLog, storeNotice } from "../../core/cli/io.ts";
import type { NightStep } from "../../core/cli/night-part.ts";
import type { DatabaseFlags, NodeFlags } from "../../core/cli/options/declared-command.ts";
import { withNode } from "../../core/cli/options/node-session.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { progressLine } from "../../core/cli/output/progress-line.ts";
import { type StopReason, signalExit } from "../../core/crawl/run/run-work.ts";
import { derivationQueries } from "../../core/db/archive/content/derive.ts";
import { forgetRows } from "../../core/db/archive/content/derive-rows.ts";
import type { Damage, Slice } from "../../core/db/engine/check.ts";
import type { ExitName } from "../../core/exit-codes.ts";
import { openStore } from "../../core/work/store.ts";
import { type Reread, rereadSample } from "./reread.ts";
import { adviceOn, type DamageKind, kindOf, openVerification, REREAD } from "./verify.ts";

type Findings = {
  readonly checked: Map<string, { readonly done: number; readonly total: number }>;
  /** The first of them, as many as were asked for. */
  readonly shown: Damage[];
  count: number;
  readonly kinds: Set<DamageKind>;
};

type Verified = {
  readonly exit: ExitName;
  readonly slice: Slice;
  readonly findings: Findings;
  /** Of how many bytecodes rows were made anew. */
  readonly rebuilt: number | undefined;
  readonly reread: Reread | undefined;
  readonly signal: Exclude<StopReason, "budget"> | undefined;
  readonly elapsedMs: number;
};

const sliceText = ({ part, of }: Slice): string => `${part + 1}/${of}`;

export const verifyResult = object({
  ok: from(({ findings, signal }: Verified) => findings.count === 0 && signal === undefined, truth),
  stopped_by: from("signal", orNull(text)),
  slice: from(({ slice }: Verified) => sliceText(slice), text),
  checked: from(
    ({ findings }: Verified) => Object.fromEntries(Array.from(findings.checked, ([name, { done }]) => [name.replaceAll(" ", "_"), done])),
    named(whole),
  ),
  findings_count: from("findings.count", whole),
  rebuilt: orNull(whole),
  sample: from("reread", orNull(object({ ...all(whole, "drawn", "agree"), unread: named(whole) }))),
  findings: from("findings.shown", list(object({ table: text, row: text, problem: text }))),
});

export type VerifyFlags = DatabaseFlags &
  NodeFlags & {
    readonly slice: Slice;
    readonly against?: string;
    readonly sample: number;
    readonly rebuild?: boolean;
    readonly limit: number;
  };

type VerifySession = {
  readonly flags: VerifyFlags;
  readonly io: Io;
  readonly findings: Findings;
  /** Takes down what was checked, and what is wrong with it. */
  readonly note: (check: string, done: number, total: number, damage: readonly Damage[]) => Promise<void>;
  readonly stop: AbortSignal;
  /** Has a signal end the run with what was found so far. */
  readonly heedSignals: () => void;
};

/** How long to work before looking whether the run was told to stop. */
const BREATH_MS = 50;

/** How long a step of a night waits by itself for another's lock. */
const BUSY_TRY_MS = 1_000;

export async function runVerify(io: Io, flags: VerifyFlags): Promise<ExitName> {
  const verified = await verify(io, flags, (damage) => (flags.json ? Promise.resolve() : io.stdout(`${damageText(damage)}\n`)));
  await io.stdout(flags.json ? jsonLine(verifyResult.print(verified)) : summaryText(verified, flags, dataWidth(io)));
  return verified.exit;
}

/** As a step of the night, which ends with its line whatever comes. */
export const step: NightStep<VerifyFlags, Verified> = {
  run: (io, flags) => verify(io, flags),
  print: verifyResult.print,
  says: ({ findings: { count } }) => ({ found: count > 0 ? `verify found damage: ${plural(count, "finding")}` : undefined }),
};

/** Does what `verify` does: what is to be made anew first, then all that is stored, then the sample, if there is a node to ask. */
async function verify(io: Io, flags: VerifyFlags, show: (damage: Damage) => Promise<void> = async () => {}): Promise<Verified> {
  const startedMs = io.clock.monotonic();
  const findings: Findings = { checked: new Map(), shown: [], count: 0, kinds: new Set() };
  using line = progressLine<{ readonly check: string; readonly done: number; readonly total: number; readonly findings: number }>(
    io,
    openLog(io),
    ({ check, done, total, findings }) => `${done}/${total} ${check} · ${plural(findings, "finding")}`,
    (checking) => checking,
  );
  const note: VerifySession["note"] = async (check, done, total, damage) => {
    findings.checked.set(check, { done, total });
    for (const one of damage) {
      findings.count += 1;
      findings.kinds.add(kindOf(check, one, flags.db));
      if (findings.count > flags.limit) continue;
      if (flags.json) findings.shown.push(one);
      line.end();
      await show(one);
    }
    line.show({ check, done, total, findings: findings.count });
  };
  const stopping = new AbortController();
  using stack = new DisposableStack();
  let unheed: (() => void) | undefined;
  stack.defer(() => unheed?.());
  const heedSignals = (): void => {
    unheed ??= io.onStopSignal((signal) => stopping.abort(signal));
  };
  if (io.isPart || flags.slice.of > 1) heedSignals();
  const session = { flags, io, findings, note, stop: stopping.signal, heedSignals };
  const rebuilt = flags.rebuild ? await rebuild(session) : undefined;
  await checkStored(session);
  const wantsNode = flags.against !== undefined || flags.rpc !== undefined || flags.network !== undefined;
  const reread = wantsNode && !stopping.signal.aborted ? await checkSample(session) : undefined;
  const signal = stopping.signal.reason as Verified["signal"];
  line.end();
  const incomparable = reread !== undefined && (reread.agree === 0 || Object.keys(LACKING).some((reason) => reread.unread.has(reason)));
  const exit = findings.count > 0 ? "corrupt" : (signalExit(signal) ?? (incomparable ? "incomparable" : "done"));
  return { exit, findings, slice: flags.slice, rebuilt, reread, signal, elapsedMs: io.clock.monotonic() - startedMs };
}

/** Makes views and derived rows anew. @returns of how many bytecodes */
async function rebuild({ flags, io, stop, heedSignals }: VerifySession): Promise<number> {
  {
    await using archive = closing(await openVerification(flags.db));
    await archive.assertSource();
  }
  heedSignals();
  const options = { mode: "write", now: io.clock.now, appVersion: packageVersion(), onNotice: storeNotice(io), viewsAnew: true } as const;
  await using store = await openStore(flags.db, options);
  const derivedByOthers = await derivedRowsOf(io.hooks);
  await store.engine.transaction(async (tx) => {
    await forgetRows(tx);
    for (const { forget } of derivedByOthers) await forget(tx);
  });
  // Where the signal ends it, the next writer goes on.
  const { derived } = await derivationQueries(store.engine).derive({ signal: stop });
  await followSeal(io, { engine: store.engine, path: flags.db, log: openLog(io), signal: stop });
  return derived;
}

/**
 * Checks all that is stored, or a slice of it, until a signal stops it. SQLite's check of a large file's pages holds this thread for
 * minutes and changes nothing: until it is over, which is the second step, a signal ends the process as it ends any that does not listen.
 */
async function checkStored({ flags, io, findings, note, stop, heedSignals }: VerifySession): Promise<void> {
  // Where another's lock is in the way, a night begins this anew as long as its time lasts: one state of a database cannot wait.
  await using archive = closing(await openVerification(flags.db, io.patience && { lockTimeoutMs: BUSY_TRY_MS }));
  const added = archive.added().map((name) => printable(name, 100));
  if (archive.isStrange()) findings.kinds.add("strange");
  if (added.length > 0) openLog(io)("info", `${plural(added.length, "table")} of others in the file, let be: ${listFirst(added, 5)}`);
  let breathedMs = io.clock.monotonic();
  for await (const { check, done, total, damage } of archive.run(flags.slice, await derivedRowsOf(io.hooks))) {
    if (check !== "tables" || done > 1) heedSignals();
    await note(check, done, total, damage);
    if (io.clock.monotonic() - breathedMs < BREATH_MS) continue;
    await turn();
    breathedMs = io.clock.monotonic();
    if (stop.aborted) break;
  }
}

/** Reads the sample again. That a budget stopped it, `unread` says. */
async function checkSample({ flags, io, note }: VerifySession): Promise<Reread> {
  await using archive = closing(await openVerification(flags.db));
  const reread = await withNode(io, flags.against === undefined ? flags : { ...flags, rpc: flags.against }, ({ node, stop, choice }) =>
    rereadSample(archive.session, { node, stop, concurrency: choice.pace.concurrency }, flags.sample, (done, total) =>
      note(REREAD, done, total, []),
    ),
  );
  const unread = [...reread.unread.values()].reduce((sum, count) => sum + count, 0);
  await note(REREAD, reread.drawn - unread, reread.drawn, reread.damage);
  return reread;
}

/** What a node lacks that cannot be compared with anything. */
const LACKING: Readonly<Record<string, string>> = {
  unindexed: "the node lists no module, not even of 0x1; its index may be missing",
  emptied: "the node lists no module of it; its index may be missing",
  account_not_found: "the node does not know the account",
};

function damageText({ table, row, problem }: Damage): string {
  return printable(`${table}${row === "" ? "" : ` ${row}`}: ${problem}`, 1000);
}

function summaryText({ findings, rebuilt, reread, signal, elapsedMs }: Verified, { db: path, limit }: VerifyFlags, width: number): string {
  const { checked, count, kinds } = findings;
  const isPart = signal !== undefined;
  const looked = [...checked].map(([name, { done, total }]) => {
    const of = isPart && done < total ? ` of ${grouped(total)}` : "";
    // One of `search indexes` is a `search index`, one of `tables of spans` a `table of spans`.
    const counted = done === 1 && of === "" ? name.replace(/(?:(?<=ss|x)es|s)\b/, "") : name;
    return `${grouped(done)}${of} ${counted}`;
  });
  const printed = count > limit ? `, the first ${grouped(limit)} printed,` : "";
  const verdict = count === 0 ? "nothing wrong" : `${plural(count, "finding")}${printed}`;
  const unread =
    reread === undefined
      ? []
      : [...reread.unread].map(([reason, n]) => `${plural(n, "account")} could not be read again: ${LACKING[reason] ?? reason}\n`);
  const found = `${verdict} in ${looked.join(", ")} (${formatDuration(elapsedMs)})`;
  const text = isPart ? `stopped by ${signal} before the end. The rest is not checked. So far: ${found}` : found;
  const summary = hangingText(`\`${printable(path)}\`: `, text, width, 2);
  const made = rebuilt === undefined ? "" : `the rows of ${plural(rebuilt, "bytecode")} made anew\n`;
  const advice = count === 0 ? "" : `${adviceOn(kinds, path)}\n`;
  return `${made}${summary}\n${unread.join("")}${advice}`;
}
