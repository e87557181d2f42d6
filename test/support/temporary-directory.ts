import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made = new Set<string>();

/** A new directory, gone with everything in it after the test file, or with its scope: `using directory = temporaryDirectory()`. */
export function temporaryDirectory(): Disposable & { readonly path: string; readonly file: (name: string) => string } {
  const path = mkdtempSync(join(tmpdir(), "movedex-test-"));
  made.add(path);
  return { path, file: (name) => join(path, name), [Symbol.dispose]: () => remove(path) };
}

/** Removes the directories of a test file that has ended. */
export function removeTemporaryDirectories(): void {
  for (const path of made) remove(path);
}

function remove(path: string): void {
  made.delete(path);
  rmSync(path, { recursive: true, force: true });
}
