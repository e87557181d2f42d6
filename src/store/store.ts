import { prepareStatements } from "./connection/hot-statements.ts";
import { type OpenOptions, openSqlite } from "./connection/open-sqlite.ts";
import { translateSqliteError } from "./connection/sqlite-errors.ts";
import { type ContentStore, prepareContent } from "./content/content.ts";
import { type ImportStore, prepareImports } from "./merge/importing.ts";
import { type ChangeStore, prepareChanges } from "./read/changes.ts";
import { type DiscoveryStore, prepareDiscovery } from "./read/discovery.ts";
import { type DrawStore, prepareDrawing } from "./read/sample-modules.ts";
import { prepareSearch, type SearchStore } from "./read/search.ts";
import { type OverviewStore, prepareOverview } from "./read/status-queries.ts";
import { type ExtendStore, prepareExtend } from "./snapshots/extend.ts";
import { type OpenGapStore, prepareOpenGaps } from "./snapshots/open-gaps.ts";
import { type PinStore, preparePins } from "./snapshots/pins.ts";
import { prepareSeal, type SealStore } from "./snapshots/seal.ts";
import { prepareVisits, type VisitStore } from "./snapshots/visits.ts";
import { type BackfillStore, prepareBackfill } from "./work/backfill.ts";
import { type ObservationStore, prepareObservations } from "./work/chain-fingerprint.ts";
import { type FindingStore, prepareFindings } from "./work/findings.ts";
import { type BuildStore, prepareBuilds } from "./work/node-builds.ts";
import { type ProbeStore, prepareProbes } from "./work/probes.ts";
import { prepareRuns, type RunStore } from "./work/runs.ts";
import { prepareTargets, type TargetStore } from "./work/targets.ts";

export type { SealResult } from "./snapshots/seal.ts";
export type { ModuleContent, ObservedModule } from "./snapshots/visit-model.ts";

/**
 * A movedex database. Calls are synchronous: SQLite works inside the process, and a transaction that could be
 * interleaved with others would protect nothing. Every failure of the database is a `StoreError`.
 */
export type Store = PinStore &
  ExtendStore &
  VisitStore &
  SealStore &
  TargetStore &
  DiscoveryStore &
  ObservationStore &
  OverviewStore &
  OpenGapStore &
  ChangeStore &
  RunStore &
  FindingStore &
  BuildStore &
  DrawStore &
  ImportStore &
  ProbeStore &
  SearchStore &
  BackfillStore &
  Pick<ContentStore, "readCode"> & {
    readonly path: string;
    /** Frees the lock. A store that was open for writing folds its log into the file first. */
    readonly close: () => void;
  };

/**
 * Opens a database file: `write` makes it when it is missing, takes the lock and migrates; `read` changes nothing.
 *
 * @throws StoreError, its code telling the reason, its sentence what to do
 */
export function openStore(path: string, options: OpenOptions): Store {
  const { database, close } = openSqlite(path, options);
  const statements = prepareStatements(database);
  const content = prepareContent(database, statements);
  const store: Store = {
    path,
    ...preparePins(database, statements),
    ...prepareExtend(database, statements),
    ...prepareVisits(database, statements, content),
    ...prepareSeal(database, statements),
    ...prepareTargets(database, statements),
    ...prepareDiscovery(database),
    ...prepareObservations(database),
    ...prepareOverview(database),
    ...prepareOpenGaps(database),
    ...prepareChanges(database),
    ...prepareRuns(database),
    ...prepareFindings(database),
    ...prepareBuilds(database),
    ...prepareDrawing(database),
    ...prepareImports(database, statements, content),
    ...prepareProbes(database, statements, content),
    ...prepareSearch(database),
    ...prepareBackfill(database, statements),
    readCode: content.readCode,
    close,
  };
  return translateFailures(store, path);
}

/** The same methods, with SQLite's failures in movedex's words: the one place where they are translated. */
function translateFailures<T extends object>(methods: T, path: string): T {
  const wrap = (name: string, method: unknown): unknown => {
    if (typeof method !== "function") return method;
    return (...args: unknown[]) => {
      try {
        return method(...args);
      } catch (error) {
        throw translateSqliteError(error, `${name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} in the database`, path);
      }
    };
  };
  return Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, wrap(name, method)])) as T;
}
