import type { Database } from "better-sqlite3";
import { formatHex } from "../../base/hex.ts";
import type { Address } from "../../move/address.ts";
import { traceTables } from "../../schema/tables/trace.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import { prepareChecksum } from "../connection/row-checksum.ts";
import { internAddress } from "../snapshots/pins.ts";
import { ABSENT } from "../work/findings.ts";
import type { ReportFinding } from "./merging.ts";
import { stagedTable } from "./staging.ts";

/** Point reads between snapshots on their way in. */
export type ImportedProbes = {
  readonly merge: (bytecodeId: (address: bigint, name: string, sha256: string, older: undefined) => bigint, report: ReportFinding) => void;
};

type ModuleRow = { readonly address: Address; readonly name: string; readonly ledger_version: bigint; readonly sha256: string | null };
type AccountRow = {
  readonly address: Address;
  readonly ledger_version: bigint;
  readonly sequence_number: string | null;
  readonly authentication_key: Uint8Array | null;
};

/** Prepares the bringing in of point reads. They stay what they are, one read at one version; what differs is a finding. */
export function prepareImportedProbes(database: Database, statements: HotStatements): ImportedProbes {
  const modules = database.prepare<[], ModuleRow>(
    `SELECT address, name, ledger_version, sha256 FROM ${stagedTable("archive_module_probes")}`,
  );
  const accounts = database.prepare<[], AccountRow>(
    `SELECT address, ledger_version, sequence_number, authentication_key FROM ${stagedTable("archive_account_probes")}`,
  );
  const findModule = database
    .prepare<[bigint, string, bigint], string | null>(
      "SELECT lower(hex(b.sha256)) FROM module_probes m LEFT JOIN bytecodes b ON b.id = m.bytecode_id WHERE m.address_id = ? AND m.name = ? AND m.ledger_version = ?",
    )
    .pluck();
  const findAccount = database.prepare<[bigint, bigint], Omit<AccountRow, "address" | "ledger_version">>(
    "SELECT sequence_number, authentication_key FROM account_probes WHERE address_id = ? AND ledger_version = ?",
  );
  const addModule = database.prepare<[bigint, string, bigint, bigint | null]>(
    "INSERT INTO module_probes (address_id, name, ledger_version, bytecode_id) VALUES (?, ?, ?, ?)",
  );
  const checkModule = prepareChecksum<[address: bigint, name: string, version: bigint]>(database, traceTables.module_probes);
  const checkAccount = prepareChecksum<[address: bigint, version: bigint]>(database, traceTables.account_probes);
  const addAccount = database.prepare<[bigint, bigint, string | null, Uint8Array | null]>(
    "INSERT INTO account_probes (address_id, ledger_version, sequence_number, authentication_key) VALUES (?, ?, ?, ?)",
  );

  return {
    merge: (bytecodeId, report) => {
      for (const { address, name, ledger_version: version, sha256 } of modules.all()) {
        const id = internAddress(statements, address);
        const stored = findModule.get(id, name, version);
        if (stored === undefined) {
          addModule.run(id, name, version, sha256 === null ? null : bytecodeId(id, name, sha256, undefined));
          checkModule(id, name, version);
        } else if ((stored || null) !== sha256) {
          const subject = `${address}::${name}`;
          report({
            kind: "module_probe",
            subject,
            fromVersion: version,
            toVersion: version,
            stored: stored || ABSENT,
            found: sha256 ?? ABSENT,
          });
        }
      }
      for (const { address, ledger_version: version, ...found } of accounts.all()) {
        const id = internAddress(statements, address);
        const stored = findAccount.get(id, version);
        if (stored === undefined) {
          addAccount.run(id, version, found.sequence_number, found.authentication_key);
          checkAccount(id, version);
        } else if (recordText(stored) !== recordText(found)) {
          const values = { stored: recordText(stored), found: recordText(found) };
          report({ kind: "account_probe", subject: address, fromVersion: version, toVersion: version, ...values });
        }
      }
    },
  };
}

function recordText({ sequence_number, authentication_key }: Omit<AccountRow, "address" | "ledger_version">): string {
  if (sequence_number === null || authentication_key === null) return ABSENT;
  return `sequence_number ${sequence_number} authentication_key 0x${formatHex(authentication_key)}`;
}
