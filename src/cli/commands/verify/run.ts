import { setImmediate as turn } from "node:timers/promises";
import { type Damage, openVerification, type Slice, type Verification } from "../../../archive/verify/verify.ts";
import { hangingText } from "../../../base/hanging-text.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { seededRandom } from "../../../base/random.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { type Reread, rereadSample } from "../../../crawl/check/reread.ts";
import type { StopReason } from "../../../crawl/run/stop.ts";
import type { ExitName } from "../../../exit-codes.ts";
import { dataWidth, type Io, openLog } from "../../io.ts";
import { chooseNode } from "../../options/node-options.ts";
import { withNode } from "../../options/node-session.ts";
import type { DatabaseFlags, NodeFlags } from "../../options/shared-flags.ts";
import { jsonLine } from "../../output/json-line.ts";
import { type ProgressLine, progressLine } from "../../output/progress-line.ts";
import { storeNotice } from "../../output/store-notices.ts";
import { type Repaired, repairDamage, repairJson, repairText } from "./repair.ts";

export type VerifyFlags = DatabaseFlags &
  NodeFlags & {
    readonly slice: Slice;
    readonly against?: string;
    readonly sample: number;
    readonly seed?: number;
    readonly repair?: boolean;
    readonly limit: number;
  };

type Signal = Exclude<StopReason, "budget">;

type DamageFound = {
  readonly checked: Map<string, { readonly done: number; readonly total: number }>;
  /** The first of them, as many as were asked for. */
  readonly shown: Damage[];
  readonly tables: Set<string>;
  count: number;
};

type Checking = { readonly check: string; readonly done: number; readonly total: number; readonly findings: number };

type VerifySession = {
  readonly flags: VerifyFlags;
  readonly io: Io;
  readonly archive: Verification;
  readonly findings: DamageFound;
  readonly line: ProgressLine<Checking>;
};

/** How long to work before looking whether the run was told to stop. */
const BREATH_MS = 50;

const noFindings = (): DamageFound => ({ checked: new Map(), shown: [], tables: new Set(), count: 0 });

/** Runs `verify`: what is stored first, then what is to be repaired, then the sample, if there is a node to ask. */
export async function runVerify(io: Io, flags: VerifyFlags): Promise<ExitName> {
  const startedMs = io.clock.monotonic();
  const wantsNode = flags.against !== undefined || flags.rpc !== undefined || flags.network !== undefined;
  const nodeFlags = flags.against === undefined ? flags : { ...flags, rpc: flags.against };
  if (flags.repair) chooseNode(nodeFlags, io);
  using line = progressLine<Checking>(
    io,
    openLog(io),
    ({ check, done, total, findings }) => `${done}/${total} ${check} · ${plural(findings, "finding")}`,
    (checking) => checking,
  );
  let archive: Verification | undefined = await openVerification(flags.db, storeNotice(io));
  try {
    let run: VerifySession = { flags, io, archive, line, findings: noFindings() };
    let signal: Signal | undefined = await checkStored(run);
    let repair: Repaired | undefined;
    if (flags.repair && signal === undefined && run.findings.count > 0) {
      await archive.close();
      archive = undefined;
      repair = await repairDamage(io, nodeFlags, run.findings.tables);
      archive = await openVerification(flags.db, storeNotice(io));
      line.end();
      if (!flags.json) await io.stdout(repairText(repair));
      // What was found stands where the repair was stopped before its end.
      if (repair.stoppedBy === undefined) {
        run = { flags, io, archive, line, findings: noFindings() };
        signal = await checkStored(run);
      } else run = { ...run, archive };
    }
    const { findings } = run;
    const reread = wantsNode && signal === undefined && repair?.stoppedBy === undefined ? await checkSample(run, nodeFlags) : undefined;
    signal ??= reread?.signal;
    line.end();
    const text = flags.json
      ? summaryJson(findings, reread, { repair, stoppedBy: signal ?? repair?.stoppedBy, slice: flags.slice })
      : summaryText(findings, reread, {
          signal,
          path: flags.db,
          limit: flags.limit,
          elapsedMs: io.clock.monotonic() - startedMs,
          width: dataWidth(io),
        });
    await io.stdout(text);
    if (findings.count > 0) return "corrupt";
    if (signal !== undefined) return signal === "SIGINT" ? "interrupted" : "terminated";
    return reread !== undefined && reread.agree === 0 ? "incomparable" : "done";
  } finally {
    await archive?.close();
  }
}

async function checkStored({ flags, io, archive, findings, line }: VerifySession): Promise<Signal | undefined> {
  let signal: Signal | undefined;
  const unlisten = io.onStopSignal((received) => {
    signal = received;
  });
  let breathedMs = io.clock.monotonic();
  try {
    for await (const { check, done, total, damage } of archive.run(flags.slice)) {
      findings.checked.set(check, { done, total });
      await note(damage, { flags, io, findings, line });
      line.show({ check, done, total, findings: findings.count });
      if (io.clock.monotonic() - breathedMs < BREATH_MS) continue;
      await turn();
      breathedMs = io.clock.monotonic();
      if (signal !== undefined) break;
    }
    return signal;
  } finally {
    unlisten();
  }
}

/** Reads the sample again. `signal` is what stopped it; that a budget did, `unread` says. */
async function checkSample(
  { flags, io, archive, findings, line }: VerifySession,
  nodeFlags: NodeFlags,
): Promise<Reread & { readonly signal: Signal | undefined }> {
  const reread = await withNode(io, nodeFlags, async ({ node, stop, choice }) => {
    const sample = await rereadSample({
      archive,
      node,
      stop,
      concurrency: choice.pace.concurrency,
      count: flags.sample,
      random: seededRandom(flags.seed ?? io.clock.now()),
      report: (done, total) => line.show({ check: "accounts read again", done, total, findings: findings.count }),
    });
    return { ...sample, signal: stop.reason === "budget" ? undefined : stop.reason };
  });
  const unread = [...reread.unread.values()].reduce((sum, count) => sum + count, 0);
  findings.checked.set("accounts read again", { done: reread.drawn - unread, total: reread.drawn });
  await note(reread.damage, { flags, io, findings, line });
  return reread;
}

async function note(damage: readonly Damage[], { flags, io, findings, line }: Omit<VerifySession, "archive">): Promise<void> {
  for (const one of damage) {
    findings.count += 1;
    findings.tables.add(one.table);
    if (findings.count > flags.limit) continue;
    if (flags.json) findings.shown.push(one);
    else {
      line.end();
      await io.stdout(`${damageText(one)}\n`);
    }
  }
}

function damageText({ table, row, problem }: Damage): string {
  return printable(`${table}${row === "" ? "" : ` ${row}`}: ${problem}`, 1000);
}

type SummaryFrame = {
  /** What stopped the checking. Of a repair, its own text says it. */
  readonly signal: Signal | undefined;
  readonly path: string;
  readonly limit: number;
  readonly elapsedMs: number;
  readonly width: number;
};

function summaryText(
  { checked, count }: DamageFound,
  reread: Reread | undefined,
  { signal, path, limit, elapsedMs, width }: SummaryFrame,
): string {
  const isPart = signal !== undefined;
  const looked = [...checked].map(([name, { done, total }]) => {
    const of = isPart && done < total ? ` of ${total.toLocaleString("en-US")}` : "";
    return `${done.toLocaleString("en-US")}${of} ${name}`;
  });
  const printed = count > limit ? `, the first ${limit.toLocaleString("en-US")} printed,` : "";
  const verdict = count === 0 ? "nothing wrong" : `${plural(count, "finding")}${printed}`;
  const unread =
    reread === undefined ? [] : [...reread.unread].map(([reason, n]) => `${plural(n, "account")} could not be read again: ${reason}\n`);
  const found = `${verdict} in ${looked.join(", ")} (${formatDuration(elapsedMs)})`;
  const text = isPart ? `stopped by ${signal} before the end. The rest is not checked. So far: ${found}` : found;
  const summary = hangingText(`\`${printable(path)}\`: `, text, width, 2);
  return `${summary}\n${unread.join("")}`;
}

function summaryJson(
  { checked, shown, count }: DamageFound,
  reread: Reread | undefined,
  {
    repair,
    stoppedBy,
    slice,
  }: { readonly repair: Repaired | undefined; readonly stoppedBy: StopReason | undefined; readonly slice: Slice },
): string {
  const sample = reread === undefined ? null : { drawn: reread.drawn, agree: reread.agree, unread: Object.fromEntries(reread.unread) };
  return jsonLine({
    ok: count === 0 && stoppedBy === undefined,
    stopped_by: stoppedBy ?? null,
    slice: `${slice.part + 1}/${slice.of}`,
    checked: Object.fromEntries([...checked].map(([name, { done }]) => [name.replaceAll(" ", "_"), done])),
    findings_count: count,
    repair: repair === undefined ? null : repairJson(repair),
    sample,
    findings: shown,
  });
}
