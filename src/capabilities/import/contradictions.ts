import { printable } from "../../core/base/printable.ts";
import type { Finding } from "../../core/db/archive/nodes/sources.ts";
import { StoreError } from "../../core/db/engine/errors.ts";

/** This number of contradictions means that the archive is of another ledger with the same chain id. */
const FINDINGS_MAX = 10_000;

/** Tells what is stored of something and what another archive has; where the two differ it is a finding. */
export type Compare = (kind: Finding["kind"], subject: string, stored: string, found: string) => void;

/** What an archive contradicts, gathered version by version: what differs in the same way at neighbours is one finding. */
export function contradictionsOf(origin: string) {
  const findings = new Map<string, Finding[]>();
  let count = 0;
  return {
    /** `before`: the version that was compared before this one. What it returns throws `MOVEDEX_STORE_CHAIN` for too many. */
    at:
      (version: bigint, before?: bigint): Compare =>
      (kind, subject, stored, found) => {
        if (stored === found) return;
        const key = JSON.stringify([kind, subject, stored, found]);
        const known = findings.get(key) ?? [];
        const last = known.at(-1);
        const joins = last !== undefined && last.toVersion === before;
        if (!joins && ++count > FINDINGS_MAX) throw tooMany(origin);
        const finding = { kind, subject, stored, found, fromVersion: joins ? last.fromVersion : version, toVersion: version, origin };
        findings.set(key, [...(joins ? known.slice(0, -1) : known), finding]);
      },
    all: (): readonly Finding[] => [...findings.values()].flat(),
  };
}

export type Contradictions = ReturnType<typeof contradictionsOf>;

function tooMany(name: string): StoreError {
  const text =
    `the archive \`${printable(name)}\` contradicts this database in more than ${FINDINGS_MAX} places: ` +
    "it comes from another ledger with the same chain id. Nothing was imported.";
  return new StoreError("MOVEDEX_STORE_CHAIN", text, { facts: { name } });
}
