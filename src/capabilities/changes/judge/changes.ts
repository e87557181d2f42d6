import { changedAt } from "../../../core/db/archive/times/ledger-times.ts";
import type { Engine } from "../../../core/db/engine/engine.ts";
import {
  condition,
  orNull,
  orUndefined,
  rowOf,
  rowOfColumns,
  stored,
  text,
  version,
  versionsOf,
  whole,
} from "../../../core/db/engine/row-shape.ts";
import { recordCoverage } from "../../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../../core/db/schema/sql/sql.ts";
import type { Address } from "../../../core/move/address.ts";
import type { Among } from "../change-steps.ts";
import type { ChangeSummary, Item, Rename } from "../compare/finding.ts";
import type { RuleId } from "../compare/rules/rules.ts";
import type { Severity } from "../compare/severity.ts";
import { RULES_VERSION } from "../tables.ts";
import { judgedChangeRows, keyRotationRows, moduleChangeRows } from "../views.ts";

/** A stretch of snapshots: those above one version, up to another. */
export type VersionRange = { readonly after: bigint; readonly upTo: bigint };

const boundsIn = (rows: "changes" | "rotations") => ({
  afterVersion: version("after_version"),
  atOrBeforeVersion: version("at_or_before_version"),
  isExact: condition("is_exact"),
  ...changedAt(`${rows}.after_version`, `${rows}.at_or_before_version`),
});

const changeFields = {
  address: text<Address>("address"),
  module: text("module"),
  from: orNull(text("from_sha256")),
  to: orNull(text("to_sha256")),
  /** Whether the ABI as the node prints it changed; null when one of the two cannot be decoded. */
  abiChanged: orNull(condition("abi_changed")),
  ...boundsIn("changes"),
};

const moduleChange = rowOf(changeFields);

const amount = (name: Severity | "refused") => whole(`coalesce(${name}_findings, 0)`);
const level = (name: string) => orUndefined(text<Severity>(name));
const judgement = rowOf({
  severity: orUndefined(text<Severity | "unclear">("severity")),
  callers: level("for_callers"),
  clients: level("for_clients"),
  readers: level("for_readers"),
  breaking: amount("breaking"),
  dangerous: amount("dangerous"),
  behaviour: amount("behaviour"),
  safe: amount("safe"),
  silent: amount("silent"),
  refused: amount("refused"),
  rule: orUndefined(text<RuleId>("worst_rule")),
  kind: orUndefined(text<Item["kind"]>("worst_item_kind")),
  item: orNull(text("worst_item")),
  reason: orUndefined(text("reason")),
  rules: whole(`coalesce(rules, ${RULES_VERSION})`),
  renames: stored<readonly string[]>("renames"),
});

/** An account's new key, in the rows of `keyRotationRows` as `rotations`: keys as 0x and hex, null where there was no record. */
export const keyRotation = rowOf({
  address: text<Address>("address"),
  from: orNull(text("from_key")),
  to: orNull(text("to_key")),
  ...boundsIn("rotations"),
});

const newAccount = rowOf({
  address: text<Address>("address"),
  ledgerVersion: version("ledger_version"),
  /** No snapshot before looked at it, so it may be as old as the ledger; otherwise it had neither record nor module. */
  isFirstRead: condition("is_first_read"),
});

/** A module that was added (`from` is null), removed (`to` is null) or changed. SHA-256 as 64 hex digits. */
export type ModuleChange = ReturnType<typeof moduleChange.read>;

/** What makes a change the same wherever and whenever it is seen. */
export type ChangedModule = Pick<ModuleChange, "address" | "module" | "from" | "to">;

/** A change by its module and the bytes before and after. */
export function changeKey({ address, module, from, to }: ChangedModule): string {
  return `${address}::${module} ${from} ${to}`;
}

/** A change with the judgement that is stored of it; undefined where none of the present rules is. */
export type JudgedChange = ModuleChange & { readonly summary: ChangeSummary | undefined };

/** The fields of a judged change, in the rows of `judgedChangeRows` as `changes`. */
export const judgedChange = rowOfColumns<JudgedChange>(sql`${moduleChange.columns}, ${judgement.columns}`, (row) => ({
  ...moduleChange.read(row),
  summary: summaryIn(judgement.read(row.slice(Object.keys(changeFields).length))),
}));

function summaryIn(row: ReturnType<typeof judgement.read>): ChangeSummary | undefined {
  const { severity, callers, clients, readers, refused, rule, kind, item, reason } = row;
  if (severity === undefined || row.rules !== RULES_VERSION) return undefined;
  const levels = Object.entries({ callers, clients, readers }).filter(([, level]) => level !== undefined);
  return {
    worst: severity === "unclear" ? undefined : severity,
    forAudience: Object.fromEntries(levels),
    counts: { breaking: row.breaking, dangerous: row.dangerous, behaviour: row.behaviour, safe: row.safe, silent: row.silent },
    refused,
    first: rule === undefined || kind === undefined ? undefined : { rule, item: { kind, name: item } },
    reason,
    renamed: row.renames.map(renameIn),
  };
}

/** `function a b`. */
function renameIn(words: string): Rename {
  const [kind, from, to] = words.split(" ") as [Rename["kind"], string, string];
  return { kind, from, to };
}

/** An account that is new to the database, at the first snapshot that shows it. */
export type NewAccount = ReturnType<typeof newAccount.read>;

const within = sql`ledger_version > :after AND ledger_version <= :upTo`;
const inOrder = sql`ORDER BY length(address), address`;
const modules = sql`SELECT ${judgedChange.columns} FROM (${judgedChangeRows}) changes
  WHERE ${within} ${inOrder}, module, at_or_before_version`;
const keys = sql`SELECT ${keyRotation.columns} FROM (${keyRotationRows()}) rotations
  WHERE ${within} ${inOrder}, at_or_before_version`;
const firstSeen = sql`SELECT a.address, min(s.from_version) AS ledger_version,
    CASE WHEN (SELECT min(c.from_version) FROM _coverage c WHERE c.address_id = a.id) = min(s.from_version)
      OR ((SELECT min(k.from_version) FROM ${recordCoverage} k WHERE k.address_id = a.id) = min(s.from_version)
        AND min(s.listed) IS DISTINCT FROM min(s.from_version)) THEN 1 ELSE 0 END AS is_first_read
  FROM (SELECT address_id, from_version, NULL AS listed FROM _account_spans UNION ALL
    SELECT x.address_id, x.from_version, x.from_version FROM _listing_spans x WHERE x.listing_id IS NOT NULL) s
  JOIN _addresses a ON a.id = s.address_id GROUP BY a.id, a.address`;
const accounts = sql`SELECT ${newAccount.columns} FROM (${firstSeen}) seen WHERE ${within} ${inOrder}`;

const itsAccount = sql`(SELECT i.id FROM _addresses i WHERE i.address = :address)`;
const changesSince = (among: Among): Sql => sql`SELECT ${moduleChange.columns} FROM (${moduleChangeRows(among)}) changes
  WHERE at_or_before_version > :since ORDER BY at_or_before_version DESC, module LIMIT CAST(:limit AS int)`;
const ofAccount: Among = (row) => sql`${row}.address_id = ${itsAccount}`;
const accountChanges = changesSince(ofAccount);
const moduleChanges = changesSince((row) => sql`${ofAccount(row)} AND ${row}.name = :module`);
const listingsBack = sql`SELECT s.from_version FROM _listing_spans s WHERE s.address_id = ${itsAccount} ORDER BY s.from_version DESC
  LIMIT 1 OFFSET CAST(:back AS int)`;

const FIRST_LISTINGS = 4;

/** What snapshots show that those before did not. All lists are in the order of addresses, read as they are walked. */
export function changeQueries(engine: Engine) {
  return {
    moduleChanges: ({ after, upTo }: VersionRange) => judgedChange.stream(engine, modules, { after, upTo }),
    /** Module changes as one list, by a statement that stays prepared: pages ask for a few nights, again and again. */
    listModuleChanges: ({ after, upTo }: VersionRange): Promise<readonly JudgedChange[]> =>
      judgedChange.all(engine, modules, { after, upTo }),
    keyRotations: ({ after, upTo }: VersionRange) => keyRotation.stream(engine, keys, { after, upTo }),
    newAccounts: ({ after, upTo }: VersionRange) => newAccount.stream(engine, accounts, { after, upTo }),
    /** Changes of an account's modules, or of one of them, the newest first, at most `limit`. */
    changesOf: async (
      { address, module }: { readonly address: Address; readonly module?: string },
      limit: number,
    ): Promise<readonly ModuleChange[]> => {
      // Each listing that is compared with the one before costs all of its modules: those of an account are taken from the newest on,
      // a few at first, until there are enough changes. One module's are few, whatever the account has.
      for (let back = module === undefined ? FIRST_LISTINGS : Number.POSITIVE_INFINITY; ; back *= 4) {
        const [since] = Number.isFinite(back) ? await versionsOf(engine, listingsBack, { address, back }) : [];
        const values = { address, limit, since: since ?? -1n, module: module ?? null };
        const found = await moduleChange.all(engine, module === undefined ? accountChanges : moduleChanges, values);
        if (found.length >= limit || since === undefined) return found;
      }
    },
  };
}
