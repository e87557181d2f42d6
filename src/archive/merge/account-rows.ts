import type { Integer, Row, Transaction } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { hexOf } from "../../schema/sql/functions.ts";
import { internAddresses } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { type RecordCells, recordIn, type StoredRecord } from "../snapshots/records.ts";
import type { Span } from "./merge-spans.ts";
import type { AccountRows } from "./merging.ts";
import { staged } from "./staging.ts";

/** An account in the order of the merge: what is stored of it, and what the archive's parts hold, by part. */
export type AccountToMerge = {
  readonly id: Integer;
  readonly address: Address;
  readonly stored: Filling;
  readonly parts: ReadonlyMap<number, AccountRows>;
};

/** How many accounts are merged at a time. */
const PAGE = 200;

/** Number of the part that stands for what is stored. */
const STORED = -1;

type SpanHead = readonly [position: number, part: number, from: Integer, to: Integer | null];
type SpanRow = readonly [...SpanHead, ...rest: Row];

const stagedAddresses = sql`(SELECT address FROM ${staged.archive_coverage} UNION SELECT address FROM ${staged.archive_record_coverage} UNION SELECT address FROM ${staged.archive_accounts}
  UNION SELECT address FROM ${staged.archive_modules})`;
const everyAddress = sql`(SELECT address FROM ${stagedAddresses} AS seen UNION SELECT address FROM ${staged.archive_gaps}
  UNION SELECT address FROM ${staged.archive_module_probes} UNION SELECT address FROM ${staged.archive_account_probes})`;
const intern = internAddresses(everyAddress);
// Accounts that the archive says nothing of are there for their coverage alone, which new snapshots part.
const order = sql`SELECT row_number() OVER (ORDER BY length(a.address), a.address) AS position, a.id, a.address, max(o.seen) AS seen
  FROM (SELECT a.id, 1 AS seen FROM ${stagedAddresses} AS s JOIN _addresses a ON a.address = s.address
    UNION ALL SELECT c.address_id, 0 FROM _coverage c
      WHERE :oldest::version IS NOT NULL AND (c.to_version IS NULL OR c.to_version > :oldest::version)) AS o
  JOIN _addresses a ON a.id = o.id GROUP BY a.id, a.address`;
const indexOrder = sql`CREATE INDEX merge_order_position ON merge_order (position)`;

const inPage = sql`o.position > :after AND o.position <= :until`;
const accounts = sql`SELECT o.position, o.id, o.address FROM merge_order o WHERE ${inPage} ORDER BY o.position`;
const spanHead = sql`o.position, s.part, s.from_version, s.to_version`;
const ownSpanHead = sql`o.position, -1, s.from_version, s.to_version`;
const questions = {
  coverage: sql`SELECT ${spanHead} FROM merge_order o JOIN ${staged.archive_coverage} s ON s.address = o.address WHERE ${inPage}
    UNION ALL SELECT ${ownSpanHead} FROM merge_order o JOIN _coverage s ON s.address_id = o.id WHERE ${inPage} ORDER BY 1, 2, 3`,
  recordCoverage: sql`SELECT ${spanHead} FROM merge_order o JOIN ${staged.archive_record_coverage} s ON s.address = o.address WHERE ${inPage}
    UNION ALL SELECT ${ownSpanHead} FROM merge_order o JOIN _record_coverage s ON s.address_id = o.id WHERE ${inPage} ORDER BY 1, 2, 3`,
  records: sql`SELECT ${spanHead}, s.sequence_number, s.authentication_key, s.resource
    FROM merge_order o JOIN ${staged.archive_accounts} s ON s.address = o.address WHERE ${inPage}
    UNION ALL SELECT ${ownSpanHead}, s.sequence_number, s.authentication_key, s.resource
    FROM merge_order o JOIN _account_spans s ON s.address_id = o.id WHERE ${inPage} AND o.seen = 1 ORDER BY 1, 2, 3`,
  modules: sql`SELECT ${spanHead}, s.name, s.sha256 FROM merge_order o JOIN ${staged.archive_modules} s ON s.address = o.address WHERE ${inPage}
    UNION ALL SELECT ${ownSpanHead}, m.name, ${hexOf("b.sha256")} FROM merge_order o JOIN _listing_spans s ON s.address_id = o.id
    JOIN _listing_modules m ON m.listing_id = s.listing_id JOIN _bytecodes b ON b.id = m.bytecode_id WHERE ${inPage} AND o.seen = 1 ORDER BY 1, 2, 5, 3`,
  listings: sql`SELECT ${ownSpanHead}, l.digest FROM merge_order o JOIN _listing_spans s ON s.address_id = o.id JOIN _listings l ON l.id = s.listing_id
    WHERE ${inPage} AND o.seen = 1 ORDER BY 1, 3`,
};

/**
 * Puts the accounts that the merge may change into the order of digests, by their addresses' bytes: those of the archive, and where
 * it has new snapshots those whose coverage they part. `oldest` is the oldest new one.
 */
export async function orderAccounts(tx: Transaction, oldest: bigint | undefined): Promise<void> {
  await tx.run(intern);
  await tx.stageSelect("merge_order", order, { oldest: oldest ?? null });
  await tx.run(indexOrder);
}

/** The accounts in that order, as lists; the work on a list ends before the next one is read. */
export async function* accountPages(tx: Transaction): AsyncGenerator<readonly AccountToMerge[]> {
  for (let after = 0; ; after += PAGE) {
    const at = { after, until: after + PAGE };
    const page = await tx.all<[number, Integer, Address]>(accounts, at);
    if (page.length > 0) yield await readPage(tx, page, at);
    if (page.length < PAGE) return;
  }
}

type Filling = ReturnType<typeof nothing>;

async function readPage(
  tx: Transaction,
  page: readonly (readonly [number, Integer, Address])[],
  at: { readonly after: number; readonly until: number },
): Promise<AccountToMerge[]> {
  const parts = new Map<number, Map<number, Filling>>(page.map(([position]) => [position, new Map()]));
  const fill = async (question: keyof typeof questions, add: (to: Filling, span: Span<true>, cells: Row) => void) => {
    for (const [position, part, from, to, ...cells] of await tx.all<SpanRow>(questions[question], at)) {
      const account = parts.get(position) as Map<number, Filling>;
      const filling = account.get(part) ?? nothing();
      account.set(part, filling);
      add(filling, { from: BigInt(from), to: to === null ? null : BigInt(to), value: true }, cells);
    }
  };
  await fill("coverage", ({ coverage }, span) => coverage.push(span));
  await fill("recordCoverage", ({ recordCoverage }, span) => recordCoverage.push(span));
  await fill("records", ({ records }, { from, to }, cells) =>
    records.push({ from, to, value: recordIn(cells as unknown as RecordCells) as StoredRecord }),
  );
  await fill("modules", ({ modules }, { from, to }, [name, sha256]) => {
    const spans = modules.get(name as string);
    const span = { from, to, value: sha256 as string };
    if (spans === undefined) modules.set(name as string, [span]);
    else spans.push(span);
  });
  await fill("listings", ({ listed }, { from, to }, [digest]) => listed.push({ from, to, value: digest as Uint8Array }));
  return page.map(([position, id, address]) => {
    const own = parts.get(position) as Map<number, Filling>;
    const stored = own.get(STORED) ?? nothing();
    own.delete(STORED);
    return { id, address, stored, parts: own };
  });
}

function nothing() {
  return {
    coverage: [] as Span<true>[],
    recordCoverage: [] as Span<true>[],
    records: [] as Span<StoredRecord>[],
    modules: new Map<string, Span<string>[]>(),
    /** Digests of listings, of what is stored only. */
    listed: [] as Span<Uint8Array>[],
  };
}
