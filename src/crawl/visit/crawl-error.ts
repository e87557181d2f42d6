import { printable } from "../../base/printable.ts";
import { MovedexError } from "../../errors.ts";
import type { Address } from "../../move/address.ts";

/**
 * Answers of a node that contradict each other, or that cannot be stored. Each makes a gap of one account.
 * Codes: `MOVEDEX_CRAWL_OVERTAKEN`, `MOVEDEX_CRAWL_REPEATED`, `MOVEDEX_CRAWL_NAMELESS`, `MOVEDEX_CRAWL_MISNAMED`.
 */
export class CrawlError extends MovedexError {
  /** Whether the pinned version is no longer readable. */
  get isPruned(): boolean {
    return this.code === "MOVEDEX_CRAWL_OVERTAKEN";
  }

  /** Whether a module's bytes are not those of the name they were listed under. */
  get isMisnamed(): boolean {
    return this.code === "MOVEDEX_CRAWL_MISNAMED";
  }

  /** The horizon passed the pin while the account was read, so its listing may lack modules. */
  static overtaken(address: Address, version: bigint, oldest: bigint): CrawlError {
    return new CrawlError(
      "MOVEDEX_CRAWL_OVERTAKEN",
      `the modules of ${address} at ledger version ${version} were being listed when the node pruned up to ${oldest}; what was read may be incomplete and was not kept.`,
      { facts: { address, version, oldest } },
    );
  }

  /** One listing names a module twice. */
  static repeated(address: Address, version: bigint, name: string): CrawlError {
    return new CrawlError(
      "MOVEDEX_CRAWL_REPEATED",
      `the node listed module \`${printable(name, 80)}\` of ${address} at ledger version ${version} more than once; the listing was not kept.`,
      { facts: { address, version, module: name } },
    );
  }

  /** Bytes that name themselves otherwise than the node does. On a ledger a module is stored under the name in its bytes. */
  static misnamed(address: Address, version: bigint, name: string, inBytes: string): CrawlError {
    return new CrawlError(
      "MOVEDEX_CRAWL_MISNAMED",
      `the node gave the bytes of ${printable(inBytes, 200)} as module \`${printable(name, 80)}\` of ${address} at ledger version ${version}: ` +
        "its storage or its cache is corrupt. The account was not kept; ask another node.",
      { facts: { address, version, module: name, in_bytes: inBytes } },
    );
  }

  /** A module whose name neither the node nor its bytes tell. */
  static nameless(address: Address, version: bigint): CrawlError {
    return new CrawlError(
      "MOVEDEX_CRAWL_NAMELESS",
      `the node gave a module of ${address} at ledger version ${version} without an ABI, and its bytes are not readable; its name is unknown. ` +
        "A node that answers in BCS names every module: try --encoding bcs.",
      { facts: { address, version } },
    );
  }
}
