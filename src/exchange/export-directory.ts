import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "../base/files/make-directory.ts";
import { harmlessJson } from "../base/json.ts";
import { sha256Hex } from "../base/sha256.ts";
import { pathError } from "./exchange-error.ts";
import { attempt, createHashedFile, type HashedFile } from "./hashed-file.ts";
import { currentParts, type Manifest, type ManifestFile, manifestName, manifestPart, parseManifest, partName } from "./manifest.ts";

/** An export directory: parts that never change once written, each with a manifest that names the one before it. */
export type ExportDirectory = {
  readonly path: string;
  /** In the order of parts. */
  readonly manifests: readonly Manifest[];
  /** SHA-256 of the last manifest, 64 hex digits; null if there is none. */
  readonly latest: string | null;
};

const OWN = /^(?:part-\d{6}|manifest-\d{6}\.json|\.part-\d{6}|\.manifest-\d{6}\.json)$/;

/**
 * Reads the manifests of an export directory, not the files of its parts. A missing directory is an empty one.
 * @throws ExchangeError `MOVEDEX_EXPORT_DIRECTORY` if it contains other files, `MOVEDEX_IMPORT_DAMAGED` if the manifests are not a chain
 */
export function readExportDirectory(path: string): ExportDirectory {
  const names = existsSync(path) ? listNames(path) : [];
  const stranger = names.find((name) => !OWN.test(name));
  if (stranger !== undefined) {
    const text = `\`${path}\` holds \`${stranger}\`, which is not part of an export. Name a new or empty directory.`;
    throw pathError(path, "MOVEDEX_EXPORT_DIRECTORY", text, { stranger });
  }
  const manifests: Manifest[] = [];
  let latest: string | null = null;
  const parts = names.map(manifestPart).filter((part) => part !== undefined);
  for (const part of parts.sort((a, b) => a - b)) {
    const file = join(path, manifestName(part));
    const bytes = readFileSync(file);
    const manifest = parseManifest(bytes.toString("utf8"), file);
    if (part !== manifests.length + 1 || manifest.part !== part || manifest.previous !== latest) {
      const text = `\`${file}\` does not follow the manifest before it: a part is missing or was changed. Nothing was imported or exported.`;
      throw pathError(file, "MOVEDEX_IMPORT_DAMAGED", text);
    }
    manifests.push(manifest);
    latest = sha256Hex(bytes);
  }
  return { path, manifests, latest };
}

/** Begins the next part of a directory, and creates the directory if needed. @throws ExchangeError `MOVEDEX_EXPORT_WRITE` */
export function beginPart({ path, manifests, latest }: ExportDirectory) {
  const part = manifests.length + 1;
  const unfinished = join(path, `.${partName(part)}`);
  const files: ManifestFile[] = [];
  attempt(path, () => {
    makeDirectory(path);
    // Left behind by an export that was killed: without a manifest, no reader can have used it.
    for (const name of [unfinished, join(path, partName(part)), join(path, `.${manifestName(part)}`)])
      rmSync(name, { recursive: true, force: true });
    mkdirSync(unfinished);
  });
  const write = async (name: string, table: string | null, fill: (file: HashedFile) => Promise<number | null>): Promise<void> => {
    const file = join(unfinished, name);
    attempt(file, () => mkdirSync(dirname(file), { recursive: true }));
    using written = createHashedFile(file);
    const rows = await fill(written);
    files.push({ path: name, table, rows, ...written.close() });
  };
  return {
    /** Writes the file of a table. `fill` writes its rows and returns their number. `name` may have at most three directories. */
    table: (name: string, table: string, fill: (file: HashedFile) => Promise<number>) => write(name, table, fill),
    /** Writes a file that is no table. */
    file: (name: string, content: string | Uint8Array) =>
      write(name, null, async (file) => {
        file.write(content);
        return null;
      }),
    /** Renames the part to its final name and writes its manifest. Only now does the part exist for readers. */
    publish: (facts: Omit<Manifest, "format" | "schema_version" | "part" | "previous" | "files">): Manifest => {
      // Readers of version 1 would take the parts that are replaced for missing ones, those of version 2 the types of tables for damage.
      const schema_version = facts.state !== undefined ? 3 : (facts.replaces ?? []).length === 0 ? 1 : 2;
      const manifest: Manifest = { format: "movedex-export", schema_version, part, previous: latest, ...facts, files };
      attempt(path, () => renameSync(unfinished, join(path, partName(part))));
      const draft = join(path, `.${manifestName(part)}`);
      attempt(draft, () => writeFileSync(draft, `${harmlessJson(manifest, 2)}\n`, { flag: "wx", flush: true }));
      attempt(path, () => renameSync(draft, join(path, manifestName(part))));
      return manifest;
    },
    /** Deletes what was written of a part that was not published. */
    [Symbol.dispose]: (): void => rmSync(unfinished, { recursive: true, force: true }),
  };
}

/** Deletes the directories of parts that later ones replace. An export that was killed before may have left some. */
export function removeReplaced({ path, manifests }: ExportDirectory): void {
  const current = new Set(currentParts(manifests).map(({ part }) => part));
  for (const { part } of manifests) {
    if (current.has(part)) continue;
    const directory = join(path, partName(part));
    attempt(directory, () => rmSync(directory, { recursive: true, force: true }));
  }
}

function listNames(path: string): string[] {
  if (lstatSync(path).isDirectory()) return readdirSync(path);
  throw pathError(path, "MOVEDEX_EXPORT_DIRECTORY", `\`${path}\` is a file; an export is a directory. Name a new or empty directory.`);
}
