import type { Log } from "../../base/log.ts";
import { nodeCredentials, nodeUrl, proxySettings, readVariable } from "../../config.ts";
import { ConfigError } from "../../errors.ts";
import { type NetworkPreset, networks, unknownNode } from "../../node/networks.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import type { Io } from "../io.ts";
import type { NodeFlags } from "./shared-flags.ts";

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
    ...nodeCredentials(io.env),
    contact: readVariable(io.env, "MOVEDEX_CONTACT"),
    chainId: flags.network === undefined ? undefined : (networks[flags.network].chainId ?? undefined),
    maxRequests: flags.maxRequests,
  });
}
