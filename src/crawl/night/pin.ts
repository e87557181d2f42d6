import type { SnapshotRequest } from "../../archive/snapshots/snapshot-queries.ts";
import { MovedexError } from "../../errors.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";

/** The version that a run is asked to read: the newest, an exact one, or a number of versions below the newest. */
export type VersionRequest =
  | { readonly kind: "latest" }
  | { readonly kind: "exact"; readonly version: bigint }
  | { readonly kind: "behind"; readonly versions: bigint };

type Readable = { readonly ledgerVersion: bigint; readonly oldestVersion: bigint };

/**
 * The version to read. The newest stays `lag` versions behind the head, so that other nodes of the address have it too.
 * @throws PinError `MOVEDEX_PIN_PRUNED` when the version is already gone, `MOVEDEX_PIN_FUTURE` when there is no such version
 */
export function choosePin(head: Readable, request: VersionRequest, lag: bigint): bigint {
  switch (request.kind) {
    case "latest": {
      const pin = head.ledgerVersion - lag;
      return pin < head.oldestVersion ? head.oldestVersion : pin;
    }
    case "behind":
      return readable(head, head.ledgerVersion - request.versions);
    case "exact":
      return readable(head, request.version);
  }
}

/** What a snapshot's row says of the node's newest version. */
export function headFacts(head: LedgerHead): Omit<SnapshotRequest, "ledgerVersion" | "now"> {
  const { chainId, ledgerVersion: headVersion, oldestVersion, timestampUsec, epoch, blockHeight } = head;
  return { chainId, headVersion, oldestVersion, headTimestampUsec: timestampUsec, headEpoch: epoch, headBlockHeight: blockHeight };
}

function readable(head: Readable, version: bigint): bigint {
  if (version < 0n) {
    const found = `there is no ledger version ${head.ledgerVersion - version} versions before the newest, which is ${head.ledgerVersion}`;
    throw new PinError("MOVEDEX_PIN_FUTURE", `${found}. Ask for fewer versions before it, or for a version by its number.`, {
      facts: { newest: head.ledgerVersion },
    });
  }
  const facts = { wanted: version, oldest: head.oldestVersion, newest: head.ledgerVersion };
  if (version < head.oldestVersion) {
    const found = `the node has pruned ledger version ${version}; its oldest readable version is ${head.oldestVersion}`;
    const advice = "Ask for a newer version, or for an archive node that still holds it.";
    throw new PinError("MOVEDEX_PIN_PRUNED", `${found}. ${advice}`, { facts, exit: "lost" });
  }
  if (version > head.ledgerVersion) {
    const found = `ledger version ${version} does not exist yet; the node's newest is ${head.ledgerVersion}`;
    const advice = "Ask for an older version, or leave out --ledger-version for the newest.";
    throw new PinError("MOVEDEX_PIN_FUTURE", `${found}. ${advice}`, { facts });
  }
  return version;
}

/** A ledger version that cannot be pinned. Codes: `MOVEDEX_PIN_PRUNED`, `MOVEDEX_PIN_FUTURE`. */
export class PinError extends MovedexError {}
