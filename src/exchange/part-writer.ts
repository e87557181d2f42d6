import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "../base/files.ts";
import { harmlessJson } from "../base/json.ts";
import { sha256Hex } from "../base/sha256.ts";
import { attempt, createHashedFile, DRAFT, type HashedFile, publishDrafts, removeDrafts, STAGE } from "./drafts.ts";
import type { ExportDirectory } from "./export-directory.ts";
import { type Manifest, type ManifestFile, manifestName, partName } from "./manifest.ts";

/** What is known of a part before its files are written. */
type PartFacts = Omit<Manifest, "format" | "schema_version" | "previous" | "replaces" | "files">;

/** What an export wrote: of parts that were there before only the files that differ. */
export type Written = { readonly manifests: readonly Manifest[]; readonly files: readonly ManifestFile[] };

/**
 * Begins to write parts of a directory, and creates the directory if needed. Readers see nothing of it before `publish`.
 * @throws ExchangeError `MOVEDEX_EXPORT_WRITE`
 */
export function beginParts(directory: ExportDirectory) {
  const { path, manifests } = directory;
  const parts = new Map<number, Manifest>();
  const written = new Map<number, ManifestFile[]>();
  attempt(path, () => makeDirectory(path));
  return {
    /**
     * Begins a part: a new one, or one that is there, of which only those files are replaced that come out different. `isKept` says of
     * which files nothing is written, and which stay.
     */
    part: ({ part, ...facts }: PartFacts, isKept: (path: string) => boolean = () => false) => {
      const before = manifests[part - 1];
      const folder = join(path, before === undefined ? STAGE : "", partName(part));
      const files: ManifestFile[] = before?.files.filter(({ path: name }) => isKept(name)) ?? [];
      const changed: ManifestFile[] = [];
      attempt(folder, () => makeDirectory(folder));
      parts.set(part, {
        format: "movedex-export",
        // Readers of version 1 would take the types of tables for damage.
        schema_version: facts.state === undefined ? 1 : 3,
        part,
        previous: null,
        ...facts,
        ...(before?.replaces === undefined ? {} : { replaces: before.replaces }),
        files,
      });
      written.set(part, changed);
      const write = async (
        name: string,
        table: string | null,
        fill: (file: HashedFile) => Promise<number | null>,
        state?: string,
      ): Promise<void> => {
        const place = join(folder, name);
        const draft = `${place}${DRAFT}`;
        attempt(draft, () => makeDirectory(dirname(draft)));
        using file = createHashedFile(draft);
        const rows = await fill(file);
        const entry = { path: name, table, rows, ...file.close(), ...(state === undefined ? {} : { state }) };
        files.push(entry);
        const held = before?.files.find((candidate) => candidate.path === name);
        if (held?.sha256 === entry.sha256 && existsSync(place)) attempt(draft, () => rmSync(draft));
        else changed.push(entry);
      };
      return {
        /** Writes the file of a table. `fill` writes its rows and returns their number. `name` may have at most three directories. */
        table: (name: string, table: string, fill: (file: HashedFile) => Promise<number>, state?: string) =>
          write(name, table, fill, state),
        /** Writes a file that is no table. */
        file: (name: string, content: string | Uint8Array) =>
          write(name, null, async (file) => {
            file.write(content);
            return null;
          }),
      };
    },
    /** Puts the files in their places, each at once, and a new part at once with all of its files. */
    publish: (): Written => {
      let previous: string | null = null;
      for (let part = 1; part <= Math.max(manifests.length, ...parts.keys()); part++) {
        const file = join(path, manifestName(part));
        const held = manifests[part - 1];
        const manifest = parts.get(part) ?? (held as Manifest);
        if (manifest === held && held.previous === previous) previous = sha256Hex(readFileSync(file));
        else {
          const text = `${harmlessJson({ ...manifest, previous }, 2)}\n`;
          attempt(file, () => writeFileSync(`${file}${DRAFT}`, text, { flag: "wx", flush: true }));
          previous = sha256Hex(text);
        }
      }
      publishDrafts(path);
      const changed = [...parts.values()].filter(({ part }) => written.get(part)?.length !== 0).sort((a, b) => a.part - b.part);
      return { manifests: changed, files: changed.flatMap(({ part }) => written.get(part) ?? []) };
    },
    /** Removes what was written and not published. */
    [Symbol.dispose]: (): void => {
      try {
        removeDrafts(path);
      } catch {
        // The next export removes it.
      }
    },
  };
}
