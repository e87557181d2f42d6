import { abortCodeParts, findError } from "../../abi/abort/abort-codes.ts";
import { type Fact, type FactKind, factText } from "../../abi/effects/fact.ts";
import { ModuleEffects } from "../../abi/effects/module-effects.ts";
import type { FunctionAbi } from "../../abi/model.ts";
import { readChain } from "../../archive/chain.ts";
import { itemQueries } from "../../archive/read/item-queries.ts";
import { compare } from "../../base/sorted.ts";
import type { FunctionCode } from "../../move/code/read-code.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import { formatModuleId, type ItemId, isIdentifier } from "../../move/module-id.ts";
import { callTexts } from "../../questions/item/call-texts.ts";
import { functionsOf } from "../../questions/item/item-history.ts";
import { printedModule } from "../../questions/module-source.ts";
import { flag, Html, html } from "../html/html.ts";
import { shortName, sourceBox, table, text } from "../html/texts.ts";
import type { PageCall } from "../page.ts";
import { type ItemParts, itemList, LISTED_MAX, type ShownItem } from "./item-parts.ts";

/** What is said of each effect; calls and constants are shown otherwise. */
const effectWords: readonly (readonly [FactKind, string])[] = [
  ["reads", "Reads"],
  ["writes", "Writes"],
  ["moves", "Publishes or takes"],
  ["emits", "Emits"],
];

export async function functionParts({ archive }: PageCall, fn: FunctionAbi, of: ShownItem): Promise<ItemParts> {
  const { id, shown } = of;
  const functions = functionsOf(of.content);
  const code = functions?.get(fn.name);
  const facts = functions === undefined ? [] : factsOf(id, functions, fn.name);
  const callers = await itemQueries(archive.engine).callersOf({ module: id, name: fn.name }, shown.version, LISTED_MAX + 1);
  const chainId = await readChain(archive.modules.engine);
  const main = html`${abortTable(facts, of)}${touched(facts)}${callView(id, fn, chainId)}`;
  const calledBy = itemList("Called by", callers, { ...of, isHeld: () => true }, "No module that is held calls it by name.");
  return { main, side: html`${calledBy}${code === undefined ? "" : itemList("Calls", calleesOf(code), of, "Nothing.")}` };
}

/** What the function does with all that it calls in its module; nothing where that is more than can be followed. */
function factsOf(id: ShownItem["id"], functions: ReadonlyMap<string, FunctionCode>, name: string): readonly Fact[] {
  return ifDecodable(() => [...(new ModuleEffects(id, functions).of(name)?.facts.values() ?? [])].filter((fact) => !fact.isDead)) ?? [];
}

function calleesOf({ instructions }: FunctionCode): ItemId[] {
  const found = new Map<string, ItemId>();
  for (const { reference } of instructions) {
    if (reference?.kind !== "function") continue;
    const { module, name } = reference.handle;
    found.set(`${formatModuleId(module)}::${name}`, { module, name });
  }
  return [...found.values()];
}

function abortTable(facts: readonly Fact[], { content, id, links, at }: ShownItem): Html {
  const codes = facts.flatMap(({ kind, name }) => (kind === "aborts" && name.startsWith("0x") ? [BigInt(name)] : [])).sort(compare);
  if (codes.length === 0) return html``;
  const { errors } = printedModule(content).abi;
  const rows = codes.map((one) => {
    const { category } = abortCodeParts(one);
    const error = findError(errors, one)?.error;
    const words = error === undefined ? "who raises it" : shortName(error.name);
    const name = html`<a class="mono" href="${links.error(id, one, { at })}">${words}</a>`;
    return [
      html`<span class="num">${one}</span> <span class="num dim part">0x${one.toString(16)}</span>`,
      html`${name}${category === undefined ? "" : html` <span class="dim small part">${category.name}</span>`}`,
      error === undefined ? html`<span class="dim">the module has no words for it</span>` : text(error.description, 500),
    ];
  });
  return html`<h2>Aborts with</h2><div class="narrow">${table("Abort codes", ["Code", "Name", "Meaning"], rows)}</div>
<p class="small dim">Its own codes, and those of what it calls in its module. What it calls in others may abort too; a condition that is
not met in the VM has no code of a module.</p>`;
}

function touched(facts: readonly Fact[]): Html {
  const rows = effectWords.flatMap(([effect, words]) => {
    const names = facts.filter(({ kind }) => kind === effect).map(factText);
    return names.length === 0 ? [] : [[words, html`${names.map((name) => html`<code class="part">${text(name, 300)}</code> `)}`]];
  });
  return rows.length === 0 ? html`` : html`<h2>Touches</h2>${table("Resources and events", ["What it does", "Type"], rows)}`;
}

function callView(id: ShownItem["id"], fn: FunctionAbi, chainId: number | null): Html {
  if (![id.name, fn.name].every(isIdentifier)) return html``;
  const texts = callTexts(id, fn, chainId);
  if (texts.length === 0) return html``;
  const ways = texts.map(({ tool, text: words }, i) => {
    const source = sourceBox(tool, Html.preserved(words), `call-${i}`);
    return html`<details${flag("open", i === 0)}><summary>${tool}</summary>${source}
<p><button type="button" data-copy="call-${i}" hidden>Copy</button></p></details>`;
  });
  return html`<h2>Call it</h2>${ways}`;
}
