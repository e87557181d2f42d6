import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { sha256Hex } from "../base/sha256.ts";
import { ExchangeError } from "./exchange-error.ts";
import { attempt, createHashedFile, type HashedFile } from "./hashed-file.ts";
import { harmlessJson } from "./json-text.ts";
import { type Manifest, type ManifestFile, manifestName, manifestPart, parseManifest, partName } from "./manifest.ts";

/** A directory of exports: parts that never change once written, each with its manifest, each manifest naming the one before. */
export type ExportDirectory = {
  readonly path: string;
  /** In the order of parts. */
  readonly manifests: readonly Manifest[];
  /** SHA-256 of the last manifest, null when there is none. */
  readonly latest: string | null;
};

/** A part that is being written. Until `publish` it is in a directory of its own name, which the next export throws away. */
export type PartWriter = {
  /** Writes one file; `fill` gives its rows, or null. A path may have one directory before it. */
  readonly file: (path: string, table: string | null, fill: (file: HashedFile) => number | null | Promise<number>) => Promise<ManifestFile>;
  /** Names the part and writes its manifest: from here on it is there. */
  readonly publish: (manifest: Omit<Manifest, "format" | "schema_version" | "part" | "previous" | "files">) => Manifest;
  /** Takes away what was written of a part that will not be finished. */
  readonly abandon: () => void;
};

const OWN = /^(?:part-\d{6}|manifest-\d{6}\.json|\.part-\d{6}|\.manifest-\d{6}\.json)$/;

/**
 * Reads what a directory of exports holds; a missing directory holds nothing. Only manifests are looked at, not files.
 * @throws ExchangeError `MOVEDEX_EXPORT_DIRECTORY` when it holds other things, `MOVEDEX_IMPORT_DAMAGED` when its manifests do not follow one another
 */
export function readExportDirectory(path: string): ExportDirectory {
  const names = existsSync(path) ? listNames(path) : [];
  const stranger = names.find((name) => !OWN.test(name));
  if (stranger !== undefined) {
    throw new ExchangeError(
      "MOVEDEX_EXPORT_DIRECTORY",
      `\`${path}\` holds \`${stranger}\`, which is no part of an export. Name a new or empty directory.`,
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

/** Begins the next part of a directory, which is made when it is missing. @throws ExchangeError `MOVEDEX_EXPORT_WRITE` */
export function beginPart({ path, manifests, latest }: ExportDirectory): PartWriter {
  const part = manifests.length + 1;
  const unfinished = join(path, `.${partName(part)}`);
  const files: ManifestFile[] = [];
  attempt(path, () => {
    mkdirSync(path, { recursive: true });
    // What an export that was killed left behind has no manifest: nobody can have used it.
    for (const name of [unfinished, join(path, partName(part)), join(path, `.${manifestName(part)}`)])
      rmSync(name, { recursive: true, force: true });
    mkdirSync(unfinished);
  });
  return {
    file: async (name, table, fill) => {
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
    publish: (facts) => {
      const manifest: Manifest = { format: "movedex-export", schema_version: 1, part, previous: latest, ...facts, files };
      attempt(path, () => renameSync(unfinished, join(path, partName(part))));
      const draft = join(path, `.${manifestName(part)}`);
      const written = createHashedFile(draft);
      written.write(`${harmlessJson(manifest, 2)}\n`);
      written.close();
      attempt(path, () => renameSync(draft, join(path, manifestName(part))));
      return manifest;
    },
    abandon: () => rmSync(unfinished, { recursive: true, force: true }),
  };
}

function listNames(path: string): string[] {
  if (!lstatSync(path).isDirectory()) {
    throw new ExchangeError("MOVEDEX_EXPORT_DIRECTORY", `\`${path}\` is a file; an export is a directory. Name a new or empty directory.`, {
      facts: { path },
    });
  }
  return readdirSync(path);
}
