import { type ModuleArchive, openModuleArchive } from "../archive/read/module-archive.ts";
import { openStore, type Store } from "../work/store.ts";
import { ChangeSummaries } from "./change-summaries.ts";
import { Console } from "./console.ts";
import { withRememberedContent } from "./remembered-content.ts";

/** A database as the pages read it. */
export type PageArchive = {
  /** Where it lies, for those that open it once more. */
  readonly path: string;
  readonly modules: ModuleArchive;
  readonly store: Store;
  readonly summaries: ChangeSummaries;
  /** Answers readers' questions in SQL. */
  readonly console: Console;
  readonly close: () => Promise<void>;
};

/** What pages take of a server, each of the two ways to ask it: they are made two at a time, and wait for no statement longer than this. */
const LIMITS = { connections: 3, statementTimeoutMs: 30_000 } as const;

/** Opens a database for the pages; nothing in it is changed. @throws StoreError */
export async function openPageArchive(path: string): Promise<PageArchive> {
  const console = new Console(path);
  const modules = withRememberedContent(await openModuleArchive(path, LIMITS));
  try {
    const store = await openStore(path, { mode: "read", ...LIMITS });
    return {
      path,
      modules,
      store,
      summaries: new ChangeSummaries(modules),
      console,
      close: async () => {
        console.close();
        await modules.close();
        await store.close();
      },
    };
  } catch (error) {
    await modules.close();
    throw error;
  }
}

/** Tells apart the archives that are served one after another in one place; see `PageSurroundings`. */
type Stamp = number;
type Opened = { readonly stamp: Stamp; readonly archive: Promise<PageArchive>; users: number };

/**
 * The archive that pages are made from: the same that the API answers from. Opened when the first page is asked for, and
 * again when another file was put in its place; the old one is closed once no page is being made from it.
 */
export class PageSource {
  readonly #open: () => Promise<PageArchive>;
  #opened: Opened | undefined;

  constructor(open: () => Promise<PageArchive>) {
    this.#open = open;
  }

  /** @throws StoreError when it cannot be opened; as the work does */
  async use<T>(stamp: Stamp, work: (archive: PageArchive) => Promise<T>): Promise<T> {
    const opened = this.#current(stamp);
    opened.users += 1;
    try {
      return await work(await opened.archive);
    } finally {
      opened.users -= 1;
      await this.#closeUnused(opened);
    }
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened !== undefined) await this.#closeUnused(opened);
  }

  #current(stamp: Stamp): Opened {
    const known = this.#opened;
    if (known !== undefined && known.stamp === stamp) return known;
    const opened: Opened = { stamp, archive: this.#open(), users: 0 };
    this.#opened = opened;
    opened.archive.catch(() => {
      if (this.#opened === opened) this.#opened = undefined;
    });
    if (known !== undefined) void this.#closeUnused(known);
    return opened;
  }

  async #closeUnused(opened: Opened): Promise<void> {
    if (opened === this.#opened || opened.users > 0) return;
    const archive = await opened.archive.catch(() => undefined);
    await archive?.close();
  }
}
