import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256Hex } from "../base/sha256.ts";
import { ExchangeError } from "./exchange-error.ts";
import { attempt, createHashedFile, type HashedFile } from "./hashed-file.ts";
import { harmlessJson } from "./json-text.ts";
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
    throw new ExchangeError(
      "MOVEDEX_EXPORT_DIRECTORY",
      `\`${path}\` holds \`${stranger}\`, which is not part of an export. Name a new or empty directory.`,
      {
        facts: { path, stranger },
      },
    );
  }
  const manifests: Manifest[] = [];
  let latest: string | null = null;
  const parts = names.map(manifestPart).filter((part) => part !== undefined);
  for (const part of parts.sort((a, b) => a - b)) {
    const file = join(path, manifestName(part));
    const bytes = readFileSync(file);
    const manifest = parseManifest(bytes.toString("utf8"), file);
    if (part !== manifests.length + 1 || manifest.part !== part || manifest.previous !== latest) {
      throw new ExchangeError(
        "MOVEDEX_IMPORT_DAMAGED",
        `\`${file}\` does not follow the manifest before it: a part is missing or was changed. Nothing was imported or exported.`,
        {
          facts: { path: file },
        },
      );
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
    mkdirSync(path, { recursive: true });
    // Left behind by an export that was killed: without a manifest, no reader can have used it.
    for (const name of [unfinished, join(path, partName(part)), join(path, `.${manifestName(part)}`)])
      rmSync(name, { recursive: true, force: true });
    mkdirSync(unfinished);
  });
  return {
    /** Writes one file. `fill` writes its content and returns the number of rows, or null. `name` may have at most three directories. */
    file: async (
      name: string,
      table: string | null,
      fill: (file: HashedFile) => number | null | Promise<number>,
    ): Promise<ManifestFile> => {
      const file = join(unfinished, name);
      attempt(file, () => mkdirSync(dirname(file), { recursive: true }));
      const written = createHashedFile(file);
      try {
        const rows = await fill(written);
        const entry = { path: name, table, rows, ...written.close() };
        files.push(entry);
        return entry;
      } finally {
        written.abandon();
      }
    },
    /** Renames the part to its final name and writes its manifest. Only now does the part exist for readers. */
    publish: (facts: Omit<Manifest, "format" | "schema_version" | "part" | "previous" | "files">): Manifest => {
      // Readers of version 1 would take the parts that are replaced for missing ones, those of version 2 the types of tables for damage.
      const schema_version = facts.state !== undefined ? 3 : (facts.replaces ?? []).length === 0 ? 1 : 2;
      const manifest: Manifest = { format: "movedex-export", schema_version, part, previous: latest, ...facts, files };
      attempt(path, () => renameSync(unfinished, join(path, partName(part))));
      const draft = join(path, `.${manifestName(part)}`);
      const written = createHashedFile(draft);
      written.write(`${harmlessJson(manifest, 2)}\n`);
      written.close();
      attempt(path, () => renameSync(draft, join(path, manifestName(part))));
      return manifest;
    },
    /** Deletes what was written of a part that will not be finished. */
    abandon: (): void => rmSync(unfinished, { recursive: true, force: true }),
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
  if (!lstatSync(path).isDirectory()) {
    throw new ExchangeError("MOVEDEX_EXPORT_DIRECTORY", `\`${path}\` is a file; an export is a directory. Name a new or empty directory.`, {
      facts: { path },
    });
  }
  return readdirSync(path);
}
