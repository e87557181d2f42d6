import { circlesIn } from "../../base/circles.ts";
import type { CompiledModule } from "../../move/module/module.ts";
import { isSameModule } from "../../move/module-id.ts";
import type { StructType } from "../../move/types/make-type.ts";
import { partsOf } from "../../move/types/mentioned-structs.ts";
import type { MoveType } from "../../move/types/types.ts";
import { listNames } from "../compare/finding.ts";
import { lacking } from "../compare/type-parameters.ts";
import type { Problem } from "./problem.ts";
import { ALL, abilitiesIn, handlesByName, REQUIRED, type TypePlace, typeProblems } from "./types.ts";

type Definition = CompiledModule["structs"][number];

/** Checks the structs of a module: their fields' types and abilities, and that none contains itself. */
export function checkStructs({ self, structs, structHandles }: CompiledModule): Problem[] {
  const handles = handlesByName(structHandles);
  const own = new Set(structs.map(nameOf));
  const contains = new Map<string, Set<string>>();
  const problems: Problem[] = [];
  for (const struct of structs) {
    const name = nameOf(struct);
    const { typeParams, abilities } = struct.handle;
    const item = { kind: "struct", name } as const;
    const place: TypePlace = {
      structs: handles,
      params: typeParams.map(({ constraints }) => constraints),
      phantoms: typeParams.map(({ isPhantom }) => isPhantom),
    };
    // Parameters count as having every ability: which a value has depends on its arguments.
    const asAny = { structs: handles, params: typeParams.map(() => ALL) };
    const required = [...new Set(abilities.map((ability) => REQUIRED[ability]))];
    const parts = new Set<string>();
    contains.set(name, parts);
    for (const [label, type] of labelledTypes(struct)) {
      const missing = lacking(abilitiesIn(type, asAny), required);
      if (missing.length > 0) {
        problems.push({ rule: "field-lacks-ability", item, reason: `field ${label}: ${type.text} has no ${missing.join(", ")}` });
      }
      for (const [rule, reason] of typeProblems(type, place, false)) problems.push({ rule, item, reason: `field ${label}: ${reason}` });
      for (const named of structsIn(type)) if (isSameModule(named.module, self) && own.has(named.name)) parts.add(named.name);
    }
  }
  const circles = circlesIn(contains).flatMap((names) => names.map((name) => ({ name, others: names.filter((other) => other !== name) })));
  return [
    ...problems,
    ...circles.map(
      ({ name, others }): Problem => ({
        rule: "recursive-struct",
        item: { kind: "struct", name },
        reason: `it contains itself${others.length === 0 ? "" : `, through ${listNames(others)}`}`,
      }),
    ),
  ];
}

function nameOf({ handle }: Definition): string {
  return handle.plain.name;
}

/** The types of all fields, each with its name: `amount`, or `Circle.radius` of a variant. */
function labelledTypes({ fields, variants }: Definition): (readonly [label: string, type: MoveType])[] {
  return [
    ...fields.map(({ name, type }) => [name, type] as const),
    ...variants.flatMap((variant) => variant.fields.map(({ name, type }) => [`${variant.name}.${name}`, type] as const)),
  ];
}

/** Every struct that a type names, also inside vectors and function types. */
function* structsIn(type: MoveType): Generator<StructType> {
  if (type.kind === "struct") yield type;
  if (type.kind !== "reference") for (const part of partsOf(type)) yield* structsIn(part);
}
