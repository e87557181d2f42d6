import { closing } from "../../core/base/async.ts";
import { type Log, silentLog } from "../../core/base/log.ts";
import { formatDuration } from "../../core/base/time.ts";
import { nodeCredentials, proxySettings } from "../../core/cli/config.ts";
import type { Io } from "../../core/cli/io.ts";
import type { AgeFlags, DatabaseFlags, NodeFlags } from "../../core/cli/options/declared-command.ts";
import { chooseNode, type NodeChoice, openChosenNode } from "../../core/cli/options/node-session.ts";
import { readIfAble } from "../../core/cli/store-access.ts";
import { askFirst } from "../../core/crawl/check/first-answer.ts";
import { frameworkAccounts, type RecordCadence } from "../../core/crawl/targets/targets.ts";
import { CrawlError } from "../../core/crawl/visit/classify-failure.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { MovedexError } from "../../core/errors.ts";
import type { Address } from "../../core/move/address.ts";
import type { NodeIndex } from "../../core/node/answers/shapes.ts";
import type { LedgerNode } from "../../core/node/open-node.ts";
import type { Answer, LedgerHead } from "../../core/node/protocol/ledger-head.ts";
import { NodeError } from "../../core/node/protocol/node-error.ts";

/** One thing that `doctor` looked at: fine, worth knowing, or in the way of a night. */
export type CheckResult = {
  readonly state: "ok" | "warn" | "fail";
  /** `node`, `database`, or what a capability looks at. */
  readonly subject: string;
  readonly text: string;
};

/** What a check finds; if it fails, that in the words of the error. Bugs are thrown on. */
export async function tryCheck(subject: string, check: () => Promise<CheckResult[]>): Promise<CheckResult[]> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof MovedexError)) throw error;
    // A night brings older tables up to date.
    return [{ state: error.code === "MOVEDEX_STORE_OLDER" ? "warn" : "fail", subject, text: error.message }];
  }
}

export const ok = (subject: string, text: string): CheckResult => ({ state: "ok", subject, text });
export const fail = (subject: string, text: string): CheckResult => ({ state: "fail", subject, text });
export const warn = (subject: string, text: string): CheckResult => ({ state: "warn", subject, text });

export type DoctorFlags = DatabaseFlags &
  NodeFlags &
  AgeFlags & {
    readonly records?: RecordCadence;
    readonly forgetSample?: bigint;
  };

/** A person waits for the answer: a night would go on asking a busy node for 40 minutes. */
const PATIENCE = { limits: { attempts: 3, requestTimeoutMs: 20_000 } };

/** The ledger's time and this machine's may differ by this much before it is worth a word. */
const SKEW_MS = 120_000;

/** Looks at the node: who it is, how far back it reads, and whether it answers what a night asks. Seven requests. */
export async function checkNode(flags: DoctorFlags, io: Io): Promise<CheckResult[]> {
  return tryCheck("node", async () => {
    const choice = chooseNode(flags, io);
    await using node = closing(await openChosenNode(choice, flags, io, silentLog, PATIENCE));
    const look = (engine?: Engine) => tryCheck("node", () => lookAt(node, choice, { flags, io, engine }));
    // What is wrong with a database is said of it.
    const results = (await readIfAble(flags.db, look)) ?? (await look());
    return [...results, ...checkProxy(node, io)];
  });
}

type Asking = { readonly flags: DoctorFlags; readonly io: Io; readonly engine: Engine | undefined };

async function lookAt(node: LedgerNode, choice: NodeChoice, asking: Asking): Promise<CheckResult[]> {
  const first = await node.index().catch((error: unknown) => error);
  if (first instanceof NodeError && (first.status === 401 || first.status === 403))
    return [fail("node", first.message), warn("node", await whyRefused(choice, asking))];
  if (first instanceof Error) throw first;
  const { value, head } = first as Answer<NodeIndex>;
  const { rate } = choice.pace;
  const build = value.gitHash === undefined || value.gitHash === "" ? "" : `, build ${value.gitHash}`;
  return [
    ok("node", `${node.url} answers for chain ${head.chainId} as ${value.nodeRole}${build}`),
    ok("node", `readable versions: ${head.oldestVersion} to ${head.ledgerVersion} (${head.ledgerVersion - head.oldestVersion + 1n})`),
    checkClock(head, asking.io.clock.now()),
    ...(await tryCheck("node", () => checkHistory(node, asking))),
    ...(await tryCheck("node", () => checkAccount(node, head))),
    ...(await tryCheck("node", () => checkListing(node, head))),
    ok("node", rate > 0 ? `pace: at most ${rate} request${rate === 1 ? "" : "s"} a second` : "pace: no limit (--rate 0)"),
  ];
}

/** What the night could not know of a node that refuses access: whether it is the key. */
async function whyRefused(choice: NodeChoice, { flags, io }: Asking): Promise<string> {
  const { apiKey, basicAuth } = nodeCredentials(io.env);
  if (apiKey === undefined && basicAuth === undefined)
    return "ask the node's operator for a key. Cron and services do not have the variables of your shell: set it where they read theirs";
  const env = { ...io.env, MOVEDEX_API_KEY: undefined, MOVEDEX_BASIC_AUTH: undefined };
  await using open = closing(await openChosenNode(choice, flags, { ...io, env }, silentLog, PATIENCE));
  const isOpen = await open.index().then(
    () => true,
    () => false,
  );
  const credential = apiKey === undefined ? "password" : "key";
  return `the node ${isOpen ? "answers" : "does not answer either"} without it: the ${credential} is wrong, has run out, or is for another address`;
}

function checkProxy(node: LedgerNode, io: Io): CheckResult[] {
  const { http, https } = proxySettings(io.env);
  const proxy = node.proxy();
  if (proxy !== undefined) return [ok("node", `requests go through the proxy ${proxy}`)];
  if (http === undefined && https === undefined) return [];
  return [ok("node", "HTTP_PROXY or HTTPS_PROXY is set, and this node is asked without a proxy")];
}

/** Whether the node's ledger is the database's, as a night asks first. */
async function checkHistory(node: LedgerNode, { flags, io, engine }: Asking): Promise<CheckResult[]> {
  const found: CheckResult[] = [];
  const log: Log = (level, message) => void (level === "warn" && found.push(warn("node", message)));
  const stop = new AbortController();
  await askFirst({ node, engine, clock: io.clock, log, stop, acceptsNewHistory: flags.acceptNewHistory === true });
  return found;
}

function checkClock(head: LedgerHead, nowMs: number): CheckResult {
  const behindMs = nowMs - Number(head.timestampUsec / 1000n);
  if (Math.abs(behindMs) <= SKEW_MS) return ok("node", `ledger time and this machine's are ${formatDuration(Math.abs(behindMs))} apart`);
  const text =
    behindMs > 0
      ? `the node's newest version is ${formatDuration(behindMs)} old: it lags behind its chain, or this machine's clock is fast`
      : `the node's newest version is ${formatDuration(-behindMs)} in the future: this machine's clock is slow`;
  return warn("node", text);
}

async function checkAccount(node: LedgerNode, head: LedgerHead): Promise<CheckResult[]> {
  const { encoding } = await node.account(frameworkAccounts[0] as Address, { version: head.ledgerVersion });
  return [ok("node", `account records come as ${encoding.toUpperCase()}`)];
}

async function checkListing(node: LedgerNode, head: LedgerHead): Promise<CheckResult[]> {
  const address = frameworkAccounts[0] as Address;
  for await (const page of node.modulePages(address, { version: head.ledgerVersion, limit: 1 })) {
    if (page.value.length === 0) throw CrawlError.unindexed(node.url, head.ledgerVersion);
    return [ok("node", `modules can be listed, and come as ${page.encoding.toUpperCase()}`)];
  }
  return [warn("node", `the node gave no page of modules for ${address}`)];
}
