import { runsOf } from "../../core/base/names.ts";
import { plural } from "../../core/base/plural.ts";
import type { ModuleArchive } from "../../core/db/archive/read/module-archive.ts";
import type { ItemId } from "../../core/move/module-id.ts";
import type { SearchHit } from "./hits.ts";
import { itemQueries } from "./item-queries.ts";

/** How many functions take and return a type, and how many structs hold it; at least so many where `isCut`. */
export type TypeUse = ItemId & {
  readonly takenBy: number;
  readonly returnedBy: number;
  readonly heldBy: number;
  readonly isCut: boolean;
};

/** Types that are told of, and uses that are counted of each. */
const [TYPES_MAX, COUNTED_MAX] = [3, 1000];

/**
 * Of a search by a type's name: how the types of just this name are used, at the newest snapshot of their account. One that nothing uses
 * is left out: an event has often the name of a function.
 */
export async function typeUsesOf(archive: ModuleArchive, hits: readonly SearchHit[], words: readonly string[]): Promise<TypeUse[]> {
  const typed = words.join(" ");
  const isNamed = ({ kind, module, name, lastVersion }: SearchHit): boolean => {
    const own = runsOf(name).join(" ");
    return kind === "struct" && lastVersion === null && (own === typed || `${runsOf(module).join(" ")} ${own}` === typed);
  };
  const { takersOf, returnersOf, holdersOf } = itemQueries(archive.engine);
  const uses = await Array.fromAsync(hits.filter(isNamed).slice(0, TYPES_MAX), async ({ address, module, name }): Promise<TypeUse> => {
    const item = { module: { address, name: module }, name };
    const version = (await archive.newestCovering(address)) ?? 0n;
    const [takenBy, returnedBy, heldBy] = await Promise.all(
      [takersOf, returnersOf, holdersOf].map(async (read) => (await read(item, version, COUNTED_MAX)).length),
    );
    const counts = { takenBy: takenBy ?? 0, returnedBy: returnedBy ?? 0, heldBy: heldBy ?? 0 };
    return { ...item, ...counts, isCut: Object.values(counts).includes(COUNTED_MAX) };
  });
  return uses.filter(({ takenBy, returnedBy, heldBy }) => takenBy + returnedBy + heldBy > 0);
}

/** `20 functions take it, 13 return it, 2 structs hold it`. */
export function typeUseWords({ takenBy, returnedBy, heldBy, isCut }: TypeUse): string {
  const words = `${plural(takenBy, "function takes", "functions take")} it, ${plural(returnedBy, "returns", "return")} it`;
  return `${words}, ${plural(heldBy, "struct holds", "structs hold")} it${isCut ? ", or more" : ""}`;
}
