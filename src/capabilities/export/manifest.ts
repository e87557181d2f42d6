import { printable } from "../../core/base/printable.ts";
import { type Facts, MovedexError } from "../../core/errors.ts";
import type { ExitName } from "../../core/exit-codes.ts";

/** Failures of exports: the stable error code, and the exit code of the command. */
const failures = {
  MOVEDEX_EXPORT_DIRECTORY: "failed",
  MOVEDEX_EXPORT_NOTHING: "failed",
  MOVEDEX_EXPORT_WRITE: "failed",
  MOVEDEX_IMPORT_UNKNOWN: "failed",
  MOVEDEX_IMPORT_DAMAGED: "corrupt",
} as const satisfies Record<string, ExitName>;

/** A failure of an export. It leaves nothing half done. */
export class ExchangeError extends MovedexError {
  constructor(code: keyof typeof failures, message: string, options: { facts?: Facts; cause?: unknown } = {}) {
    super(code, message, { ...options, exit: failures[code] });
  }
}

/** The failure of a file or directory. */
export function pathError(path: string, code: keyof typeof failures, message: string, facts: Facts = {}, cause?: unknown): ExchangeError {
  return new ExchangeError(code, message, { facts: { path, ...facts }, cause });
}

/** One snapshot of an export, as it was when the files were written. */
export type ManifestSnapshot = {
  readonly ledger_version: string;
  readonly status: string;
  readonly accounts: number;
  readonly modules: number;
  readonly gaps: number;
  readonly digest: string;
};

/** One file of an export. `path` is relative to its folder; `table` and `rows` are null for a file that is not a table. */
export type ManifestFile = {
  readonly path: string;
  readonly table: string | null;
  readonly rows: number | null;
  readonly bytes: number;
  readonly sha256: string;
  /** Of a large table: a digest over what its rows follow from. While it is the same, the file stays as it is. */
  readonly state?: string;
};

/** Describes an export: a folder of files, `part-000001`. It takes its place after the files. */
export type Manifest = {
  readonly format: "movedex-export";
  /** Incremented when older readers could misread the files. From 3 on, booleans and times have their own types. */
  readonly schema_version: 1 | 2 | 3;
  /** 1. Exports of builds before 0.2.0 may have several, each with a manifest; the next export makes them one. */
  readonly part: number;
  /** For older readers. */
  readonly previous: string | null;
  readonly movedex_version: string;
  readonly chain_id: number;
  /** A format of tables, or `abi-json` or `mv`. */
  readonly content: string;
  readonly snapshots: readonly ManifestSnapshot[];
  readonly files: readonly ManifestFile[];
};

export function partName(part: number): string {
  return `part-${String(part).padStart(6, "0")}`;
}

export function manifestName(part: number): string {
  return `manifest-${String(part).padStart(6, "0")}.json`;
}

const PATH = /^(?:[a-z0-9_~-][a-z0-9_.=~-]{0,120}\/){0,3}[a-z0-9_~-][a-z0-9_.~-]{0,120}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const VERSION = /^(?:0|[1-9]\d{0,18})$/;

/** Parses a manifest. @throws ExchangeError `MOVEDEX_IMPORT_DAMAGED` if malformed, `MOVEDEX_IMPORT_UNKNOWN` if a newer movedex wrote it */
export function parseManifest(text: string, path: string): Manifest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw damaged(path, "it is not JSON", error);
  }
  const manifest = json as Manifest;
  if (typeof json !== "object" || json === null || manifest.format !== "movedex-export")
    throw damaged(path, "it is not the manifest of an export");
  if (manifest.schema_version !== 1 && manifest.schema_version !== 2 && manifest.schema_version !== 3) {
    const text = `\`${path}\` has schema version ${JSON.stringify(manifest.schema_version)}, and this movedex reads versions 1 to 3. Use a newer movedex.`;
    throw pathError(path, "MOVEDEX_IMPORT_UNKNOWN", text);
  }
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
  const isGood =
    isCount(manifest.part) &&
    isCount(manifest.chain_id) &&
    typeof manifest.content === "string" &&
    typeof manifest.movedex_version === "string" &&
    isListOf(
      manifest.snapshots,
      (item) =>
        VERSION.test(String(item["ledger_version"])) &&
        SHA256.test(String(item["digest"])) &&
        isCount(item["accounts"]) &&
        isCount(item["gaps"]),
    ) &&
    isListOf(
      manifest.files,
      (item) =>
        PATH.test(String(item["path"])) &&
        SHA256.test(String(item["sha256"])) &&
        isCount(item["bytes"]) &&
        (item["table"] === null || typeof item["table"] === "string") &&
        (item["rows"] === null || isCount(item["rows"])),
    );
  if (!isGood) throw damaged(path, "a field is missing or has the wrong type");
  return manifest;
}

function isListOf(value: unknown, check: (item: Record<string, unknown>) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null && check(item as Record<string, unknown>));
}

function damaged(path: string, why: string, cause?: unknown): ExchangeError {
  return pathError(path, "MOVEDEX_IMPORT_DAMAGED", `cannot use \`${path}\`: ${why}. Nothing was exported.`, {}, cause);
}

/** The first names of a list, as messages name them. */
export function fewNames(names: readonly string[]): string {
  const few = names.slice(0, 5).map((id) => printable(id, 100));
  return `${few.join(", ")}${names.length > few.length ? " …" : ""}`;
}
