import { printable } from "../../base/printable.ts";
import { StoreError } from "../../engine/errors.ts";
import type { Finding } from "../nodes/sources.ts";

/** This number of contradictions means that the archive is of another ledger with the same chain id. */
const FINDINGS_MAX = 10_000;

type Contradiction = Omit<Finding, "origin" | "fromVersion" | "toVersion">;

/** What an archive contradicts, gathered version by version: what differs in the same way at neighbours is one finding. */
export class Contradictions {
  readonly #name: string;
  readonly #findings = new Map<string, Finding[]>();
  #count = 0;

  constructor(name: string) {
    this.#name = name;
  }

  get all(): readonly Finding[] {
    return [...this.#findings.values()].flat();
  }

  /** `before`: the version that was compared before this one. @throws StoreError `MOVEDEX_STORE_CHAIN` for too many */
  add(version: bigint, { kind, subject, stored, found }: Contradiction, before?: bigint): void {
    const key = JSON.stringify([kind, subject, stored, found]);
    const findings = this.#findings.get(key) ?? [];
    const last = findings.at(-1);
    if (last !== undefined && last.toVersion === before) findings[findings.length - 1] = { ...last, toVersion: version };
    else {
      if (++this.#count > FINDINGS_MAX) throw this.#tooMany();
      findings.push({ kind, subject, fromVersion: version, toVersion: version, stored, found, origin: this.#name });
    }
    this.#findings.set(key, findings);
  }

  #tooMany(): StoreError {
    const text =
      `the archive \`${printable(this.#name)}\` contradicts this database in more than ${FINDINGS_MAX} places: ` +
      "it comes from another ledger with the same chain id. Nothing was imported.";
    return new StoreError("MOVEDEX_STORE_CHAIN", text, { facts: { name: this.#name } });
  }
}
