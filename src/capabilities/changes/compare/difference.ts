import { equalBytes } from "../../../core/base/bytes.ts";
import { readFunctions } from "../../../core/move/code/read-code.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import { Cursor } from "../../../core/move/module/cursor.ts";
import { readBytecodeVersion } from "../../../core/move/module/self-id.ts";
import { openTable, readKnownVersion, readLayout, table } from "../../../core/move/module/tables.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import { compareBehaviour } from "./behaviour-findings.ts";
import { CodeComparison } from "./code-comparison.ts";
import { type CodeDiff, diffCode } from "./code-diff.ts";
import { listNames, makeFinding, type Rename, type RuleFinding, WHOLE_MODULE } from "./finding.ts";
import type { ComparedModule, ModuleFunctions } from "./functions.ts";
import { compareModules } from "./modules.ts";
import { renamedFunctions } from "./renames.ts";
import { compareHandlePlaces } from "./renumbered.ts";
import type { RuleId } from "./rules/rules.ts";
import { compareSeverities, type Severity, worstSeverity } from "./severity.ts";

/** A module to compare, with its bytes and their SHA-256 as 64 hex digits. */
export type ModuleWithBytes = ComparedModule & { readonly bytes: Uint8Array; readonly sha256: string };

/**
 * How deep the difference goes. `interface`: something that others can see changed; `code`: only what the module does;
 * `encoding`: neither, the same declarations and instructions are encoded in another way; `metadata`: only metadata.
 */
export type Depth = "added" | "removed" | "interface" | "code" | "encoding" | "metadata";

export type ModuleDifference = {
  readonly module: ModuleId;
  readonly depth: Depth;
  /** SHA-256 of the bytes before and after, 64 hex digits; null if there is no module. */
  readonly sha256: { readonly before: string | null; readonly after: string | null };
  /** The bytecode versions before and after, where both are there. */
  readonly bytecodeVersions?: readonly [before: number | undefined, after: number | undefined];
  /** Never empty; the worst first. */
  readonly findings: readonly RuleFinding[];
  /** Functions that only have another name; their findings say that one is gone and one is new. */
  readonly renamed: readonly Rename[];
  /** What its functions do instead; there if it was asked for and the depth is `interface` or `code`. */
  readonly code?: CodeDiff;
};

/**
 * Compares the two versions of a module, of which at least one must exist. Undefined if their bytes are equal. With
 * `codeLines`, the instructions that differ are given too, at most this number of lines.
 */
export function differenceOf(
  before: ModuleWithBytes | undefined,
  after: ModuleWithBytes | undefined,
  { codeLines }: { readonly codeLines?: number | undefined } = {},
): ModuleDifference | undefined {
  const sha256 = { before: before?.sha256 ?? null, after: after?.sha256 ?? null };
  if (before === undefined || after === undefined) {
    const { abi } = (before ?? after) as ModuleWithBytes;
    return wholeModule({ address: abi.address, name: abi.name }, sha256);
  }
  const { kind, functions, codes } = compareCode(before.bytes, after.bytes);
  if (kind === "none") return undefined;
  const found = [...compareModules(before, after), ...compareHandlePlaces(before, after)];
  const [was, is] = kind === "code" || found.length > 0 ? (codes ?? []) : [];
  const behaviour = was && is ? compareBehaviour({ ...before, functions: was }, { ...after, functions: is }, new Set(functions)) : [];
  const names = functions === undefined ? null : listNames(functions);
  const changed = kind === "code" ? [makeFinding("code-changed", WHOLE_MODULE, { before: null, after: names })] : [];
  const isInterface = found.some(({ severity }) => worstSeverity(severity) !== "silent");
  const isCode = changed.length + behaviour.length > 0 || found.some(({ rule }) => ABOUT_CODE.has(rule));
  const depth: Depth = isInterface ? "interface" : isCode ? "code" : kind;
  const bytecodeVersions = [readBytecodeVersion(before.bytes), readBytecodeVersion(after.bytes)] as const;
  const difference = { module: { address: after.abi.address, name: after.abi.name }, depth, sha256, bytecodeVersions };
  if (depth === "encoding" || depth === "metadata") {
    const whole = makeFinding(`${depth}-changed`, WHOLE_MODULE, { before: null, after: null });
    return { ...difference, findings: [whole, ...found], renamed: [] };
  }
  return {
    ...difference,
    findings: worstFirst(isInterface ? [...found, ...behaviour, ...changed] : [...changed, ...behaviour, ...found]),
    renamed: codes === undefined ? [] : renamedFunctions(before, after, codes),
    ...(codeLines === undefined ? {} : { code: diffCode(before.bytes, after.bytes, codeLines) }),
  };
}

/** Rules whose silent findings tell that functions do something else. */
const ABOUT_CODE: ReadonlySet<RuleId> = new Set(["private-functions-changed", "native-changed"]);

/** The difference of a module that exists on one side only; its bytes need not be known. */
export function wholeModule(module: ModuleId, sha256: ModuleDifference["sha256"]): ModuleDifference {
  const depth = sha256.before === null ? "added" : "removed";
  return { module, depth, sha256, renamed: [], findings: [makeFinding(`module-${depth}`, WHOLE_MODULE, sha256)] };
}

function worstFirst(findings: readonly RuleFinding[]): RuleFinding[] {
  const worst = ({ severity }: RuleFinding): Severity => worstSeverity(severity) ?? "silent";
  return findings.toSorted((a, b) => compareSeverities(worst(a), worst(b)));
}

/**
 * How the bytes of two modules differ. `metadata`: in metadata alone. `encoding`: they declare and execute the same. `code`:
 * instructions or locals differ, of `functions`, undefined if they could not be read.
 */
type CodeDifference = {
  readonly kind: "none" | "metadata" | "encoding" | "code";
  readonly functions?: readonly string[] | undefined;
  /** The code of both sides, where it was read. */
  readonly codes?: readonly [Codes, Codes];
};

type Codes = ModuleFunctions["functions"];

/**
 * Compares what two modules execute, by the names that instructions refer to, so that the order of tables and the bytecode
 * version do not matter. Declarations are up to `compareModules`. Never throws.
 */
export function compareCode(before: Uint8Array, after: Uint8Array): CodeDifference {
  if (equalBytes(before, after)) return { kind: "none" };
  const difference = ifDecodable((): CodeDifference => {
    if (isSameButMetadata(before, after)) return { kind: "metadata" };
    const codes = [readFunctions(before), readFunctions(after)] as const;
    const functions = changedFunctions(...codes);
    return { kind: functions.length === 0 ? "encoding" : "code", functions, codes };
  });
  return difference ?? { kind: "code" };
}

/** Compares the version, each table but the metadata, and what follows the tables. */
function isSameButMetadata(before: Uint8Array, after: Uint8Array): boolean {
  const [old, now] = [new Cursor(before), new Cursor(after)];
  const [was, is] = [readLayout(old, readKnownVersion(old)), readLayout(now, readKnownVersion(now))];
  const isSame = (from: number, end: number, otherFrom: number, otherEnd: number): boolean => {
    if (end - from !== otherEnd - otherFrom) return false;
    for (let i = end - from - 1; i >= 0; i--) if (before[from + i] !== after[otherFrom + i]) return false;
    return true;
  };
  if (!isSame(0, 8, 0, 8) || !isSame(was.contentEnd, before.length, is.contentEnd, after.length)) return false;
  return was.tables.every((_, kind) => {
    const [older, newer] = [openTable(before, was, kind), openTable(after, is, kind)];
    return kind === table.metadata || isSame(older.at, older.end, newer.at, newer.end);
  });
}

function changedFunctions(old: Codes, now: Codes): string[] {
  const compare = new CodeComparison();
  return [...now]
    .filter(([name, code]) => {
      const was = old.get(name);
      return was !== undefined && !was.definition.isNative && !code.definition.isNative && !compare.isSameFunction(was, code);
    })
    .map(([name]) => name);
}
