import { closing } from "../../base/async.ts";
import { packageVersion } from "../../base/files.ts";
import type { Log } from "../../base/log.ts";
import { plural } from "../../base/plural.ts";
import { openStop, type RunWork, type Stop, waitWhenBusy } from "../../crawl/run/run-work.ts";
import { bytecodeQueries } from "../../db/archive/content/bytecodes.ts";
import type { SharedWork } from "../../db/engine/database.ts";
import { databaseAt } from "../../db/engine/database-at.ts";
import { ConfigError, MovedexError } from "../../errors.ts";
import { type NetworkPreset, networks, unknownNode } from "../../node/networks.ts";
import type { LedgerNode, NodeOptions } from "../../node/open-node.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import { runQueries } from "../../work/runs/runs.ts";
import { openStore } from "../../work/store.ts";
import { credentialSource, nodeCredentials, nodeUrl, proxySettings, readVariable } from "../config.ts";
import { type Io, openLog, storeNotice } from "../io.ts";
import type { NodeFlags, RunFlags } from "./declared-command.ts";

/** What the flags and the environment come to. */
export type NodeChoice = { readonly url: string; readonly pace: Pick<NetworkPreset, "rate" | "concurrency" | "lag"> };

/** Which node, and at which pace; the network's numbers where the flags give none. @throws ConfigError when no node is named */
export function chooseNode(flags: NodeFlags, io: Io): NodeChoice {
  const preset: NetworkPreset | undefined = flags.network === undefined ? undefined : networks[flags.network];
  const url = nodeUrl(flags.rpc, preset, io.env);
  if (url === undefined) {
    throw new ConfigError(
      "no node is named. Give --network NAME or --rpc URL (with its /v1), or set MOVEDEX_RPC_URL. " +
        "To try movedex without a node, run `movedex demo`.",
    );
  }
  const { lag } = preset ?? unknownNode;
  // A key is of the operator of the preset's own address; what another address allows with it is not known.
  const isRaised = flags.rpc === undefined && readVariable(io.env, "MOVEDEX_API_KEY") !== undefined;
  const { rate, concurrency } = (isRaised ? preset?.withKey : undefined) ?? preset ?? unknownNode;
  return { url, pace: { rate: flags.rate ?? rate, concurrency: flags.concurrency ?? concurrency, lag } };
}

/** The pace chosen, and the one that an API key would give where the network's operator documents one. */
export function pacesOf({ pace }: NodeChoice, flags: NodeFlags): { readonly name: string; readonly perSecond: number }[] {
  const keyed = flags.network === undefined || flags.rpc !== undefined ? null : networks[flags.network].withKey;
  const withKey = keyed === null || keyed.rate <= pace.rate ? [] : [{ name: "the pace with an API key", perSecond: keyed.rate }];
  return [{ name: "this pace", perSecond: pace.rate }, ...withKey];
}

/** Opens the chosen node. Nothing is sent yet. */
export async function openChosenNode(
  choice: NodeChoice,
  flags: NodeFlags,
  io: Io,
  log: Log,
  patience: Pick<NodeOptions, "breaker" | "limits"> = {},
): Promise<LedgerNode> {
  const { openNode } = await import("../../node/open-node.ts");
  return openNode({
    url: choice.url,
    name: flags.nodeName,
    rate: choice.pace.rate,
    concurrency: choice.pace.concurrency,
    encoding: flags.encoding,
    clock: io.clock,
    proxies: proxySettings(io.env),
    log,
    ...nodeCredentials(io.env),
    credentialSource: credentialSource(io.env),
    contact: readVariable(io.env, "MOVEDEX_CONTACT"),
    chainId: flags.network === undefined ? undefined : (networks[flags.network].chainId ?? undefined),
    maxRequests: flags.maxRequests,
    ...patience,
  });
}

/** How long a run waits for a node that has not answered yet: long enough for a restart, and nobody watches a night that is lost. */
const RESTART_MS = 120_000;

/** How long accounts in progress are waited for after a signal: for a few answers, since to read such an account again costs no more. */
const GRACE_MS = 5000;

/** What a command that asks a node works with. */
export type NodeSession = {
  readonly io: Io;
  readonly choice: NodeChoice;
  readonly node: LedgerNode;
  readonly stop: Stop;
  readonly log: Log;
};

/**
 * Opens the chosen node for the length of `work`. Signals and `--max-duration` let accounts in flight finish first, if there is time.
 * @throws ConfigError when no node is named, MovedexError `MOVEDEX_SPENT` for a budget of requests that was spent before anything was read
 */
export async function withNode<T>(io: Io, flags: NodeFlags, work: (session: NodeSession) => Promise<T>): Promise<T> {
  const choice = chooseNode(flags, io);
  const log = openLog(io);
  const stop = openStop(io.clock);
  let opened: LedgerNode | undefined;
  const unlisten = io.onStopSignal((signal) => {
    // Before that nothing is in progress that could be finished.
    const isBegun = opened?.isReading() === true;
    if (isBegun && stop.reason === undefined) log("warn", `${signal}: finishing the accounts in progress; a second signal stops at once`);
    stop.request(signal);
    const endNow = (): void => stop.request(signal);
    if (!isBegun) endNow();
    else io.clock.sleep(GRACE_MS, stop.signal).then(endNow, () => undefined);
  });
  if (flags.maxDuration !== undefined) stop.endWithin(flags.maxDuration);
  try {
    await using node = closing(await openChosenNode(choice, flags, io, log, { breaker: { giveUpUnseenMs: RESTART_MS } }));
    opened = node;
    return await work({ io, choice, node, stop, log });
  } catch (error) {
    const failing = opened?.failures();
    const isSpent = error instanceof NodeError && error.kind === "budget_spent";
    if (opened === undefined || !isSpent) throw stop.explain(error, failing);
    const failed = failing === undefined ? "" : `, of which ${failing.attempts} failed, at last: ${failing.last}`;
    const advice =
      failing === undefined ? "Raise --max-requests (of the trace in a night: --trace-requests)" : "Ask `movedex doctor` about the node";
    const text = `the budget of this run is spent: ${plural(opened.stats().requests, "request")}${failed}. Nothing was read. ${advice}.`;
    throw new MovedexError("MOVEDEX_SPENT", text, { cause: error });
  } finally {
    stop.close();
    unlisten();
  }
}

/** Opens the database for a run, which may be one of several on a server. */
export async function openRun(
  beside: SharedWork,
  { db: path, ...flags }: RunFlags,
  { io, choice, node, stop, log }: NodeSession,
): Promise<AsyncDisposable & { readonly work: RunWork }> {
  const { clock } = io;
  const whenBusy = waitWhenBusy(clock, log, { stop, patience: io.patience });
  // A node that does not answer must not leave an empty database behind.
  if (!(await databaseAt(path).isThere({ whenBusy, ending: stop.signal }))) await node.index(stop.signal);
  const appVersion = packageVersion();
  await using opened = new AsyncDisposableStack();
  const onNotice = storeNotice(io);
  const { signal: ending, leftMs } = stop;
  const how = { mode: "write", now: clock.now, appVersion, onNotice, ending, leftMs, whenBusy, beside } as const;
  const { engine } = opened.use(await openStore(path, how));
  if (await runQueries(engine).hasAnsweredAt(node.url)) node.expect();
  const work: RunWork = {
    engine,
    host: databaseAt(path).isShareable ? io.host : undefined,
    bytecodes: bytecodeQueries(engine, { derives: true }),
    node,
    clock,
    stop,
    log,
    concurrency: choice.pace.concurrency,
    pageSize: flags.pageSize,
    appVersion,
    acceptsNewHistory: flags.acceptNewHistory === true,
  };
  return Object.assign(opened.move(), { work });
}
