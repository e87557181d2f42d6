import { setImmediate as turn } from "node:timers/promises";
import { type Damage, openVerification, type Slice } from "../../../archive/verify/verify.ts";
import { closing } from "../../../base/closing.ts";
import { hangingText } from "../../../base/hanging-text.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { seededRandom } from "../../../base/random.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { type Reread, rereadSample } from "../../../crawl/check/reread.ts";
import type { ExitName } from "../../../exit-codes.ts";
import { dataWidth, type Io, openLog } from "../../io.ts";
import { chooseNode } from "../../options/node-options.ts";
import { withNode } from "../../options/node-session.ts";
import type { DatabaseFlags, NodeFlags } from "../../options/shared-flags.ts";
import { jsonLine } from "../../output/json-line.ts";
import { type ProgressLine, progressLine } from "../../output/progress-line.ts";
import { storeNotice } from "../../output/store-notices.ts";
import { type Repaired, repairDamage, repairText } from "./repair.ts";
import { type DamageFound, noFindings, type Signal, type Verified, verifyResult } from "./result.ts";

export type VerifyFlags = DatabaseFlags &
  NodeFlags & {
    readonly slice: Slice;
    readonly against?: string;
    readonly sample: number;
    readonly repair?: boolean;
    readonly limit: number;
  };

type Checking = { readonly check: string; readonly done: number; readonly total: number; readonly findings: number };

type VerifySession = { readonly flags: VerifyFlags; readonly io: Io; readonly line: ProgressLine<Checking> };

/** How long to work before looking whether the run was told to stop. */
const BREATH_MS = 50;

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
  const session = { flags, io, line };
  let stored = await checkStored(session);
  let repair: Repaired | undefined;
  if (flags.repair && stored.signal === undefined && stored.findings.count > 0) {
    repair = await repairDamage(io, nodeFlags, stored.findings.tables);
    line.end();
    if (!flags.json) await io.stdout(repairText(repair));
    // What was found stands where the repair was stopped before its end.
    if (repair.stoppedBy === undefined) stored = await checkStored(session);
  }
  const { findings } = stored;
  const isWhole = stored.signal === undefined && repair?.stoppedBy === undefined;
  const reread = wantsNode && isWhole ? await checkSample(session, findings, nodeFlags) : undefined;
  const signal = stored.signal ?? reread?.signal;
  line.end();
  const verified = { findings, repair, reread, signal, elapsedMs: io.clock.monotonic() - startedMs };
  await io.stdout(
    flags.json ? jsonLine(verifyResult.print({ ...verified, slice: flags.slice })) : summaryText(verified, flags, dataWidth(io)),
  );
  if (findings.count > 0) return "corrupt";
  if (signal !== undefined) return signal === "SIGINT" ? "interrupted" : "terminated";
  return reread !== undefined && reread.agree === 0 ? "incomparable" : "done";
}

/** Checks all that is stored, or a slice of it, until a signal stops it. */
async function checkStored(session: VerifySession): Promise<{ readonly findings: DamageFound; readonly signal: Signal | undefined }> {
  const { flags, io, line } = session;
  const findings = noFindings();
  let signal: Signal | undefined;
  await using archive = closing(await openVerification(flags.db, storeNotice(io)));
  using stack = new DisposableStack();
  stack.defer(
    io.onStopSignal((received) => {
      signal = received;
    }),
  );
  let breathedMs = io.clock.monotonic();
  for await (const { check, done, total, damage } of archive.run(flags.slice)) {
    findings.checked.set(check, { done, total });
    await note(damage, findings, session);
    line.show({ check, done, total, findings: findings.count });
    if (io.clock.monotonic() - breathedMs < BREATH_MS) continue;
    await turn();
    breathedMs = io.clock.monotonic();
    if (signal !== undefined) break;
  }
  return { findings, signal };
}

/** Reads the sample again. `signal` is what stopped it; that a budget did, `unread` says. */
async function checkSample(
  session: VerifySession,
  findings: DamageFound,
  nodeFlags: NodeFlags,
): Promise<Reread & { readonly signal: Signal | undefined }> {
  const { flags, io, line } = session;
  await using archive = closing(await openVerification(flags.db));
  const reread = await withNode(io, nodeFlags, async ({ node, stop, choice }) => {
    const sample = await rereadSample({
      archive,
      node,
      stop,
      concurrency: choice.pace.concurrency,
      count: flags.sample,
      random: seededRandom(io.clock.now()),
      report: (done, total) => line.show({ check: "accounts read again", done, total, findings: findings.count }),
    });
    return { ...sample, signal: stop.reason === "budget" ? undefined : stop.reason };
  });
  const unread = [...reread.unread.values()].reduce((sum, count) => sum + count, 0);
  findings.checked.set("accounts read again", { done: reread.drawn - unread, total: reread.drawn });
  await note(reread.damage, findings, session);
  return reread;
}

async function note(damage: readonly Damage[], findings: DamageFound, { flags, io, line }: VerifySession): Promise<void> {
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

function summaryText({ findings, reread, signal, elapsedMs }: Verified, { db: path, limit }: VerifyFlags, width: number): string {
  const { checked, count } = findings;
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
