import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new directory that is gone with everything in it when its scope ends: `using directory = temporaryDirectory()`. */
export function temporaryDirectory(): Disposable & { readonly path: string; readonly file: (name: string) => string } {
  const path = mkdtempSync(join(tmpdir(), "movedex-test-"));
  return {
    path,
    file: (name) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
