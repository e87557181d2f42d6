import { printable } from "../../base/printable.ts";
import { MovedexError } from "../../errors.ts";
import type { Address } from "../../move/address.ts";
import { formatModuleId } from "../../move/module-id.ts";
import type { Doubt } from "./doubts.ts";

type CrawlErrorKind = "pruned" | "misnamed" | "oversized" | "contradiction";

const kinds = new Map<string, CrawlErrorKind>([
  ["MOVEDEX_CRAWL_OVERTAKEN", "pruned"],
  ["MOVEDEX_CRAWL_MISNAMED", "misnamed"],
  ["MOVEDEX_CRAWL_OVERSIZED", "oversized"],
]);

/**
 * Answers of a node that contradict each other, or that cannot be stored. Each makes a gap of one account. Codes:
 * `MOVEDEX_CRAWL_OVERTAKEN`, `MOVEDEX_CRAWL_REPEATED`, `MOVEDEX_CRAWL_NAMELESS`, `MOVEDEX_CRAWL_MISNAMED`, `MOVEDEX_CRAWL_OVERSIZED`.
 */
export class CrawlError extends MovedexError {
  /** The class of a gap with this error; `pruned` where the version is no longer readable. */
  get kind(): CrawlErrorKind {
    return kinds.get(this.code) ?? "contradiction";
  }

  /** The horizon passed the pin while the account was read, so its listing may lack modules. */
  static overtaken(address: Address, version: bigint, oldest: bigint): CrawlError {
    const text = `the node pruned up to ${oldest} while it listed the modules of ${address} at ledger version ${version}. The list may be incomplete and was not kept.`;
    return new CrawlError("MOVEDEX_CRAWL_OVERTAKEN", text, { facts: { address, version, oldest } });
  }

  /** One listing names a module twice. */
  static repeated(address: Address, version: bigint, name: string): CrawlError {
    const text = `the node listed module \`${printable(name, 80)}\` of ${address} at ledger version ${version} more than once; the listing was not kept.`;
    return new CrawlError("MOVEDEX_CRAWL_REPEATED", text, { facts: { address, version, module: name } });
  }

  /** A module that cannot be what the node called it. On a ledger a module is stored under the name in its bytes, and below a size. */
  static doubtful({ kind, module, expected, found }: Doubt, version: bigint): CrawlError {
    const listed = printable(formatModuleId(module), 200);
    const [code, what] =
      kind === "module_name"
        ? (["MOVEDEX_CRAWL_MISNAMED", `the bytes of ${printable(found, 200)} as ${listed}`] as const)
        : (["MOVEDEX_CRAWL_OVERSIZED", `${found} as ${listed}, where a chain stores ${expected},`] as const);
    const text = `the node returned ${what} at ledger version ${version}: its storage or its cache is corrupt. Use another node.`;
    return new CrawlError(code, text, { facts: { address: module.address, version, module: module.name, found } });
  }

  /** A module whose name neither the node nor its bytes tell. */
  static nameless(address: Address, version: bigint): CrawlError {
    const text = `the node returned a module of ${address} at ledger version ${version} without an ABI, and its bytes are not readable; its name is unknown. A node that answers in BCS names every module: try --encoding bcs.`;
    return new CrawlError("MOVEDEX_CRAWL_NAMELESS", text, { facts: { address, version } });
  }
}
