import type { FunctionAbi, StructAbi } from "../../abi/model.ts";
import { formatInterfaceItem } from "../../abi/print/interface-text.ts";
import { printable } from "../../base/printable.ts";
import { didYouMean, nearestNames } from "../../base/similar-names.ts";
import { formatModuleId } from "../../move/module-id.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { type ItemKind, itemOf } from "../../questions/item/item-history.ts";
import { printedModule } from "../../questions/module-source.ts";
import { NotHeldError } from "../../questions/not-held.ts";
import { resolveModule } from "../../questions/resolve-module.ts";
import { html } from "../html/html.ts";
import { accountLink, count, madeAt, shortName } from "../html/texts.ts";
import { heldModules } from "../module/held-modules.ts";
import { moduleFile, moduleFiles } from "../module/module-files.ts";
import type { PageCall, PageHandler } from "../page.ts";
import { readSubject } from "../subject.ts";
import { functionParts } from "./function-view.ts";
import { historyView } from "./history-view.ts";
import { instructions, itemSource, type ShownItem } from "./item-source.ts";
import { structParts } from "./struct-view.ts";

/** `/module/{address}/{name}/{item}`: a function or struct of a module; or one of the module's files. */
export const itemPage: PageHandler = async (call) => {
  const { archive, links, query, parts } = call;
  const name = parts[2] ?? "";
  if (moduleFiles.includes(name)) return moduleFile(call);
  const shown = await resolveModule(archive.modules, readSubject(call));
  const { module, version } = shown;
  const content = await archive.modules.content(module);
  const printed = printedModule(content);
  const wanted: readonly ItemKind[] = query("kind") === "struct" ? ["struct"] : ["function", "struct"];
  const kind = wanted.find((one) => itemOf(printed, one, name) !== undefined);
  if (kind === undefined) throw missing(module, [...printed.abi.functions, ...printed.abi.structs], name);
  const item = itemOf(printed, kind, name) as FunctionAbi | StructAbi;
  const id = { address: module.address, name: module.name };
  const at = query("at");
  const isHeld = await heldModules(archive.modules, printed.abi, version);
  const of: ShownItem = { id, name, shown, content, isHeld, at };
  const declaration = itemSource(formatInterfaceItem(printed, item), of, links, "Declaration");
  const { main, side } = "params" in item ? await functionParts(call, item, of) : await structParts(call, item, of);
  const code = "params" in item ? html`<h2>Instructions</h2>${instructions(of, item, links)}` : "";
  const isNewest = at !== undefined && (await standsNow(call, id, kind, name));
  const other = kind === "function" && itemOf(printed, "struct", name) !== undefined;
  const body = html`<p class="crumbs">${accountLink(links, id.address, at === undefined ? undefined : version)} :: <a class="mono" href="${links.module(id, { at })}">${shortName(id.name)}</a> ::</p>
<h1><span class="mono">${shortName(name, 80)}</span> <span class="dim">${kindWords(item)}</span></h1>
<p>At version <span class="num">${count(version)}</span>${madeAt((await archive.modules.timesOf([version])).get(version))}${at === undefined ? html` · <a href="${links.item(id, name, { at: version })}">link to it at this version</a>` : isNewest ? html` · <a href="${links.item(id, name)}">newest</a>` : ""}${other ? html` · <a href="${links.item(id, name, { at, kind: "struct" })}">the struct of this name</a>` : ""}</p>
<div class="split"><div>${declaration}${main}${await historyView(call, of, kind)}${code}</div><aside class="side">${side}</aside></div>`;
  return { title: `${shortName(id.name)}::${shortName(name)} · ${id.address}`, body };
};

/** Whether the newest snapshot has the item too. */
async function standsNow(call: PageCall, { address, name: module }: ModuleId, kind: ItemKind, name: string): Promise<boolean> {
  try {
    const newest = await resolveModule(call.archive.modules, { address, module });
    return itemOf(printedModule(await call.archive.modules.content(newest.module)), kind, name) !== undefined;
  } catch (error) {
    if (error instanceof NotHeldError) return false;
    throw error;
  }
}

function kindWords(item: FunctionAbi | StructAbi): string {
  if (!("params" in item)) return item.isEnum ? "enum" : item.isEvent ? "event" : "struct";
  const words = [item.visibility, item.isEntry ? "entry" : "", item.isView ? "view" : "", item.isNative ? "native" : "", "function"];
  return words.filter((word) => word !== "").join(" ");
}

function missing(module: ModuleId, items: readonly { readonly name: string }[], name: string): NotHeldError {
  const names = nearestNames(name, [...new Set(items.map((item) => item.name))]);
  const files = name.includes(".") ? ` Files of a module: ${moduleFiles.join(", ")}.` : "";
  return new NotHeldError(
    `${formatModuleId(module)} has no function or struct \`${printable(name, 100)}\` at this version.${didYouMean(names)}${files}`,
    { name, names },
  );
}
