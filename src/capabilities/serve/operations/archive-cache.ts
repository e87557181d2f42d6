import { decodeModule } from "../../../core/abi/decode.ts";
import { formatNodeAbi, type NodeGeneration, nodePrintsAbi } from "../../../core/abi/node-json/format.ts";
import type { Clock } from "../../../core/base/time.ts";
import type { Integer } from "../../../core/db/engine/engine.ts";
import { isUnavailable } from "../../../core/db/engine/errors.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import type { ArchiveHead } from "../archive-head.ts";
import { byteCache, type ServeLimits } from "../http/bounds.ts";
import type { BodyFormat } from "../http/negotiation.ts";
import type { RowId, ServedArchive } from "./served-archive.ts";

/** `{"bytecode":"0x…","abi":{…}}`; the ABI is null where a node of the served generation cannot read the bytecode. */
function moduleJson(code: Uint8Array, generation: NodeGeneration): Buffer {
  const hex = Buffer.from(code.buffer, code.byteOffset, code.byteLength).toString("hex");
  const decoded = ifDecodable(() => decodeModule(code));
  const abi = decoded === undefined || !nodePrintsAbi(decoded, generation) ? null : formatNodeAbi(decoded.abi, generation);
  return Buffer.from(`{"bytecode":"0x${hex}","abi":${JSON.stringify(abi)}}`);
}

export type Page = { readonly body: Buffer; readonly count: number };

export type CacheOptions = {
  readonly limits: ServeLimits;
  readonly generation: NodeGeneration;
  readonly clock: Pick<Clock, "monotonic">;
  /** Hears why the database gave no answer when it was asked for its head; undefined when it answered. */
  readonly onTrouble: (trouble: string | undefined) => void;
};

export type ArchiveCache = ReturnType<typeof archiveCache>;

let opened = 0;

/**
 * The archive and what is cached of it between requests. Cached values are valid for one set of sealed snapshots: when
 * another snapshot is sealed they are dropped, and `serial` counts up.
 */
export function archiveCache(archive: ServedArchive, { limits, generation, clock, onTrouble }: CacheOptions) {
  const pages = byteCache<Page>(limits.pageCacheBytes);
  let changes: Integer | undefined;
  let last: ArchiveHead | undefined;
  let checked: { readonly head: Promise<ArchiveHead | undefined>; readonly atMs: number; isOver: boolean } | undefined;
  let serial = 0;

  const check = async (): Promise<ArchiveHead | undefined> => {
    try {
      const counted = await archive.changes?.();
      const head = counted === undefined || counted !== changes ? await archive.head(last) : last;
      changes = counted;
      onTrouble(undefined);
      if (head !== last) {
        last = head;
        serial += 1;
        pages.clear();
      }
      return head;
    } catch (error) {
      if (isUnavailable(error)) onTrouble(error.message);
      throw error;
    }
  };
  /** The current head; undefined while nothing is sealed. A file's count of changes is asked once a turn, a server every `headMs`. */
  const head = (): Promise<ArchiveHead | undefined> => {
    const nowMs = clock.monotonic();
    if (checked !== undefined && (!checked.isOver || nowMs - checked.atMs < archive.headMs)) return checked.head;
    const one = { head: check(), atMs: nowMs, isOver: false };
    const end = () =>
      setImmediate(() => {
        one.isOver = true;
      });
    one.head.then(end, end);
    checked = one;
    return one.head;
  };

  return {
    /** Tells apart the archives that are served one after another. */
    number: ++opened,
    archive,
    /** However a page was asked for, it is one body in memory, compressed once. */
    pages,
    head,
    /** The current head, or the one before while the database gives no answer: for what can do without a newer one. */
    headOrLast: (): Promise<ArchiveHead | undefined> =>
      head().catch((error: unknown) => {
        if (isUnavailable(error)) return last;
        throw error;
      }),
    /** Counts up when the set of sealed snapshots changes; as of the latest `head`. */
    serial: (): number => serial,
    /**
     * A module in a format of a node. The JSON is made from the bytes: stored in the database it would double that, and making it takes
     * well under a millisecond.
     */
    module: async (bytecode: RowId, format: BodyFormat): Promise<Uint8Array> => {
      const code = await archive.code(bytecode);
      return format === "bcs" ? code : moduleJson(code, generation);
    },
  };
}
