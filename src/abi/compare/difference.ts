import type { ModuleId } from "../../move/types/types.ts";
import { compareCode } from "./code.ts";
import { type CodeDiff, diffCode } from "./code-diff.ts";
import { listNames, makeFinding, type RuleFinding } from "./finding.ts";
import { compareBehaviour } from "./functions.ts";
import { type ComparedModule, compareModules } from "./modules.ts";
import { type Rename, renamedFunctions } from "./renames.ts";
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
  const code = compareCode(before.bytes, after.bytes);
  if (code.kind === "none") return undefined;
  const module = { address: after.abi.address, name: after.abi.name };
  const found = [...compareModules(before, after), ...compareHandlePlaces(before, after)];
  const functions = code.kind === "code" ? code.functions : undefined;
  const behaviour = functions === undefined ? [] : compareBehaviour(before, after, functions);
  const changed = code.kind === "code" ? [codeChanged(functions?.map(({ name }) => name))] : [];
  const lines = {
    renamed: renamedFunctions(before, after),
    ...(codeLines === undefined ? {} : { code: diffCode(before.bytes, after.bytes, codeLines) }),
  };
  if (found.some(({ severity }) => worstSeverity(severity) !== "silent")) {
    return { module, depth: "interface", sha256, findings: worstFirst([...found, ...behaviour, ...changed]), ...lines };
  }
  if (code.kind === "code" || found.some(({ rule }) => isAboutCode(rule))) {
    return { module, depth: "code", sha256, findings: worstFirst([...changed, ...behaviour, ...found]), ...lines };
  }
  return {
    module,
    depth: code.kind,
    sha256,
    renamed: [],
    findings: [makeFinding(`${code.kind}-changed`, WHOLE, { before: null, after: null }), ...found],
  };
}

const WHOLE = { kind: "module", name: null } as const;

function codeChanged(functions: readonly string[] | undefined): RuleFinding {
  return makeFinding("code-changed", WHOLE, { before: null, after: functions === undefined ? null : listNames(functions) });
}

/** Whether a silent finding tells that functions do something else. */
function isAboutCode(rule: RuleId): boolean {
  return rule === "private-functions-changed" || rule === "native-changed" || rule === "acquires-changed";
}

/** The difference of a module that exists on one side only; its bytes need not be known. */
export function wholeModule(module: ModuleId, sha256: ModuleDifference["sha256"]): ModuleDifference {
  const depth = sha256.before === null ? "added" : "removed";
  const finding = makeFinding(`module-${depth}`, { kind: "module", name: null }, sha256);
  return { module, depth, sha256, renamed: [], findings: [finding] };
}

function worstFirst(findings: readonly RuleFinding[]): RuleFinding[] {
  const worst = ({ severity }: RuleFinding): Severity => worstSeverity(severity) ?? "silent";
  return findings.toSorted((a, b) => compareSeverities(worst(a), worst(b)));
}
