import { formatHex } from "../../core/base/bytes.ts";
import { printable } from "../../core/base/printable.ts";
import { internAddressIds } from "../../core/db/archive/content/module-ids.ts";
import { findBytecodes } from "../../core/db/archive/content/observed-module.ts";
import { ABSENT } from "../../core/db/archive/nodes/sources.ts";
import { type RecordCells, recordIn } from "../../core/db/archive/snapshots/covering.ts";
import { storableVersion } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import type { Integer, Session, Transaction } from "../../core/db/engine/engine.ts";
import { hexOf } from "../../core/db/schema/sql/functions.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";
import { keepAccountProbe, keepModuleProbe } from "../trace/probes.ts";
import { type Contradictions, recordText } from "./compare-accounts.ts";
import { foreignAddress, foreignName, foreignRecord } from "./foreign-cells.ts";

const modules = sql<
  [Address, name: string, Integer, sha256: Uint8Array | null, source: string | null]
>`SELECT a.address, m.name, m.ledger_version, b.sha256, m.source FROM _module_probes m
  JOIN _addresses a ON a.id = m.address_id LEFT JOIN _bytecodes b ON b.id = m.bytecode_id ORDER BY m.address_id, m.name, m.ledger_version`;
const accounts = sql<
  [Address, Integer, sequence: string | null, key: Uint8Array | null, source: string | null]
>`SELECT a.address, m.ledger_version, m.sequence_number, m.authentication_key, m.source
  FROM _account_probes m JOIN _addresses a ON a.id = m.address_id ORDER BY m.address_id, m.ledger_version`;
const ownModule = sql<
  [sha256: string | null]
>`SELECT ${hexOf("b.sha256")} FROM _module_probes p LEFT JOIN _bytecodes b ON b.id = p.bytecode_id
  WHERE p.address_id = :address_id AND p.name = :name AND p.ledger_version = :ledger_version`;
const ownAccount = sql<RecordCells>`SELECT p.sequence_number, p.authentication_key, NULL FROM _account_probes p
  WHERE p.address_id = :address_id AND p.ledger_version = :ledger_version`;

/** Takes over the point reads of a foreign database, whose bytecode is stored. They stay what they are, one read at one version. */
export async function takeProbes(tx: Transaction, session: Session, contradictions: Contradictions): Promise<void> {
  for await (const rows of session.stream(modules)) {
    const ids = await internAddressIds(
      tx,
      rows.map(([address]) => foreignAddress(address)),
    );
    const digests = rows.map(([, , , sha256]) => (sha256 === null ? null : formatHex(sha256)));
    const bytecodes = await findBytecodes(
      tx,
      digests.filter((hex) => hex !== null),
    );
    for (const [i, [address, name, version, , source]] of rows.entries()) {
      const key = { address_id: ids.get(address) ?? null, name: foreignName(name), ledger_version: storableVersion(BigInt(version)) };
      const found = digests[i] ?? null;
      const own = await tx.first(ownModule, key);
      if (own === undefined) await keepModuleProbe(tx, key, bytecodes.get(found ?? ""), source && printable(source));
      else if (own[0] !== found) {
        const texts = { stored: own[0] ?? ABSENT, found: found ?? ABSENT };
        contradictions.add(key.ledger_version, { kind: "module_probe", subject: `${address}::${name}`, ...texts });
      }
    }
  }
  for await (const rows of session.stream(accounts)) {
    const ids = await internAddressIds(
      tx,
      rows.map(([address]) => foreignAddress(address)),
    );
    for (const [address, version, sequence, authenticationKey, source] of rows) {
      const key = { address_id: ids.get(address) ?? null, ledger_version: storableVersion(BigInt(version)) };
      const found = foreignRecord([sequence, authenticationKey, null]);
      const own = await tx.first(ownAccount, key);
      if (own === undefined) await keepAccountProbe(tx, key, found, source && printable(source));
      else if (recordText(recordIn(own)) !== recordText(found)) {
        const texts = { stored: recordText(recordIn(own)), found: recordText(found) };
        contradictions.add(key.ledger_version, { kind: "account_probe", subject: address, ...texts });
      }
    }
  }
}
