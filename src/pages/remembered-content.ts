import type { StoredContent } from "../archive/content/stored-content.ts";
import type { ModuleArchive } from "../archive/read/module-archive.ts";
import { ByteCache } from "../serve/http/byte-cache.ts";

/** Bytes of memory for modules that were read. */
const LIMIT_BYTES = 32 * 1024 * 1024;

/** A read module takes about 6 times its bytecode (measured over 600 of the recorded releases). */
const bytesOf = ({ bytes }: StoredContent): number => 7 * bytes.length + 2_000;

/**
 * The same archive with what its modules hold kept in memory: a page, its comparison with the version before and the same
 * page with private functions ask for one module again and again. Bytecode is never changed nor deleted, so its row names it.
 */
export function withRememberedContent(archive: ModuleArchive, limitBytes = LIMIT_BYTES): ModuleArchive {
  const read = new ByteCache<StoredContent>(limitBytes);
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
