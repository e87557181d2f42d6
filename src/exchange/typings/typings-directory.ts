import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt, createHashedFile } from "../hashed-file.ts";
import { PINS_FILE, readPins } from "./pins.ts";
import { moduleFile, type Typings } from "./typings.ts";

/** How typings on disk differ from current ones: sorted paths of files. */
export type TypingsDifference = {
  readonly changed: readonly string[];
  readonly absent: readonly string[];
  readonly surplus: readonly string[];
};

/** Compares typings with the files on disk, apart from the pins' ledger version: typings stay valid while nothing changed. */
export function compareTypings(directory: string, typings: Typings): TypingsDifference {
  const changed: string[] = [];
  const absent: string[] = [];
  for (const [path, text] of typings.files) {
    const found = readText(join(directory, path));
    if (found === undefined) absent.push(path);
    else if (path === PINS_FILE ? withoutVersion(found) !== withoutVersion(text) : found !== text) changed.push(path);
  }
  return { changed: changed.sort(), absent: absent.sort(), surplus: surplusOf(directory, typings) };
}

/** Updates typings on disk: replaces files that differ and deletes those of modules that are no longer included. */
export function writeTypings(directory: string, typings: Typings): TypingsDifference {
  const difference = compareTypings(directory, typings);
  // The pins are written last: they tell that everything else is complete.
  for (const [path, text] of typings.files) if (path !== PINS_FILE) replaceFile(join(directory, path), text);
  for (const path of difference.surplus) rmSync(join(directory, path), { force: true });
  replaceFile(join(directory, PINS_FILE), typings.files.get(PINS_FILE) as string);
  return difference;
}

function replaceFile(path: string, text: string): void {
  if (readText(path) === text) return;
  const draft = `${path}.partial`;
  attempt(path, () => {
    mkdirSync(dirname(path), { recursive: true });
    rmSync(draft, { force: true });
  });
  const file = createHashedFile(draft);
  try {
    file.write(text);
    file.close();
  } finally {
    file.abandon();
  }
  attempt(path, () => renameSync(draft, path));
}

/** Files of modules that the pins on disk list and that are no longer in the typings. Other files are never touched. */
function surplusOf(directory: string, { language, files }: Typings): string[] {
  const pinned = Object.keys(readPins(directory, language)?.modules ?? {}).map((id) => moduleFile(language, id));
  return pinned.filter((path) => !files.has(path) && existsSync(join(directory, path))).sort();
}

function withoutVersion(text: string): string {
  return text.replace(/^ {2}"ledger_version": "\d+",\n/m, "");
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
