import { printable } from "../../base/printable.ts";
import { sha256 } from "../../base/sha256.ts";
import { compare } from "../../base/sorted.ts";
import type { Engine, Transaction } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { bindChain } from "../chain.ts";
import type { Bytecodes } from "../content/bytecodes.ts";
import type { ModuleContent } from "../content/visit-model.ts";
import { addFindings, addSource, type Finding } from "../nodes/sources.ts";
import { type AccountToMerge, accountPages, orderAccounts } from "./account-rows.ts";
import { importContent } from "./imported-content.ts";
import { beginPins, finishPins } from "./imported-pins.ts";
import { importProbes } from "./imported-probes.ts";
import { spansOver, versionsInside } from "./merge-spans.ts";
import { type AccountView, ArchiveTally, checkedView, joinParts, mergeAccount, type ReportFinding } from "./merging.ts";
import { type ArchivePiece, stageArchive } from "./staging.ts";
import { type MergedAccount, writeAccounts } from "./write-accounts.ts";

/** An archive to import, and what is known of it. */
export type ImportRequest = {
  readonly chainId: number;
  readonly kind: "database" | "export";
  /** The file or directory, for people. */
  readonly name: string;
  /** SHA-256 in hex that names the archive's content. */
  readonly digest: string;
  /** All rows of the archive, in any order. Walked again where the transaction has to be done again. */
  readonly rows: () => AsyncIterable<ArchivePiece>;
  readonly now: number;
};

export type ImportResult = Awaited<ReturnType<typeof mergeArchive>>;

/** Bytecode that is imported without an account or version. */
export type ModuleFiles = {
  readonly name: string;
  /** Walked again where the transaction has to be done again. */
  readonly modules: () => Iterable<ModuleContent>;
  /** SHA-256 in hex that names them all. Called once they have been walked. */
  readonly digest: () => string;
};

/** This number of contradictions means that the archive is of another ledger with the same chain id. */
const FINDINGS_MAX = 10_000;

/** How many files of bytecode are stored at a time. */
const MODULES_AT_ONCE = 250;

/** Bringing in what others observed. */
export function prepareImports(engine: Engine, { internAll }: Bytecodes) {
  return {
    /**
     * Merges a foreign archive in one transaction. The order in which archives are imported does not matter; what contradicts the
     * stored becomes a finding.
     * @throws StoreError `MOVEDEX_STORE_ARCHIVE`, `MOVEDEX_STORE_CHAIN`, `MOVEDEX_STORE_PIN` when a crawl of one of its versions is
     * unfinished here
     */
    importArchive: (request: ImportRequest): Promise<ImportResult> => engine.transaction((tx) => mergeArchive(tx, request, internAll)),
    /** Stores bytecode without an account or version: no snapshot changes. Returns the number of new ones. */
    importModules: (files: ModuleFiles, now: number): Promise<number> =>
      engine.transaction(async (tx) => {
        let count = 0;
        for (const list of listsOf(files.modules(), MODULES_AT_ONCE)) {
          const seen = list.map((content) => ({ address: 0, module: { name: "", sha256: sha256(content.code), content } }));
          count += (await internAll(tx, seen)).filter(({ isNew }) => isNew).length;
        }
        await addSource(tx, { kind: "modules", name: files.name, digest: files.digest() }, now);
        return count;
      }),
  };
}

async function mergeArchive(tx: Transaction, request: ImportRequest, internAll: Bytecodes["internAll"]) {
  await bindChain(tx, request.chainId, "archive");
  await stageArchive(tx, request.rows());
  const { snapshots, sequences, held } = await beginPins(tx);
  const versions = snapshots.map(({ version }) => version);
  const isHeld = new Set(held);
  const fresh = versions.filter((version) => !isHeld.has(version));
  await orderAccounts(tx, fresh[0]);
  const findings: Finding[] = [];
  const report = reporter(findings, request.name);
  const newBytecodes = await importContent(tx, report);

  const sequence = [...new Set([...held, ...versions])].sort(compare);
  const tally = new ArchiveTally(versions);
  const merge = (before: AccountToMerge): MergedAccount => {
    const covered = versionsInside(held, before.stored.coverage);
    const recorded = versionsInside(held, before.stored.recordCoverage);
    const found = viewOf(before, sequences);
    const content = found && mergeAccount(before.address, { ...before.stored, covered, recorded }, found, report);
    if (found !== undefined) tally.add(before.address, found, covered);
    // Snapshots that do not cover an account part its coverage.
    const coverage = spansOver(sequence, content?.covered ?? covered);
    return { before, coverage, recordCoverage: spansOver(sequence, content?.recorded ?? recorded), content };
  };
  let written = 0;
  for await (const page of accountPages(tx)) written += await writeAccounts(tx, page.map(merge), internAll);
  const totals = tally.finish();
  const source = await addSource(tx, request, request.now);
  await finishPins(tx, snapshots, { totals, isChanged: written > 0, source });
  await importProbes(tx, report);
  await addFindings(tx, findings, request.now);
  return {
    snapshots: snapshots.length,
    newSnapshots: fresh.length,
    /** Accounts that the archive covers at some version. */
    accounts: tally.accounts,
    /** Answers (an account at a version) that nothing stored covered before. */
    newAnswers: [...totals.values()].reduce((sum, { newAnswers }) => sum + newAnswers, 0),
    newBytecodes,
    findings: findings.length,
  };
}

/** What the archive saw of an account; undefined when nothing. @throws StoreError `MOVEDEX_STORE_ARCHIVE` when that is inconsistent */
function viewOf({ address, parts }: AccountToMerge, sequences: ReadonlyMap<number, readonly bigint[]>): AccountView | undefined {
  const views = [...parts].map(([part, rows]) => checkedView(address, sequences.get(part) ?? [], rows));
  return views.length === 0 ? undefined : joinParts(views);
}

function reporter(findings: Finding[], name: string): ReportFinding {
  return (finding) => {
    if (findings.length === FINDINGS_MAX) {
      const text =
        `the archive \`${printable(name)}\` contradicts this database in more than ${FINDINGS_MAX} places: ` +
        "it comes from another ledger with the same chain id. Nothing was imported.";
      throw new StoreError("MOVEDEX_STORE_CHAIN", text, { facts: { name } });
    }
    findings.push({ ...finding, origin: name });
  };
}

function* listsOf<T>(items: Iterable<T>, size: number): Generator<readonly T[]> {
  let list: T[] = [];
  for (const item of items) {
    if (list.push(item) < size) continue;
    yield list;
    list = [];
  }
  if (list.length > 0) yield list;
}
