import type { Log } from "../../base/log.ts";
import { nodeUrl, proxySettings, readVariable } from "../../config.ts";
import { ConfigError } from "../../errors.ts";
import { type NetworkName, type NetworkPreset, networks } from "../../node/networks.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import type { DeclaredCommand } from "../declared-command.ts";
import type { Io } from "../io.ts";
import { parseDurationOption, parseRate, parseSharedRate, wholeNumber } from "./options.ts";

export type NodeFlags = {
  readonly rpc?: string;
  readonly network?: NetworkName;
  readonly nodeName?: string;
  readonly rate?: number;
  readonly sharedRate?: number;
  readonly concurrency?: number;
  readonly encoding: "auto" | "bcs" | "json";
  readonly maxRequests?: number;
  readonly acceptNewHistory?: boolean;
  readonly pageSize?: number;
  /** In milliseconds. */
  readonly maxDuration?: number;
};

/** For a node of which nothing is known, which belongs to another operator. */
const unknownNode = { rate: 5, concurrency: 4, lag: 0 } as const;

export function addNodeOptions(command: DeclaredCommand): DeclaredCommand {
  return command
    .optionsGroup("Source:")
    .option("-r, --rpc <url>", "the node's REST address, with its /v1 (or MOVEDEX_RPC_URL)")
    .choice("--network <name>", "a public network; sets the node and its rate", Object.keys(networks))
    .option("--node-name <name>", "store and show this name instead of the node's address, which may hold a key")
    .choice("--encoding <encoding>", "auto prefers BCS and falls back to JSON", ["auto", "bcs", "json"], "auto")
    .optionsGroup("Pace:")
    .option("-l, --rate <n>", `requests per second; 0 for no limit (default: the network's, else ${unknownNode.rate})`, parseRate)
    .option("--concurrency <n>", `concurrent requests (default: the network's, else ${unknownNode.concurrency})`, wholeNumber(1, 1000))
    .option("--max-requests <n>", "stop after n requests; the next run continues", wholeNumber(1, 1e15));
}

/** The options of a run that reads a ledger, perhaps with others. `maxDuration` says what `--max-duration` does where that differs. */
export function addSharingNodeOptions(
  command: DeclaredCommand,
  maxDuration = "stop after this time (90s, 30m, 6h …); the next run continues",
): DeclaredCommand {
  return addNodeOptions(command)
    .option(
      "--shared-rate <n>",
      "total requests per second of all workers that share a PostgreSQL database and a node; --rate still limits each one",
      parseSharedRate,
    )
    .option(
      "--accept-new-history",
      "continue once although nothing proves that the node's ledger is the stored one; use it when a run tells you to",
    )
    .option("--page-size <n>", "modules per page (default: the node's page size)", wholeNumber(1, 65_535))
    .option("--max-duration <time>", maxDuration, parseDurationOption);
}

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
  return { url, pace: { rate: flags.rate ?? flags.sharedRate ?? rate, concurrency: flags.concurrency ?? concurrency, lag } };
}

/** The pace chosen, and the one that an API key would give where the network's operator documents one. */
export function pacesOf({ pace }: NodeChoice, flags: NodeFlags): { readonly name: string; readonly perSecond: number }[] {
  const keyed = flags.network === undefined || flags.rpc !== undefined ? null : networks[flags.network].withKey;
  const withKey = keyed === null || keyed.rate <= pace.rate ? [] : [{ name: "the pace with an API key", perSecond: keyed.rate }];
  return [{ name: "this pace", perSecond: pace.rate }, ...withKey];
}

/** Opens the chosen node. Nothing is sent yet. */
export async function openChosenNode(choice: NodeChoice, flags: NodeFlags, io: Io, log: Log): Promise<LedgerNode> {
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
    apiKey: readVariable(io.env, "MOVEDEX_API_KEY"),
    contact: readVariable(io.env, "MOVEDEX_CONTACT"),
    chainId: flags.network === undefined ? undefined : (networks[flags.network].chainId ?? undefined),
    maxRequests: flags.maxRequests,
  });
}
