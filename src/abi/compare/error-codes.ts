import type { ErrorCodeAbi, ModuleAbi } from "../model.ts";
import { listNames, makeFinding, type RuleFinding } from "./finding.ts";
import type { RuleId } from "./rules/rules.ts";

/** Compares error maps: the meaning of each code and the code of each error. */
export function compareErrorCodes({ errors: before }: ModuleAbi, { errors: after }: ModuleAbi): RuleFinding[] {
  if (before.length > 0 && after.length === 0) {
    return [
      makeFinding(
        "error-map-removed",
        { kind: "module", name: null },
        { before: `error codes ${listNames(before.map(({ name }) => name))}`, after: null },
      ),
    ];
  }
  const now = byCode(after);
  const old = byCode(before);
  const taken = new Set<bigint>();
  const found = before.flatMap((error) => {
    const here = now.get(error.code);
    if (here?.name === error.name) return here.description === error.description ? [] : [finding("error-text-changed", error, here)];
    const moved = after.find(({ code, name }) => name === error.name && old.get(code)?.name !== name);
    if (moved !== undefined) taken.add(moved.code);
    return [
      ...(here === undefined ? [] : [finding("error-code-reused", error, here)]),
      ...(moved === undefined ? [] : [finding("error-code-renumbered", error, moved)]),
      ...(here === undefined && moved === undefined ? [finding("error-code-removed", error, undefined)] : []),
    ];
  });
  const added = after.filter(({ code }) => !old.has(code) && !taken.has(code));
  return [...found, ...added.map((error) => finding("error-code-added", undefined, error))];
}

function finding(rule: RuleId, before: ErrorCodeAbi | undefined, after: ErrorCodeAbi | undefined): RuleFinding {
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
