import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { printable } from "../../core/base/printable.ts";
import { ConfigError } from "../../core/errors.ts";

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
