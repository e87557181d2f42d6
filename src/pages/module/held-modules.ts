import type { ModuleAbi } from "../../abi/model.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { formatModuleId, type ModuleId } from "../../move/module-id.ts";
import type { Links } from "../html/links.ts";
import type { SourceLinks } from "./source-html.ts";

/** Tells of modules that a module names whether they are held at the same version: to others no link leads. */
export type IsHeld = (id: ModuleId) => boolean;

/** More names than this are not looked up; the rest counts as not held. */
const LOOKED_UP = 500;

export async function heldModules(archive: ModuleArchive, abi: ModuleAbi, version: bigint): Promise<IsHeld> {
  const named = [abi, ...abi.dependencies, ...abi.friends].slice(0, LOOKED_UP).map(({ address, name }) => ({ address, name }));
  const held = new Set((await archive.standingAmong(named, version)).map(formatModuleId));
  return (id) => held.has(formatModuleId(id));
}

/** Links of a source: to modules, and to items by their own pages, at the version of a page's address; none to what is not held. */
export function heldLinks(isHeld: IsHeld, links: Links, at: string | undefined): Pick<SourceLinks, "module" | "item"> {
  return {
    module: (id) => (isHeld(id) ? links.module(id, { at }) : undefined),
    item: (id, item) => (isHeld(id) ? links.item(id, item, { at }) : undefined),
  };
}
