import type { ModuleId } from "../../move/types/types.ts";
import { compareBytes } from "./bytes.ts";
import { makeFinding, type RuleFinding } from "./finding.ts";
import { type ComparedModule, compareModules } from "./modules.ts";
import { compareSeverities, type Severity, worstSeverity } from "./severity.ts";

/** A module to compare, with its bytes and their SHA-256 as 64 hex digits. */
export type ModuleWithBytes = ComparedModule & { readonly bytes: Uint8Array; readonly sha256: string };

/**
 * How deep the difference goes. `interface`: something that others can see changed, `code`: only what the module does,
 * `metadata`: neither.
 */
export type Depth = "added" | "removed" | "interface" | "code" | "metadata";

/** What differs about one module. */
export type ModuleDifference = {
  readonly module: ModuleId;
  readonly depth: Depth;
  /** SHA-256 of the bytes before and after, 64 hex digits; null if there is no module. */
  readonly sha256: { readonly before: string | null; readonly after: string | null };
  /** Never empty; the worst first. */
  readonly findings: readonly RuleFinding[];
};

/** Compares the two versions of a module, of which at least one must exist. Undefined if their bytes are equal. */
export function differenceOf(before: ModuleWithBytes | undefined, after: ModuleWithBytes | undefined): ModuleDifference | undefined {
  const sha256 = { before: before?.sha256 ?? null, after: after?.sha256 ?? null };
  if (before === undefined || after === undefined) {
    const { abi } = (before ?? after) as ModuleWithBytes;
    return wholeModule({ address: abi.address, name: abi.name }, sha256);
  }
  const bytes = compareBytes(before.bytes, after.bytes);
  if (bytes === "none") return undefined;
  const module = { address: after.abi.address, name: after.abi.name };
  const found = compareModules(before, after);
  const isVisible = found.some(({ severity }) => worstSeverity(severity) !== "silent");
  const rule = bytes === "metadata" ? "metadata-changed" : "code-changed";
  const silent = makeFinding(rule, { kind: "module", name: null }, { before: sha256.before, after: sha256.after });
  return { module, depth: isVisible ? "interface" : bytes, sha256, findings: isVisible ? worstFirst(found) : [silent, ...found] };
}

/** The difference of a module that exists on one side only; its bytes need not be known. */
export function wholeModule(module: ModuleId, sha256: ModuleDifference["sha256"]): ModuleDifference {
  const depth = sha256.before === null ? "added" : "removed";
  const finding = makeFinding(`module-${depth}`, { kind: "module", name: null }, sha256);
  return { module, depth, sha256, findings: [finding] };
}

/** Sorts findings by severity, the worst first, otherwise keeping their order. */
function worstFirst(findings: readonly RuleFinding[]): RuleFinding[] {
  const worst = ({ severity }: RuleFinding): Severity => worstSeverity(severity) ?? "silent";
  return findings.toSorted((a, b) => compareSeverities(worst(a), worst(b)));
}
