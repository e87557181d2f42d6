import type { DecodedModule } from "../../../core/abi/decode.ts";
import type { FunctionAbi, StructAbi } from "../../../core/abi/model.ts";
import { formatInterfaceItem } from "../../../core/abi/print/interface-text.ts";
import type { StoredContent } from "../../../core/db/archive/content/stored-content.ts";
import type { ModuleArchive, StoredModule } from "../../../core/db/archive/read/module-archive.ts";
import { bodiesOf } from "../../effects/module-functions.ts";
import { differenceOf, type ModuleWithBytes } from "../compare/difference.ts";

export type ItemKind = "function" | "struct";

export type ItemChange = {
  /** The version of the module that has it so. */
  readonly span: StoredModule;
  readonly kind: "first" | "added" | "declaration" | "code" | "removed";
  /** What the rules of `diff` say of it, not how bad: that follows from who uses it. Empty for the first, and beyond some changes. */
  readonly findings: readonly { readonly rule: string; readonly before: string | null; readonly after: string | null }[];
  /** The declaration of a struct as it is from here on; empty for a function and where it was removed. */
  readonly layout: string;
};

/** Its changes, newest first; `isCut` where older versions of the module were not looked at, `unreadable` counts those that cannot be. */
export type ItemHistory = { readonly changes: readonly ItemChange[]; readonly isCut: boolean; readonly unreadable: number };

/** Versions of a module that are read, newest first, and changes that are compared. */
const [VERSIONS_MAX, COMPARED_MAX] = [200, 30];

/** The declaration of an item in a version of its module, and with its instructions; both empty where the module has none of the name. */
type Shown = { readonly module: ModuleWithBytes; readonly head: string; readonly text: string };

/** When an item was added and changed, and what by the rules of `diff`: also where only its instructions did. */
export async function readItemHistory(
  archive: ModuleArchive,
  spans: readonly StoredModule[],
  kind: ItemKind,
  name: string,
): Promise<ItemHistory> {
  const read = spans.slice(-VERSIONS_MAX);
  const changes: ItemChange[] = [];
  let [before, unreadable, compared] = [undefined as Shown | undefined, 0, 0];
  for (const span of read) {
    const content = await archive.content(span);
    const shown = content.kind === "decoded" ? textsOf(content, span.sha256, kind, name) : undefined;
    if (shown === undefined) {
      unreadable += 1;
      continue;
    }
    if ((before?.text ?? "") !== shown.text) {
      const change = changeKind(before, shown);
      const isCompared = (change === "code" || change === "declaration") && ++compared <= COMPARED_MAX;
      const found = before !== undefined && isCompared ? (differenceOf(before.module, shown.module)?.findings ?? []) : [];
      const findings = found.filter(({ item }) => item.kind === kind && item.name === name);
      changes.push({ span, kind: change, findings, layout: kind === "struct" ? shown.head : "" });
    }
    before = shown;
  }
  return { changes: changes.reverse(), isCut: read.length < spans.length, unreadable };
}

function changeKind(before: Shown | undefined, after: Shown): ItemChange["kind"] {
  if (before === undefined) return "first";
  if (before.text === "") return "added";
  if (after.text === "") return "removed";
  return before.head === after.head ? "code" : "declaration";
}

/** Undefined where the instructions cannot be read. */
function textsOf(content: DecodedContent, sha256: string, kind: ItemKind, name: string): Shown | undefined {
  const module = { ...content.module, bytes: content.bytes, sha256 };
  const item = itemOf(module, kind, name);
  if (item === undefined) return { module, head: "", text: "" };
  const bodyOf = kind === "function" ? bodiesOf(content, name) : () => undefined;
  return bodyOf && { module, head: formatInterfaceItem(module, item), text: formatInterfaceItem(module, item, bodyOf) };
}

type DecodedContent = Extract<StoredContent, { kind: "decoded" }>;

export function itemOf({ abi }: Pick<DecodedModule, "abi">, kind: ItemKind, name: string): FunctionAbi | StructAbi | undefined {
  const items: readonly (FunctionAbi | StructAbi)[] = kind === "function" ? abi.functions : abi.structs;
  return items.find((item) => item.name === name);
}
