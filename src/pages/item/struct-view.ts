import type { StructAbi } from "../../abi/model.ts";
import { DecodeError } from "../../move/decode-error.ts";
import { usesOfStruct } from "../../questions/uses/struct-uses.ts";
import { type Html, html } from "../html/html.ts";
import { shortName, table, text } from "../html/texts.ts";
import type { PageCall } from "../page.ts";
import { itemList, LISTED_MAX } from "./item-list.ts";
import type { ShownItem } from "./item-source.ts";

/** What is done with a struct and who has to do with it. */
export async function structParts(
  { archive, links }: PageCall,
  struct: StructAbi,
  of: ShownItem,
): Promise<{ readonly main: Html; readonly side: Html }> {
  const { id, shown, at } = of;
  const item = { module: id, name: struct.name };
  const lists: Html[] = [];
  for (const [title, read] of [
    ["Taken by", archive.modules.takersOf],
    ["Returned by", archive.modules.returnersOf],
    ["Stored in", archive.modules.holdersOf],
  ] as const) {
    const items = await read(item, shown.version, LISTED_MAX + 1);
    lists.push(itemList(title, items, links, { at, own: id, isHeld: () => true, none: "Nothing that is held." }));
  }
  return { main: ownUses(of, struct.name, links), side: html`${lists}` };
}

/** What the functions of its own module do with it: no other module can. */
function ownUses({ id, content, at }: ShownItem, name: string, links: PageCall["links"]): Html {
  const rows = usesIn(content, name).map((use) => [
    html`<a class="mono" href="${links.item(id, use.name, { at })}">${shortName(use.name)}</a>`,
    text(use.how.join(", "), 500),
  ]);
  return rows.length === 0
    ? html``
    : html`<h2>What its module does with it</h2>${table("Functions of the module", ["Function", "What it does"], rows)}`;
}

function usesIn(content: ShownItem["content"], name: string): ReturnType<typeof usesOfStruct> {
  if (content.kind !== "decoded") return [];
  try {
    return usesOfStruct(content.bytes, name);
  } catch (error) {
    if (error instanceof DecodeError) return [];
    throw error;
  }
}
