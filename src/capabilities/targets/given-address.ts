import { ADDRESS_WANTED, parserOf, repeatable } from "../../core/cli/options/options.ts";
import { type Address, parseGivenAddress } from "../../core/move/address.ts";

/** Accounts to put on the list of targets: kept for every night, so no word is taken for an address that may be none. */
export const collectNewTarget = repeatable(
  parserOf((given): GivenAddress | undefined => {
    const address = parseGivenAddress(given);
    return address === undefined ? undefined : { address, given };
  }, ADDRESS_WANTED),
);

/** An address, and how a person wrote it. */
export type GivenAddress = { readonly address: Address; readonly given: string };
