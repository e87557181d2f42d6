import type { ModuleAbi } from "../../abi/model.ts";
import { formatNodeAbi } from "../../abi/node-json/format.ts";
import { readChain } from "../../archive/chain.ts";
import type { TypedModule } from "../../exchange/typings/type-text.ts";
import { makeTypings } from "../../exchange/typings/typings.ts";
import { parseAddress } from "../../move/address.ts";
import { formatModuleId } from "../../move/module-id.ts";
import { printedModule } from "../../questions/module-source.ts";
import { resolveModule } from "../../questions/resolve-module.ts";
import type { PageHandler } from "../page.ts";
import type { PageArchive } from "../page-archive.ts";
import { readSubject } from "../subject.ts";

/** Modules that typings may need; a closure that is larger is cut, and the types beyond are `unknown`. */
const TYPED_MAX = 200;

export const moduleFiles: readonly string[] = ["bytecode.mv", "abi.json", "typings.tar"];

/** `/module/{address}/{name}/{file}`: the bytes of a module, its ABI as a node prints it, or typings with all that they need. */
export const moduleFile: PageHandler = async (call) => {
  const file = call.parts[2] ?? "";
  const shown = await resolveModule(call.archive.modules, readSubject(call));
  const { module, version } = shown;
  const content = await call.archive.modules.content(module);
  const stem = `${module.name}-${version}`;
  if (file === "bytecode.mv") return { contentType: "application/octet-stream", body: content.bytes, fileName: `${stem}.mv` };
  if (file === "abi.json") {
    const body = Buffer.from(`${JSON.stringify(formatNodeAbi(printedModule(content).abi), null, 2)}\n`);
    return { contentType: "application/json; charset=utf-8", body, fileName: `${stem}.json` };
  }
  const root = formatModuleId(module);
  const files = await typingsOf(call.archive, root, version, { sha256: module.sha256, abi: printedModule(content).abi });
  return { contentType: "application/x-tar", body: tarOf(files), fileName: `${stem}-${file}` };
};

/** Typings of one module and of those that its types mention, read as they turn out to be needed. */
async function typingsOf(
  archive: PageArchive,
  root: string,
  version: bigint,
  first: { readonly sha256: string; readonly abi: ModuleAbi },
): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, TypedModule | undefined>([[root, first]]);
  const chainId = (await readChain(archive.modules.engine)) ?? 0;
  for (;;) {
    const wanted: string[] = [];
    const find = (id: string): TypedModule | undefined => {
      if (!known.has(id)) wanted.push(id);
      return known.get(id);
    };
    const typings = makeTypings({
      chainId,
      ledgerVersion: version,
      selection: { accounts: [], modules: [root] },
      roots: [root],
      find,
      u64: "string",
    });
    if (wanted.length === 0) return typings.files;
    for (const id of wanted) known.set(id, known.size > TYPED_MAX ? undefined : await readTyped(archive, id, version));
  }
}

async function readTyped({ modules }: PageArchive, id: string, version: bigint): Promise<TypedModule | undefined> {
  const [account = "", name = ""] = id.split("::");
  const address = parseAddress(account);
  const module = address === undefined ? undefined : await modules.findModule({ address, name }, version);
  if (module === undefined) return undefined;
  const content = await modules.content(module);
  return content.kind === "unreadable" ? undefined : { sha256: module.sha256, abi: printedModule(content).abi };
}

const BLOCK = 512;

/**
 * Files as one tar archive in POSIX's ustar form (POSIX.1-2017, `pax`): 512 bytes of header each, padded to whole blocks, two
 * empty blocks at the end. Paths above 100 bytes are parted at a slash.
 */
function tarOf(files: ReadonlyMap<string, string>): Buffer {
  const blocks: Buffer[] = [];
  for (const [path, text] of files) {
    const body = Buffer.from(text);
    blocks.push(headerOf(path, body.length), body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK));
  }
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function headerOf(path: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const [prefix, name] = partPath(path);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, "0")}\0`;
  header.write(name, 0, 100);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(0, 11), 136);
  header.write(" ".repeat(8), 148);
  header.write("0", 156);
  header.write("ustar\0", 257);
  header.write("00", 263);
  header.write(prefix, 345, 155);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, 148);
  return header;
}

function partPath(path: string): readonly [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ["", path];
  const slash = path.indexOf("/", path.length - 101);
  return slash < 0 ? ["", path.slice(-100)] : [path.slice(0, slash), path.slice(slash + 1)];
}
