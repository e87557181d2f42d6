import { sha256 } from "../../core/base/sha256.ts";
import { bindChain } from "../../core/db/archive/chain.ts";
import { type Bytecodes, bytecodeQueries } from "../../core/db/archive/content/bytecodes.ts";
import type { ModuleContent } from "../../core/db/archive/content/observed-module.ts";
import { addFindings } from "../../core/db/archive/nodes/sources.ts";
import { keepEstimate, keepTime } from "../../core/db/archive/times/ledger-times.ts";
import type { Engine, Integer, Session, Transaction } from "../../core/db/engine/engine.ts";
import { rowOf, version } from "../../core/db/engine/row-shape.ts";
import { engineWithin } from "../../core/db/engine/scope.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { addSource, addSourceSnapshot } from "../archival/sources.ts";
import { Contradictions } from "./compare-accounts.ts";
import { compareNodeAbis, takeBytecodes } from "./foreign-bytecodes.ts";
import { moment } from "./foreign-cells.ts";
import { takeProbes } from "./foreign-observations.ts";
import { digestOf, type ForeignArchive, type SnapshotFacts } from "./foreign-snapshots.ts";
import { replayQueries } from "./replay.ts";

export type ImportRequest = Pick<ForeignArchive, "path" | "session"> & {
  readonly chainId: number;
  /** Oldest first. */
  readonly snapshots: readonly SnapshotFacts[];
  readonly now: number;
};

export type ImportResult = Awaited<ReturnType<typeof importAll>>;

/** Bytecode that is imported without an account or version. */
export type ModuleFiles = {
  readonly name: string;
  /** Walked again where the transaction has to be done again. */
  readonly modules: () => Iterable<ModuleContent>;
  /** SHA-256 in hex that names them all. Called once they have been walked. */
  readonly digest: () => string;
};

const MODULES_AT_ONCE = 250;

export function importQueries(engine: Engine) {
  const bytecodes = bytecodeQueries(engine);
  return {
    /**
     * Replays the snapshots of another database in one transaction. The order in which databases are imported does not matter; what
     * contradicts the stored becomes a finding.
     * @throws StoreError `MOVEDEX_STORE_ARCHIVE`, `MOVEDEX_STORE_CHAIN`, `MOVEDEX_STORE_PIN` when a crawl of one of its versions is
     * unfinished here
     */
    importArchive: (request: ImportRequest): Promise<ImportResult> => engine.transaction((tx) => importAll(tx, bytecodes, request)),
    /** Stores bytecode without an account or version: no snapshot changes. Returns the number of new ones. */
    importModules: (files: ModuleFiles, now: number): Promise<number> =>
      engine.transaction(async (tx) => {
        let count = 0;
        for (const list of listsOf(files.modules(), MODULES_AT_ONCE)) {
          const seen = list.map((content) => ({ address: 0, module: { name: "", sha256: sha256(content.code), content } }));
          count += (await bytecodes.internAll(tx, seen)).filter(({ isNew }) => isNew).length;
        }
        await addSource(tx, { kind: "modules", name: files.name, digest: files.digest() }, now);
        return count;
      }),
  };
}

async function importAll(tx: Transaction, bytecodes: Bytecodes, { path, session, chainId, snapshots, now }: ImportRequest) {
  await bindChain(tx, chainId, "archive");
  const contradictions = new Contradictions(path);
  const replay = replayQueries(tx, engineWithin(tx), { chainId, bytecodes, session, contradictions });
  const accounts = new Set<Integer>();
  const newAccounts: number[] = [];
  let [newSnapshots, newAnswers, newBytecodes] = [0, 0, 0];
  for (const snapshot of snapshots) {
    const replayed = await replay(snapshot, (account) => accounts.add(account));
    newSnapshots += replayed.isFresh ? 1 : 0;
    newAnswers += replayed.newAnswers;
    newBytecodes += replayed.newBytecodes;
    newAccounts.push(replayed.newAnswers);
  }
  newBytecodes += await takeBytecodes(tx, session, bytecodes.internAll);
  await compareNodeAbis(tx, session, contradictions);
  await takeProbes(tx, session, contradictions);
  await takeTimes(tx, session);
  const source = await addSource(tx, { kind: "database", name: path, digest: digestOf(snapshots) }, now);
  for (const [i, { version, accounts, digest }] of snapshots.entries())
    await addSourceSnapshot(tx, source, { ledgerVersion: version, accounts, newAccounts: newAccounts[i] ?? 0, digest });
  await addFindings(tx, contradictions.all, now);
  return {
    snapshots: snapshots.length,
    newSnapshots,
    accounts: accounts.size,
    /** Answers (an account at a version) that nothing stored covered before. */
    newAnswers,
    newBytecodes,
    findings: contradictions.all.length,
  };
}

const time = rowOf({ version: version("t.ledger_version"), ms: moment("t.ledger_time"), errorMs: moment("t.error_ms") });
const times = sql`SELECT ${time.columns} FROM _ledger_times t ORDER BY t.error_ms, t.ledger_version`;

async function takeTimes(tx: Transaction, session: Session): Promise<void> {
  for await (const { version, ms, errorMs } of time.stream(session, times)) {
    if (errorMs === 0) await keepTime(tx, version, BigInt(ms) * 1000n);
    else await keepEstimate(tx, version, ms, errorMs);
  }
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
