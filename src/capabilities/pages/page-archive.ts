import { setImmediate } from "node:timers/promises";
import { closing } from "../../core/base/async.ts";
import type { StoredContent } from "../../core/db/archive/content/stored-content.ts";
import { type ModuleArchive, openModuleArchive } from "../../core/db/archive/read/module-archive.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import type { ChangeSummary } from "../changes/compare/finding.ts";
import { judgeNow } from "../changes/diff/sides.ts";
import type { JudgedChange } from "../changes/judge/changes.ts";
import { ByteCache } from "../serve/http/byte-cache.ts";
import { Console } from "./console.ts";

export type PageArchive = {
  /** Where it lies, for those that open it once more. */
  readonly path: string;
  readonly modules: ModuleArchive;
  readonly engine: Engine;
  readonly summaries: ReturnType<typeof changeSummaries>;
  /** Answers readers' questions in SQL. */
  readonly console: Console;
  readonly close: () => Promise<void>;
};

/** What pages take of a server: they are made two at a time, and wait for no statement longer than this. */
const LIMITS = { connections: 6, statementTimeoutMs: 30_000 } as const;

/** Opens a database for the pages; nothing in it is changed. @throws StoreError */
export async function openPageArchive(path: string): Promise<PageArchive & AsyncDisposable> {
  const { close, ...archive } = await openModuleArchive(path, LIMITS);
  const modules = withRememberedContent(archive);
  const console = new Console(path);
  return closing({
    path,
    modules,
    engine: modules.engine,
    summaries: changeSummaries(modules),
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
  const read = new ByteCache<StoredContent>(REMEMBERED_BYTES);
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

/** Summaries that are remembered: what two bytecodes differ in never changes. */
const KEPT = 20_000;

/** What was made of changes: as it is stored, and worked out once where no judgement of these rules is stored yet. */
function changeSummaries(archive: ModuleArchive) {
  const remembered = new Map<string, ChangeSummary>();
  const known = (change: JudgedChange): ChangeSummary | undefined => change.summary ?? remembered.get(keyOf(change));
  return {
    /** Whether it is known without work. */
    knows: (change: JudgedChange): boolean => known(change) !== undefined,
    /** A comparison takes some milliseconds: others get their turn after each one that is not known yet. */
    of: async (change: JudgedChange): Promise<ChangeSummary> => {
      const found = known(change);
      if (found !== undefined) return found;
      await setImmediate();
      const summary = await judgeNow(archive, change);
      remembered.set(keyOf(change), summary);
      const [oldest] = remembered.keys();
      if (remembered.size > KEPT && oldest !== undefined) remembered.delete(oldest);
      return summary;
    },
  };
}

function keyOf({ address, module, from, to }: JudgedChange): string {
  return `${address} ${module} ${from} ${to}`;
}
