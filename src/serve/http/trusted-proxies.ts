import { BlockList, isIP } from "node:net";
import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";

/** Whether the address that a request came from, `hop` proxies away, may name the one before it in `X-Forwarded-For`. */
export type TrustProxy = (address: string | undefined, hop: number) => boolean;

/**
 * Trusts the proxies of a list of addresses and subnets: `127.0.0.1, 10.0.0.0/8, ::1`. A peer without an address came by a
 * Unix socket, which only those may open whom its owner lets. @throws ConfigError for an entry that is neither
 */
export function trustedProxies(list: string): TrustProxy {
  const trusted = new BlockList();
  for (const entry of list.split(",").map((text) => text.trim())) addEntry(trusted, entry);
  return (address) => {
    if (address === undefined) return true;
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
    const family = isIP(plain);
    return family !== 0 && trusted.check(plain, family === 6 ? "ipv6" : "ipv4");
  };
}

function addEntry(trusted: BlockList, entry: string): void {
  const [address = "", prefix, ...rest] = entry.split("/");
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= most);
  if (family === 0 || !isPrefix || rest.length > 0) {
    throw new ConfigError(`A trusted proxy must be an address or a subnet such as 10.0.0.0/8, not \`${printable(entry, 100)}\``);
  }
  trusted.addSubnet(address, Number(prefix ?? most), family === 6 ? "ipv6" : "ipv4");
}
