import { chain, SEALED, snapshotColumns, snapshotValues, typed, type ViewColumnData, type ViewData } from "./view.ts";

const integer = (meaning: string): ViewColumnData => ({ type: "integer", meaning });

/** Whom each sealed snapshot has an answer about. */
export const coveredView: ViewData = {
  name: "covered_at",
  meaning: "Accounts that a sealed snapshot has an answer about, with or without a record and modules",
  columns: { ...snapshotColumns, has_record: integer("1 when the account has a record, 0 when it has none, as objects have none") },
  sqlite:
    `SELECT ${snapshotValues}, ` +
    `${typed(
      "EXISTS (SELECT 1 FROM account_spans r WHERE r.address_id = s.address_id AND r.from_version <= p.ledger_version " +
        "AND (r.to_version IS NULL OR r.to_version >= p.ledger_version))",
      "integer",
    )} AS has_record ` +
    `FROM coverage s JOIN pins p ON p.ledger_version >= s.from_version AND (s.to_version IS NULL OR p.ledger_version <= s.to_version) AND ${SEALED} ` +
    "JOIN addresses a ON a.id = s.address_id",
};

/** How much of the chain an answer is about. */
export const coverageViews: readonly ViewData[] = [
  {
    name: "snapshot_coverage",
    meaning: "How much a sealed snapshot has seen, and what it cannot speak of: whatever asks who uses something has to say this too",
    columns: {
      chain_id: integer("the chain"),
      ledger_version: integer("the sealed snapshot"),
      accounts_read: integer("accounts that answered"),
      modules_read: integer("their modules"),
      modules_undecoded: integer("of these, modules whose bytes could not be decoded: nothing is known of what is in them"),
      gaps: integer("accounts that did not answer; the view gaps says why"),
      accounts_elsewhere: integer("accounts that other snapshots read and this one did not"),
      accounts_never_read: integer("accounts whose modules are named in stored modules' bytecode and that no snapshot has read"),
    },
    sqlite:
      `SELECT ${chain}, p.ledger_version, p.accounts AS accounts_read, p.modules AS modules_read, ` +
      "CAST((SELECT count(*) FROM bytecodes b JOIN module_spans s ON s.bytecode_id = b.id AND s.from_version <= p.ledger_version " +
      "AND (s.to_version IS NULL OR s.to_version >= p.ledger_version) JOIN coverage c ON c.address_id = s.address_id " +
      "AND c.from_version <= p.ledger_version AND (c.to_version IS NULL OR c.to_version >= p.ledger_version) " +
      "WHERE b.abi_id IS NULL AND b.derived_by IS NOT NULL) AS INTEGER) AS modules_undecoded, " +
      "p.gaps, CAST((SELECT count(DISTINCT c.address_id) FROM coverage c) - p.accounts AS INTEGER) AS accounts_elsewhere, " +
      "CAST((SELECT count(DISTINCT m.address_id) FROM modules m WHERE NOT EXISTS (SELECT 1 FROM coverage c WHERE c.address_id = m.address_id)) AS INTEGER) AS accounts_never_read " +
      `FROM pins p WHERE ${SEALED}`,
  },
];
