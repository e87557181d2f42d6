import { type BackfillStore, prepareBackfill } from "./backfill.ts";
import { type BuildStore, prepareBuilds } from "./builds.ts";
import { type ChangeStore, prepareChanges } from "./changes.ts";
import { type ContentStore, prepareContent } from "./content.ts";
import { type DiscoveryStore, prepareDiscovery } from "./discovery.ts";
import { type DrawStore, prepareDrawing } from "./draw-modules.ts";
import { type ExtendStore, prepareExtend } from "./extend.ts";
import { type FindingStore, prepareFindings } from "./findings.ts";
import { type ImportStore, prepareImports } from "./importing.ts";
import { type ObservationStore, prepareObservations } from "./observations.ts";
import { type OpenGapStore, prepareOpenGaps } from "./open-gaps.ts";
import { type OpenOptions, openSqlite } from "./open-sqlite.ts";
import { type OverviewStore, prepareOverview } from "./overview.ts";
import { type PinStore, preparePins } from "./pins.ts";
import { type ProbeStore, prepareProbes } from "./probes.ts";
import { prepareRuns, type RunStore } from "./runs.ts";
import { prepareSeal, type SealStore } from "./seal.ts";
import { prepareSearch, type SearchStore } from "./search.ts";
import { translateSqliteError } from "./sqlite-errors.ts";
import { prepareStatements } from "./sqlite-statements.ts";
import { prepareTargets, type TargetStore } from "./targets.ts";
import { prepareVisits, type VisitStore } from "./visits.ts";

export type { AccountRecord, ModuleContent, ObservedModule } from "./observed.ts";
export type { SealResult } from "./seal.ts";

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
