import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { closing } from "../../core/base/async.ts";
import { printable } from "../../core/base/printable.ts";
import { proxySettings, readVariable } from "../../core/cli/config.ts";
import type { Io } from "../../core/cli/io.ts";
import type { RunWork } from "../../core/crawl/run/run-work.ts";
import { frameworkAccounts } from "../../core/crawl/targets/targets.ts";
import { ConfigError } from "../../core/errors.ts";
import type { Address } from "../../core/move/address.ts";
import { networks, unknownNode } from "../../core/node/networks.ts";
import { type LedgerNode, openNode } from "../../core/node/open-node.ts";
import { NodeError } from "../../core/node/protocol/node-error.ts";
import type { ArchiveFlags } from "./options.ts";

/** Accounts asked of an archive node at a time. */
export const ARCHIVE_CONCURRENCY = 2;

/** The archive node, not yet asked anything; without a node where nothing is pruned. `horizon` is the node's oldest version. */
export type ArchiveSession = AsyncDisposable & { readonly node: LedgerNode | undefined; readonly horizon: bigint; readonly rate: number };

/** Opens the archive node that was named, or that the node names, without the API key. @throws ConfigError */
export async function openArchive(
  flags: ArchiveFlags,
  io: Io,
  { node, stop, log }: Pick<RunWork, "node" | "stop" | "log">,
): Promise<ArchiveSession> {
  const { head } = await node.index(stop.signal);
  const rate = flags.archiveRate ?? (flags.network === undefined ? unknownNode.rate : networks[flags.network].rate);
  const horizon = head.oldestVersion;
  if (horizon === 0n) return closing({ node: undefined, horizon, rate, close: async () => {} });
  const named = flags.archive === "auto" ? await namedByNode(node, stop.signal) : (flags.archive as string);
  // For tests only, which have no public host.
  const loopback = io.env["MOVEDEX_TEST_LOOPBACK_ARCHIVE"] === "1";
  const archive = openNode({
    url: await requirePublicAddress(named, { loopback }),
    rate,
    concurrency: ARCHIVE_CONCURRENCY,
    encoding: flags.encoding,
    clock: io.clock,
    proxies: proxySettings(io.env),
    log,
    chainId: head.chainId,
    contact: readVariable(io.env, "MOVEDEX_CONTACT"),
    maxRequests: requestsLeft(flags, node),
  });
  return closing({ node: archive, horizon, rate, close: archive.close });
}

/** Does the archive's part of a run, after the node's. Undefined where the run's time is over before the archive has answered. */
export async function unlessTimeIsOver<T>({ stop, log }: Pick<RunWork, "stop" | "log">, part: () => Promise<T>): Promise<T | undefined> {
  try {
    return await part();
  } catch (error) {
    if (!stop.isTimeOver(error)) throw error;
    log("warn", "the time allowed was over before the archive node had answered; the same command continues");
    return undefined;
  }
}

/** What the node's gateway says of version 0, which it has pruned. @throws ConfigError when it names no archive */
async function namedByNode(node: LedgerNode, signal: AbortSignal): Promise<string> {
  try {
    await node.account(frameworkAccounts[0] as Address, { version: 0n }, signal);
  } catch (error) {
    if (!(error instanceof NodeError) || error.kind !== "pruned") throw error;
    if (error.archivalEndpoint !== undefined) return error.archivalEndpoint;
  }
  throw new ConfigError(`${node.url} names no archive node for pruned versions. Name one with --archive URL, or leave --archive out.`);
}

/** What is left of the run's requests; undefined where they are not limited. */
export function requestsLeft({ maxRequests }: ArchiveFlags, node: LedgerNode): number | undefined {
  return maxRequests === undefined ? undefined : Math.max(1, maxRequests - node.stats().requests);
}

/** Addresses that are no public hosts. Source: the IANA registries of special-purpose addresses. */
const SPECIAL =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16 " +
  "198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 " +
  "::/127 64:ff9b::/96 64:ff9b:1::/48 2002::/16 100::/64 2001:db8::/32 fc00::/7 fe80::/10 ff00::/8";
const special = new BlockList();
for (const subnet of SPECIAL.split(" ")) {
  const [net, bits] = subnet.split("/") as [string, string];
  special.addSubnet(net, Number(bits), isIP(net) === 4 ? "ipv4" : "ipv6");
}

export type Resolve = (host: string) => Promise<readonly string[]>;

const resolveHost: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Makes sure that an archive's address, perhaps from a stranger, leads to a public host over https and not into this network.
 * `loopback` allows HTTP to this machine. @returns the address @throws ConfigError
 */
export async function requirePublicAddress(
  text: string,
  { loopback = false, resolve = resolveHost }: { readonly loopback?: boolean; readonly resolve?: Resolve } = {},
): Promise<string> {
  const shown = printable(text.replace(/\/\/[^/@]*@/, "//…@"), 120);
  const refuse = (why: string): ConfigError =>
    new ConfigError(`the archive node's address \`${shown}\` is not asked: ${why}. Name another with --archive URL.`, {
      facts: { url: shown },
    });
  if (!URL.canParse(text)) throw refuse("it is not a URL");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") throw refuse("it holds a user name or password");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (loopback && url.protocol === "http:" && host === "127.0.0.1") return text;
  if (url.protocol !== "https:") throw refuse("it is not https");
  const addresses = isIP(host) > 0 ? [host] : await resolve(host).catch(() => []);
  if (addresses.length === 0) throw refuse("its name leads nowhere");
  if (addresses.some((address) => !isPublic(address))) throw refuse("it leads to this machine or a private network");
  return text;
}

function isPublic(address: string): boolean {
  const inside = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  const kind = isIP(inside);
  return kind > 0 && !special.check(inside, kind === 4 ? "ipv4" : "ipv6") && !/^::ffff:/i.test(inside);
}
