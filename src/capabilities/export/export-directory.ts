import { existsSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "../../core/base/files.ts";
import { harmlessJson } from "../../core/base/json.ts";
import { attempt, createHashedFile, DRAFT, type HashedFile, publishDrafts, removeDrafts, STAGE } from "./drafts.ts";
import { type Manifest, type ManifestFile, manifestName, parseManifest, partName, pathError } from "./manifest.ts";

/** A directory that is exported into: its one part, a folder of files, with a manifest that lists them. */
export type ExportDirectory = {
  readonly path: string;
  /** None in a new directory; several where a build before 0.2.0 exported. */
  readonly manifests: readonly Manifest[];
  /** Whether an export into it was killed, so that its files may be others than the manifest says. */
  readonly isTorn: boolean;
};

/** What movedex writes, and what a killed export leaves. Names that begin with a dot are those of the builds before 0.2.0. */
const OWN = /^(?:part-\d{6}|manifest-\d{6}\.json(?:\.tmp)?|(?:new|complete)\.tmp|\.part-\d{6}|\.manifest-\d{6}\.json)$/;

/**
 * Opens a directory for an export into it; a missing one is empty. What a killed export left is removed.
 * @throws ExchangeError `MOVEDEX_EXPORT_DIRECTORY` if it contains other files, `MOVEDEX_IMPORT_DAMAGED` if a manifest is damaged,
 * `MOVEDEX_EXPORT_WRITE`
 */
export function openExportDirectory(path: string): ExportDirectory {
  if (!existsSync(path)) return { path, manifests: [], isTorn: false };
  if (!lstatSync(path).isDirectory())
    throw pathError(path, "MOVEDEX_EXPORT_DIRECTORY", `\`${path}\` is a file; an export is a directory. Name a new or empty directory.`);
  const stranger = readdirSync(path).find((name) => !OWN.test(name));
  if (stranger !== undefined) {
    const text = `\`${path}\` holds \`${stranger}\`, which is not part of an export. Name a new or empty directory.`;
    throw pathError(path, "MOVEDEX_EXPORT_DIRECTORY", text, { stranger });
  }
  const isTorn = attempt(path, () => removeDrafts(path));
  const names = readdirSync(path).filter((name) => /^manifest-\d{6}\.json$/.test(name));
  const manifests = names.sort().map((name) => parseManifest(readFileSync(join(path, name), "utf8"), join(path, name)));
  return { path, manifests, isTorn };
}

/** What an export says of itself. */
type Facts = Omit<Manifest, "format" | "schema_version" | "part" | "previous" | "files">;

/** What an export wrote: of files that were there before only those that differ; and how many it has no more. */
export type Written = { readonly manifest: Manifest; readonly files: readonly ManifestFile[]; readonly removed: number };

/**
 * Begins to write the files of a directory, which is created if needed. Readers see nothing of it before `publish`.
 * @throws ExchangeError `MOVEDEX_EXPORT_WRITE`
 */
export function beginExport({ path, manifests, isTorn }: ExportDirectory) {
  const [held] = manifests;
  const isNew = !existsSync(path);
  const folder = join(path, existsSync(join(path, partName(1))) ? "" : STAGE, partName(1));
  const files: ManifestFile[] = [];
  const changed: ManifestFile[] = [];
  attempt(folder, () => makeDirectory(folder));
  const write = async (
    name: string,
    table: string | null,
    fill: (file: HashedFile) => Promise<number | null>,
    state?: string,
  ): Promise<void> => {
    const place = join(folder, name);
    const before = held?.files.find((candidate) => candidate.path === name);
    if (!isTorn && state !== undefined && before?.state === state && existsSync(place)) {
      files.push(before);
      return;
    }
    const draft = `${place}${DRAFT}`;
    attempt(draft, () => makeDirectory(dirname(draft)));
    using file = createHashedFile(draft);
    const rows = await fill(file);
    const entry = { path: name, table, rows, ...file.close(), ...(state !== undefined && { state }) };
    files.push(entry);
    if (!isTorn && before?.sha256 === entry.sha256 && existsSync(place)) attempt(draft, () => rmSync(draft));
    else changed.push(entry);
  };
  return {
    /**
     * Writes the file of a table. `fill` writes its rows and returns their number. `name` may have at most three directories. A file whose
     * `state` is as before stays without being written again.
     */
    table: (name: string, table: string, fill: (file: HashedFile) => Promise<number>, state?: string) => write(name, table, fill, state),
    /** Writes a file that is no table. */
    file: (name: string, content: string | Uint8Array) =>
      write(name, null, async (file) => {
        file.write(content);
        return null;
      }),
    /** Puts the files in their places: a new export at once, else each file at once. What this export has no more is removed. */
    publish: (facts: Facts): Written => {
      // Readers of version 1 would take the types of tables for damage.
      const version = files.some(({ table }) => table !== null) ? 3 : 1;
      const manifest: Manifest = { format: "movedex-export", schema_version: version, part: 1, previous: null, ...facts, files };
      const place = join(path, manifestName(1));
      const text = `${harmlessJson(manifest, 2)}\n`;
      if (held === undefined || isTorn || readFileSync(place, "utf8") !== text)
        attempt(place, () => writeFileSync(`${place}${DRAFT}`, text, { flag: "wx", flush: true }));
      attempt(path, () => {
        const others = readdirSync(path).filter(
          (name) => /^\.?(?:part|manifest)-/.test(name) && !/-000001(?:\.json(?:\.tmp)?)?$/.test(name),
        );
        for (const name of others) rmSync(join(path, name), { recursive: true });
      });
      publishDrafts(path);
      const written = new Set(files.map((file) => file.path));
      const gone = (held?.files ?? []).filter((file) => !written.has(file.path));
      for (const file of gone) attempt(path, () => rmSync(join(folder, file.path), { force: true }));
      return { manifest, files: changed, removed: gone.length };
    },
    /** Removes what was written and not published, and a directory that was made for nothing. */
    [Symbol.dispose]: (): void => {
      try {
        removeDrafts(path);
        if (isNew && readdirSync(path).length === 0) rmdirSync(path);
      } catch {
        // The next export removes it.
      }
    },
  };
}
