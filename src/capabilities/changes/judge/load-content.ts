import type { StoredContent } from "../../../core/db/archive/content/stored-content.ts";
import type { LoadedModule } from "../compare/sides.ts";

/** A stored module as one side of a comparison. */
export function loadContent(content: StoredContent, sha256: string): LoadedModule {
  if (content.kind === "unreadable") return { unreadable: content.reason };
  if (content.kind === "decoded") return { module: { ...content.module, bytes: content.bytes, sha256 } };
  return {
    module: { abi: content.abi, functionMarks: new Map(), bytes: content.bytes, sha256 },
    partial: "its bytecode is newer than this movedex; only what a node's ABI shows was compared",
  };
}
