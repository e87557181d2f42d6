import type { ErrorCodeAbi } from "../../core/abi/model.ts";
import { LEDGER_VERSION_MAX } from "../../core/base/numbers.ts";
import { DAY_MS } from "../../core/base/time.ts";
import type { ModuleArchive } from "../../core/db/archive/read/module-archive.ts";
import { sealedAmong, statusQueries } from "../../core/db/archive/read/status-queries.ts";
import type { MadeAt } from "../../core/db/archive/times/ledger-times.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { rowOf, text, textsOf, version } from "../../core/db/engine/row-shape.ts";
import { bytesOf, hexOf, jsonEach } from "../../core/db/schema/sql/functions.ts";
import { moduleSpans } from "../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import { type Address, parseAddress } from "../../core/move/address.ts";
import type { ModuleId } from "../../core/move/module-id.ts";
import { type AbortCodeParts, abortCodeParts, findError } from "../effects/abort-codes.ts";
import { LAST, SPECIAL } from "../search/hits.ts";
import { parseAbortCode, parseAbortMessage } from "./abort-message.ts";

const withSha = rowOf({
  sha256: text(hexOf("b.sha256")),
  address: text<Address>("a.address"),
  name: text("s.name"),
  from: version("min(s.from_version)"),
});
const withCode = rowOf({
  address: text<Address>("a.address"),
  name: text("m.name"),
  error: text("e.name"),
  description: text("e.description"),
});
const withLabel = rowOf({ address: text<Address>("a.address"), label: text("t.label") });

/** A module as it stood with some bytes: the first snapshot that showed it so. */
type ModuleWithSha = ReturnType<typeof withSha.read>;

type ErrorOfModule = ReturnType<typeof withCode.read>;

const bySha = sql`SELECT ${withSha.columns} FROM _bytecodes b
  JOIN ${moduleSpans} s ON s.bytecode_id = b.id JOIN _addresses a ON a.id = s.address_id
  WHERE b.sha256 >= ${bytesOf(":low::text")} AND b.sha256 <= ${bytesOf(":high::text")} GROUP BY b.sha256, a.address, s.name
  ORDER BY b.sha256, length(a.address), a.address LIMIT :limit`;
const beginning = sql`SELECT a.address FROM _addresses a WHERE a.address >= :from AND a.address < :to
  AND EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = a.id) ORDER BY a.address LIMIT :limit`;
const labelled = sql`SELECT ${withLabel.columns} FROM _targets t JOIN _addresses a ON a.id = t.address_id
  WHERE t.label IS NOT NULL AND lower(t.label) LIKE '%' || :word::text || '%' ORDER BY length(t.label), a.address LIMIT :limit`;

// Errors of a code in the newest listings of accounts. Each table is read by what the one before it gives: of the ledger's own accounts by
// their modules, of all others by the code.
const coded = (tables: Sql): Sql => sql`SELECT ${withCode.columns} FROM ${tables}
  WHERE s.to_version IS NULL AND m.listing_id = s.listing_id AND b.id = m.bytecode_id AND x.id = b.abi_id AND q.error_map_id = x.error_map_id
    AND e.id = q.error_code_id AND e.code = :code::u64 AND a.id = s.address_id`;
const codedInOwn = sql`${coded(sql`${jsonEach(":special::json", "z")} CROSS JOIN _addresses a CROSS JOIN _listing_spans s CROSS JOIN _listing_modules m
  CROSS JOIN _bytecodes b CROSS JOIN _abis x CROSS JOIN _error_map_codes q CROSS JOIN _error_codes e`)} AND a.address = z.value LIMIT :limit`;
const codedElsewhere = sql`${coded(sql`_error_codes e CROSS JOIN _error_map_codes q CROSS JOIN _abis x CROSS JOIN _bytecodes b
  CROSS JOIN _listing_modules m CROSS JOIN _listing_spans s CROSS JOIN _addresses a`)}
  AND a.address NOT IN (SELECT z.value FROM ${jsonEach(":special::json", "z")}) LIMIT :limit`;

/** Finding by what identifies a thing, or the beginning of it. All lists are bounded by a limit. */
function identifierQueries(engine: Engine) {
  return {
    /** Modules by the first digits of the SHA-256 of their bytes, an even number of them. */
    modulesBySha: (digits: string, limit: number): Promise<ModuleWithSha[]> =>
      withSha.all(engine, bySha, { low: digits.padEnd(64, "0"), high: digits.padEnd(64, "f"), limit }),
    /** Accounts that a snapshot has an answer about, by the first characters of their address as nodes print it. */
    accountsBeginning: (from: string, limit: number): Promise<Address[]> =>
      textsOf<Address>(engine, beginning, { from, to: from + LAST, limit }),
    /** Errors to which modules give a code now, those of the ledger's own accounts first. */
    errorsOfCode: async (code: bigint, limit: number): Promise<ErrorOfModule[]> => {
      const values = { code: code.toString(), special: JSON.stringify(SPECIAL) };
      const own = await withCode.all(engine, codedInOwn, { ...values, limit });
      const others = own.length < limit ? await withCode.all(engine, codedElsewhere, { ...values, limit: limit - own.length }) : [];
      return [...own, ...others];
    },
    /** Accounts whose label has a text in it, whatever the case of its letters. */
    accountsLabelled: async (text: string, limit: number) => {
      // In LIKE, these two stand for others.
      const word = text.toLowerCase().replaceAll(/[%_\\]/g, "");
      return word.trim() === "" ? [] : withLabel.all(engine, labelled, { word, limit });
    },
  };
}

/** What a text that was pasted into a search names by itself, beside words. */
export type Pasted =
  | { readonly kind: "account"; readonly address: Address; readonly label: string | undefined }
  | { readonly kind: "module"; readonly module: ModuleWithSha }
  /** An abort: of a module where one is named and held, with what it says of the code; else with what modules say of the reason. */
  | {
      readonly kind: "abort";
      readonly code: bigint;
      readonly parts: AbortCodeParts;
      readonly module: ModuleId | undefined;
      readonly error: ErrorCodeAbi | undefined;
      readonly candidates: readonly ErrorOfModule[];
    }
  /** The snapshot at or before a ledger version or the end of a day; `isExact`: of that version, or made on that day. */
  | ({ readonly kind: "snapshot"; readonly version: bigint; readonly isExact: boolean } & MadeAt);

/** Things of a kind that are given. */
const LIMIT = 10;

/**
 * What a text names: an abort code or a whole message, a ledger version or a day, the SHA-256 of a module's bytes or its first digits, an
 * address or its beginning, the label of an account. A number may be several of these.
 */
export async function readPasted(modules: ModuleArchive, text: string): Promise<Pasted[]> {
  const { engine } = modules;
  const q = text.trim();
  if (q === "" || q.length > 10_000) return [];
  const found: Pasted[] = [];
  const message = parseAbortMessage(q);
  if (message !== undefined) found.push(await abortOf(modules, message.code, message.module));
  const code = parseAbortCode(q);
  // A small number is no code with a category, and far more often a version or a word.
  if (message === undefined && code !== undefined && code > 0xffffn && abortCodeParts(code).category !== undefined)
    found.push(await abortOf(modules, code, undefined));
  found.push(...(await snapshotsOf(engine, q)));
  found.push(...(await accountsOf(modules, q)));
  const digits = /^(?:0x)?([0-9a-f]{8,64})$/i.exec(q)?.[1]?.toLowerCase();
  if (digits !== undefined)
    for (const module of await identifierQueries(engine).modulesBySha(digits.slice(0, digits.length & ~1), LIMIT))
      if (module.sha256.startsWith(digits)) found.push({ kind: "module", module });
  if (q.length >= 3 && q.length <= 100 && !q.includes("::"))
    for (const { address, label } of await identifierQueries(engine).accountsLabelled(q, LIMIT))
      found.push({ kind: "account", address, label });
  return found;
}

async function abortOf(modules: ModuleArchive, code: bigint, module: ModuleId | undefined): Promise<Pasted> {
  const version = module === undefined ? undefined : await modules.newestCovering(module.address);
  const held = module === undefined || version === undefined ? undefined : await modules.findModule(module, version);
  const content = held === undefined ? undefined : await modules.content(held);
  const errors = content?.kind === "decoded" ? content.module.abi.errors : [];
  const parts = abortCodeParts(code);
  const candidates =
    held === undefined
      ? await identifierQueries(modules.engine).errorsOfCode(parts.category === undefined ? code : parts.reason, LIMIT)
      : [];
  return { kind: "abort", code, parts, module: held === undefined ? undefined : module, error: findError(errors, code)?.error, candidates };
}

async function snapshotsOf(engine: Engine, q: string): Promise<Pasted[]> {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(q) ? Date.parse(`${q}T00:00:00Z`) : Number.NaN;
  const plain = /^[\d,_]{1,25}$/.test(q) ? BigInt(q.replaceAll(/[,_]/g, "") || "0") : undefined;
  if (Number.isNaN(day) && (plain === undefined || plain > LEDGER_VERSION_MAX)) return [];
  const sealed = sealedAmong(await statusQueries(engine).listSnapshots());
  const newest = sealed[0]?.ledgerVersion ?? -1n;
  const snapshot = Number.isNaN(day)
    ? sealed.find(({ ledgerVersion }) => ledgerVersion <= (plain as bigint))
    : sealed.find(({ ledgerTime }) => ledgerTime !== null && ledgerTime < day + DAY_MS);
  // What was not there yet when the archive was last sealed is no version that it can say anything of.
  if (snapshot === undefined || (plain !== undefined && plain > newest)) return [];
  const { ledgerVersion: version, ledgerTime, ledgerTimeErrorMs } = snapshot;
  const isExact = plain === undefined ? ledgerTime !== null && ledgerTime >= day : plain === version;
  return [{ kind: "snapshot", version, isExact, ledgerTime, ledgerTimeErrorMs }];
}

async function accountsOf(modules: ModuleArchive, q: string): Promise<Pasted[]> {
  const whole = /^(?:0x[0-9a-f]{1,64}|[0-9a-f]{64})$/i.test(q) ? parseAddress(q) : undefined;
  const isHeld = whole !== undefined && (await modules.newestCovering(whole)) !== undefined;
  const exact: Pasted[] = isHeld ? [{ kind: "account", address: whole, label: undefined }] : [];
  // Explorers shorten addresses: the beginning is what is left of one.
  const begins = /^0x([0-9a-f]{4,63})(?:…|\.{2,3})?/i
    .exec(q)?.[0]
    ?.replace(/(?:…|\.+)$/, "")
    .toLowerCase();
  if (begins === undefined || q.includes("::") || /\s/.test(q)) return exact;
  const others = (await identifierQueries(modules.engine).accountsBeginning(begins, LIMIT)).filter((address) => address !== whole);
  return [...exact, ...others.map((address): Pasted => ({ kind: "account", address, label: undefined }))];
}
