import { plural } from "../../../core/base/plural.ts";
import { formatModuleId, moduleNamed } from "../../../core/move/module-id.ts";
import { modulePoints } from "../../changes/diff/document.ts";
import { depthNames, incomparableSentence } from "../../changes/diff/sentences.ts";
import { type Block, type Inline, namesOf, type Point } from "../../changes/documents/document.ts";
import { type ItemChange, type LockCheck, lockVerdict } from "./check-lock.ts";
import { itemsIn } from "./hashes.ts";

/** Names of one kind of change; further ones are counted. */
const NAMED = 12;

/** `2 of 41 functions and structs that the build reaches changed`, or that nothing did. */
export function lockSentence(check: LockCheck): string {
  const { lock, isFirst, changed, warned, replaced, unknown } = check;
  const reached = `${plural(itemsIn(lock.modules).length, "function or struct", "functions and structs")} of ${plural(lock.modules.size, "module")}`;
  if (isFirst) return `the build reaches ${reached}`;
  const others =
    replaced.length === 0 ? "" : `; ${plural(replaced.length, "module")} of them ${replaced.length === 1 ? "has" : "have"} other bytes`;
  const literals =
    warned.length === 0 ? "" : `; ${plural(warned.length, "function")} ${warned.length === 1 ? "has" : "have"} other literals or operators`;
  if (changed.length > 0) return `${changed.length} of ${reached} that the build reaches changed${literals}`;
  if (unknown.length > 0) return `not everything that the build reaches could be compared: ${plural(unknown.length, "item")}`;
  return `the build reaches ${reached}, and none of it changed${others}${literals}`;
}

const WORDS: Readonly<Record<ItemChange["what"], string>> = {
  gone: "gone",
  signature: "declared in another way",
  effects: "do something else",
  literals: "other literals or operators, which only warn",
  unknown: "more than can be followed",
};

/** The changelog: the result, what changed, then the causes by package. */
export function lockDocument(check: LockCheck, title: readonly Inline[]): Block[] {
  const { lock, changed, warned, unknown, report } = check;
  const named = new Set([...lock.uses.functions, ...lock.uses.structs]);
  const point = ([what, items]: readonly [ItemChange["what"], readonly ItemChange[]]): Point => ({
    parts: [
      `${WORDS[what]}: `,
      ...namesOf(
        items.map(({ item }) => item).sort((a, b) => Number(named.has(b)) - Number(named.has(a))),
        NAMED,
      ),
    ],
  });
  const modules = [...(report?.modules ?? [])];
  const packageOf = (id: string): string => lock.modules.get(id)?.package ?? moduleNamed(id).address;
  const incomparable = [...unknown, ...(report?.incomparable ?? [])];
  return [
    { heading: title, level: 2 },
    { paragraph: [{ strong: lockSentence(check), tone: lockVerdict(check) }] },
    { points: [...Map.groupBy([...changed, ...warned], ({ what }) => what)].map(point) },
    ...[...Map.groupBy(modules, ({ module }) => packageOf(formatModuleId(module)))].flatMap(([name, of]): Block[] => [
      { heading: [{ code: name }], level: 2 },
      ...of.flatMap((module): Block[] => [
        { heading: [{ code: formatModuleId(module.module) }, ` ${depthNames[module.depth]}`], level: 3 },
        { points: modulePoints(module) },
      ]),
    ]),
    ...(incomparable.length === 0
      ? []
      : [
          { heading: ["Could not be compared"], level: 2 } as const,
          { points: incomparable.map((found): Point => ({ parts: [{ code: incomparableSentence(found) }] })) },
        ]),
  ];
}
