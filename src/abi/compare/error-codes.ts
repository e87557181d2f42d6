import type { ErrorCodeAbi, ModuleAbi } from "../model.ts";
import { type Finding, makeFinding } from "./finding.ts";
import type { RuleId } from "./rules.ts";

/** What changed about the error map: what each code means, and which code each error has. */
export function compareErrorCodes({ errors: before }: ModuleAbi, { errors: after }: ModuleAbi): Finding[] {
  if (before.length > 0 && after.length === 0) {
    return [makeFinding("error-map-removed", { kind: "module", name: null }, { before: `${before.length} error codes`, after: null })];
  }
  const now = byCode(after);
  const old = byCode(before);
  const codeNow = new Map(after.map((error) => [error.name, error]));
  const codeBefore = new Map(before.map((error) => [error.name, error]));
  const found = before.flatMap((error) => {
    const here = now.get(error.code);
    if (here?.name === error.name) return here.description === error.description ? [] : [finding("error-text-changed", error, here)];
    const moved = codeNow.get(error.name);
    return [
      ...(here === undefined ? [] : [finding("error-code-reused", error, here)]),
      ...(moved === undefined ? [] : [finding("error-code-renumbered", error, moved)]),
      ...(here === undefined && moved === undefined ? [finding("error-code-removed", error, undefined)] : []),
    ];
  });
  const isNew = ({ code, name }: ErrorCodeAbi): boolean => !old.has(code) && !codeBefore.has(name);
  return [...found, ...after.filter(isNew).map((error) => finding("error-code-added", undefined, error))];
}

function finding(rule: RuleId, before: ErrorCodeAbi | undefined, after: ErrorCodeAbi | undefined): Finding {
  const item = { kind: "error", name: (before ?? after)?.name ?? null } as const;
  return makeFinding(rule, item, { before: describe(before), after: describe(after) });
}

function describe(error: ErrorCodeAbi | undefined): string | null {
  if (error === undefined) return null;
  return `${error.name} = ${error.code}${error.description === "" ? "" : `: ${error.description}`}`;
}

function byCode(errors: readonly ErrorCodeAbi[]): ReadonlyMap<bigint, ErrorCodeAbi> {
  return new Map(errors.map((error) => [error.code, error]));
}
