import type { PrintedModule } from "../abi/print/interface-text.ts";
import { readChain } from "../archive/chain.ts";
import type { StoredContent } from "../archive/content/stored-content.ts";
import type { ModuleArchive } from "../archive/read/module-archive.ts";
import { plural } from "../base/plural.ts";
import { printable } from "../base/printable.ts";
import { NotHeldError } from "./not-held.ts";
import type { ResolvedModule } from "./resolve-module.ts";

export function commentLines(lines: readonly string[]): string {
  return lines.map((line) => `// ${printable(line, 1000)}\n`).join("");
}

/** Where and when a module was read, in a line. */
export async function aboutModule(archive: ModuleArchive, { module, version, between }: ResolvedModule): Promise<string[]> {
  const id = `${module.address}::${module.name}`;
  const chain = await readChain(archive.engine);
  const when =
    between === undefined
      ? `at ledger version ${version}`
      : `at ledger version ${version}, which was not read: the same at ${between.join(" and ")}`;
  const since = module.from === version || between !== undefined ? "" : `, unchanged since ${module.from}`;
  return [`${id} ${when}${chain === null ? "" : ` of chain ${chain}`}${since}`];
}

export function aboutContent(content: StoredContent): string[] {
  const version = content.bytecodeVersion === null ? "unknown" : content.bytecodeVersion;
  const compilation = content.kind === "decoded" ? content.module.compilation : undefined;
  const compiler = compilation === undefined ? "" : `; compiler ${compilation.compiler_version}, language ${compilation.language_version}`;
  const reported =
    content.kind === "reported"
      ? ["by the node's ABI: the bytecode is newer than this movedex, so private functions and error codes are not known"]
      : [];
  return [`bytecode version ${version}, ${plural(content.bytes.length, "byte")}${compiler}`, ...reported];
}

/** What can be printed of stored bytes. @throws NotHeldError when they cannot be read */
export function printedModule(content: StoredContent): PrintedModule {
  if (content.kind === "decoded") return content.module;
  if (content.kind === "reported") return { abi: content.abi, functionMarks: new Map() };
  throw new NotHeldError(`the bytes cannot be decoded: ${content.reason}.`);
}
