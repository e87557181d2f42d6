import type { MadePage } from "./make-page.ts";
import type { PageRequest } from "./page.ts";
import { openPageArchive, pageSource } from "./page-archive.ts";

export type PageMaker = {
  /** @throws an error for a fault of ours; its message says nothing that a client should read */
  readonly make: (request: PageRequest, signal: AbortSignal) => Promise<MadePage>;
  /** Does ahead what would keep the first readers of the archive waiting, from the beginning where it was doing so. */
  readonly warm: (archive: number, now: number) => void;
  /** Stops warming up. */
  readonly cool: () => void;
  readonly close: () => Promise<void>;
};

/** Makes pages on this thread, which answers nothing else meanwhile. The code of the pages is loaded when it is first wanted. */
export function makerHere(path: string): PageMaker {
  const source = pageSource(() => openPageArchive(path));
  let going = new AbortController();
  return {
    make: async (request, signal) => (await import("./make-page.ts")).makePage(source, request, signal),
    warm: (archive, now) => {
      going.abort();
      going = new AbortController();
      const { signal } = going;
      import("./make-page.ts").then(({ warmUp }) => source.use(archive, (opened) => warmUp(opened, now, signal))).catch(() => undefined);
    },
    cool: () => going.abort(),
    close: async () => {
      going.abort();
      await source.close();
    },
  };
}
