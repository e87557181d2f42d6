import { SEALED } from "./view.ts";

// A coverage run that ends short of the version's neighbour among all snapshots ends at a snapshot of its own.

/** The newest sealed snapshot that covers an account and lies before a version, as an SQL expression; null when there is none. */
export function coveredBefore(address: string, version: string): string {
  return (
    `(SELECT max(p.ledger_version) FROM pins p WHERE ${SEALED} AND p.ledger_version <= ` +
    `(SELECT min(coalesce(c.to_version, ${version} - 1), ${version} - 1) FROM coverage c ` +
    `WHERE c.address_id = ${address} AND c.from_version < ${version} ORDER BY c.from_version DESC LIMIT 1))`
  );
}

/** The oldest sealed snapshot that covers an account and lies after a version. */
export function coveredAfter(address: string, version: string): string {
  return (
    `(SELECT min(p.ledger_version) FROM pins p WHERE ${SEALED} AND p.ledger_version >= ` +
    `(SELECT max(c.from_version, ${version} + 1) FROM coverage c ` +
    `WHERE c.address_id = ${address} AND (c.to_version IS NULL OR c.to_version > ${version}) ORDER BY c.from_version LIMIT 1))`
  );
}

/** Whether a sealed snapshot at exactly this version covers an account. */
export function coveredAt(address: string, version: string): string {
  return (
    `EXISTS (SELECT 1 FROM pins p JOIN coverage c ON c.from_version <= p.ledger_version AND (c.to_version IS NULL OR c.to_version >= p.ledger_version) ` +
    `WHERE p.ledger_version = ${version} AND ${SEALED} AND c.address_id = ${address})`
  );
}

/** The condition that a span stands at a version. */
export function standsAt(span: string, version: string): string {
  return `${span}.from_version <= ${version} AND (${span}.to_version IS NULL OR ${span}.to_version >= ${version})`;
}
