import { closing } from "../../core/base/async.ts";
import type { StoredContent } from "../../core/db/archive/content/stored-content.ts";
import { type ModuleArchive, openModuleArchive } from "../../core/db/archive/read/module-archive.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import type { ChangeSummary } from "../changes/compare/finding.ts";
import { compareSeverities, type Severity } from "../changes/compare/severity.ts";
import { weighChanges } from "../changes/diff/sides.ts";
import { changeKey, type JudgedChange, type VersionRange } from "../changes/judge/changes.ts";
import { byteCache } from "../serve/http/bounds.ts";
import { type Console, openConsole } from "./console.ts";

export type PageArchive = {
  readonly modules: ModuleArchive;
  readonly engine: Engine;
  readonly weighChanges: ReturnType<typeof changeSummaries>;
  /** Answers readers' questions in SQL. */
  readonly console: Console;
  readonly close: () => Promise<void>;
};

/** What pages take of a server: they are made two at a time, and wait for no statement longer than this. */
const LIMITS = { connections: 6, statementTimeoutMs: 30_000 } as const;

/** Opens a database for the pages; nothing in it is changed. @throws StoreError */
export async function openPageArchive(path: string, sqlMs?: number): Promise<PageArchive & AsyncDisposable> {
  const { close, ...archive } = await openModuleArchive(path, LIMITS);
  const modules = withRememberedContent(archive);
  const console = openConsole(path, sqlMs);
  return closing({
    modules,
    engine: modules.engine,
    weighChanges: changeSummaries(modules),
    console,
    close: async () => {
      console.close();
      await close();
    },
  });
}

/** Bytes of memory for modules that were read. */
const REMEMBERED_BYTES = 32 * 1024 * 1024;

/** A read module takes about 6 times its bytecode (measured over 600 of the recorded releases). */
const bytesOf = ({ bytes }: StoredContent): number => 7 * bytes.length + 2_000;

/**
 * The same archive with what its modules hold kept in memory: a page, its comparison with the version before and the same
 * page with private functions ask for one module again and again. Bytecode is never changed nor deleted, so its row names it.
 */
function withRememberedContent(archive: ModuleArchive): ModuleArchive {
  const read = byteCache<StoredContent>(REMEMBERED_BYTES);
  return {
    ...archive,
    content: async (module) => {
      const key = String(module.bytecode);
      const known = read.get(key);
      if (known !== undefined) return known;
      const content = await archive.content(module);
      read.set(key, content, bytesOf(content));
      return content;
    },
  };
}

/** Summaries that are remembered, and changes that are weighed for one visitor. */
const [KEPT, WEIGHED] = [20_000, 1_000];

/** A change, and how bad it is for those who use what changed. */
export type WeighedChange = { readonly change: JudgedChange; readonly summary: ChangeSummary };

/**
 * Weighs changes of a stretch as `diff` does, once; `made` counts those that were not known yet. What is stored says how bad a change is
 * for possible users: that stands for the mildest of very many, until the next visitor. Who uses a module is known of a snapshot with so
 * many `gaps`. A change that is neither stored nor weighed is left out.
 */
function changeSummaries(archive: ModuleArchive) {
  const remembered = byteCache<ChangeSummary>(KEPT);
  return async (changes: readonly JudgedChange[], stretch: VersionRange, gaps: number) => {
    const keyOf = (change: JudgedChange): string => `${changeKey(change)} ${stretch.after} ${stretch.upTo} ${gaps}`;
    const known = new Map(changes.map((change) => [change, isMild(change.summary) ? change.summary : remembered.get(keyOf(change))]));
    const rank = ({ summary }: JudgedChange): Severity => summary?.worst ?? "breaking";
    const unknown = changes.filter((change) => known.get(change) === undefined);
    const fresh = unknown.sort((a, b) => compareSeverities(rank(a), rank(b))).slice(0, WEIGHED);
    for (const [i, summary] of (await weighChanges(archive, fresh, stretch)).entries()) {
      const change = fresh[i] as JudgedChange;
      known.set(change, summary);
      remembered.set(keyOf(change), summary, 1);
    }
    const weighed = [...known].flatMap(([change, found]): WeighedChange[] => {
      const summary = found ?? change.summary;
      return summary === undefined ? [] : [{ change, summary }];
    });
    return { weighed, made: fresh.length };
  };
}

/** Whether it concerns nobody, whoever uses it; or could not be compared. */
function isMild(summary: ChangeSummary | undefined): boolean {
  return summary !== undefined && (summary.worst === undefined || compareSeverities(summary.worst, "safe") >= 0);
}
