import { runsOf, wordsOf } from "../../base/search-tokens.ts";
import { compare } from "../../base/sorted.ts";
import { fileName } from "../../exchange/file-name.ts";
import type { Address } from "../../move/address.ts";
import { formatModuleId, type ModuleId } from "../../move/module-id.ts";
import type { PageArchive } from "../page-archive.ts";
import type { SiteWorld } from "./site-world.ts";

/** Kinds of what is found, by the number that stands for them in a part. */
export const foundKinds = ["account", "module", "function", "struct", "error"] as const;

/** What a name leads to. `text` are words beside the name: an account's label, what an error means. */
export type Found = {
  readonly kind: (typeof foundKinds)[number];
  readonly module: ModuleId;
  readonly name: string;
  readonly text: string;
};

/** Things in a part above which it is cut by another letter, and that a word alone leads to at most. */
const [PART_MAX, WORD_MAX] = [1500, 4000];
/** Letters of the shortest word, and of the longest beginning that has a part. */
const [SHORTEST, KEY_MAX] = [2, 10];

/** A part as it is written: modules by number (address, name, its file where that is another), things (module, kind, name, file, text). */
type Part = { m: (readonly string[])[]; e: (readonly (number | string)[])[]; cut?: true };

/**
 * The index of a site's search in parts, by the beginnings of words: `keys.json` lists the parts, and a browser loads the few that a
 * word needs. A key that ends with a point has words that are just that.
 */
export class SearchParts {
  readonly #byWord = new Map<string, Found[]>();

  add(found: Found): void {
    const own = found.kind === "account" ? [found.module.address.toLowerCase()] : wordsOf(found.name);
    for (const word of new Set([...own, ...wordsOf(found.text)])) {
      if (word.length < SHORTEST) continue;
      const known = this.#byWord.get(word);
      if (known === undefined) this.#byWord.set(word, [found]);
      else known.push(found);
    }
  }

  /** How many files it has. */
  get size(): number {
    return [...this.#cut([...this.#byWord.keys()].sort(), 1)].length + 1;
  }

  /** The files of the index, below `search/`. */
  *files(): Generator<readonly [name: string, text: string]> {
    const keys: string[] = [];
    const words = [...this.#byWord.keys()].sort();
    for (const [key, some] of this.#cut(words, 1)) {
      keys.push(key);
      yield [`${partName(key)}.json`, JSON.stringify(this.#part(some))];
    }
    yield ["keys.json", JSON.stringify(keys)];
  }

  *#cut(words: readonly string[], length: number): Generator<readonly [key: string, words: readonly string[]]> {
    for (const [start, some] of Map.groupBy(words, (word) => [...word].slice(0, length).join(""))) {
      const size = some.reduce((sum, word) => sum + (this.#byWord.get(word)?.length ?? 0), 0);
      if (size <= PART_MAX || length >= KEY_MAX) yield [start, some];
      else {
        if (some.includes(start)) yield [`${start}.`, [start]];
        yield* this.#cut(
          some.filter((word) => word !== start),
          length + 1,
        );
      }
    }
  }

  #part(words: readonly string[]): Part {
    const all = [...new Set(words.flatMap((word) => this.#byWord.get(word) ?? []))].sort(order);
    const numbers = new Map<string, number>();
    const part: Part = { m: [], e: [] };
    for (const { kind, module, name, text } of all.slice(0, WORD_MAX)) {
      const id = `${module.address} ${module.name}`;
      const number = numbers.get(id) ?? part.m.length;
      if (number === part.m.length) {
        numbers.set(id, number);
        const stem = fileName(module.name);
        part.m.push(stem === module.name ? [module.address, module.name] : [module.address, module.name, stem]);
      }
      const stem = kind === "function" || kind === "struct" ? fileName(name) : name;
      const entry = [number, foundKinds.indexOf(kind), name, stem === name ? "" : stem, text];
      while (entry.at(-1) === "") entry.pop();
      part.e.push(entry);
    }
    if (all.length > WORD_MAX) part.cut = true;
    return part;
  }
}

/** A file's name for a key: other letters than those of names are spelled by their numbers. */
function partName(key: string): string {
  return `w-${[...key].map((letter) => (/[a-z0-9]/.test(letter) ? letter : `_${(letter.codePointAt(0) ?? 0).toString(16)}`)).join("")}`;
}

/** The shortest addresses first: the ledger's own accounts are what most people mean. */
function order(a: Found, b: Found): number {
  return a.module.address.length - b.module.address.length || compare(keyOf(a), keyOf(b));
}

function keyOf({ kind, module, name, text }: Found): string {
  return `${module.address} ${foundKinds.indexOf(kind)} ${module.name} ${name} ${text}`;
}

/** Of each module that stands, what derived its rows, and how many functions and structs it has. */
export type SiteItems = ReadonlyMap<string, { readonly derivedBy: string; readonly pages: number }>;

/** Characters of what an error means that a search looks through. */
const TEXT_MAX = 120;

/** Reads what a search finds. */
export async function readSearch(
  { store }: PageArchive,
  { modules, accounts }: SiteWorld,
): Promise<{ search: SearchParts; items: SiteItems }> {
  const search = new SearchParts();
  const items = new Map<string, { derivedBy: string; pages: number }>();
  const labels = new Map<Address, string>();
  for await (const page of store.listTargets()) for (const { address, label } of page) if (label != null) labels.set(address, label);
  for (const address of accounts.keys()) {
    const label = labels.get(address) ?? "";
    search.add({ kind: "account", module: { address, name: "" }, name: address, text: runsOf(label).length === 0 ? "" : label });
  }
  for await (const { address, module: name, kind, name: found, text } of store.standingItems()) {
    const module = modules.get(formatModuleId({ address, name }));
    if (module === undefined) continue;
    const id = formatModuleId(module);
    const item = items.get(id) ?? { derivedBy: "", pages: 0 };
    items.set(id, item);
    if (kind === "module") item.derivedBy = text;
    else if (kind !== "error") item.pages += 1;
    search.add({ kind, module, name: found, text: kind === "error" ? text.slice(0, TEXT_MAX) : "" });
  }
  return { search, items };
}
