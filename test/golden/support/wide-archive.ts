import { type FunctionSpec, writeModule } from "../../../sim/index.ts";
import { type SnapshotOfModules, sealModules } from "../../support/sealed-modules.ts";

/**
 * `wide.db`: two snapshots in which each list that movedex cuts is longer than its limit. A release of 52 modules that break twice and do
 * something else; a module that loses 22 functions, one of which has 7 callers; 32 functions that reach one that does something else;
 * 12 modules of one name that name a struct; 103 accounts that no other archive holds; and names that languages keep for themselves.
 */
export async function makeWideArchive(path: string): Promise<void> {
  await sealModules(path, [snapshotAt(100n, false), snapshotAt(200n, true)]);
}
const [RELEASE, CORE, CALLER] = ["0xbeef", "0xcafe", "0xd00d"];

const numbered = (count: number, letter: string): string[] =>
  Array.from({ length: count }, (_, i) => `${letter}${String(i + 1).padStart(2, "0")}`);

function snapshotAt(version: bigint, isLater: boolean): SnapshotOfModules {
  const twins = numbered(12, "0xa").map((address) => [address, [twin(address)]] as const);
  const empty = numbered(103, "0xe").map((address) => [address, []] as const);
  return {
    version,
    accounts: {
      [RELEASE]: releaseModules(isLater),
      [CORE]: [core(isLater), reservedNames, writeModule({ address: CORE, name: "con" })],
      [CALLER]: [caller],
      ...Object.fromEntries([...twins, ...empty]),
    },
  };
}

const open = (name: string, more: Partial<FunctionSpec> = {}): FunctionSpec => ({ name, visibility: "public", ...more });

/** The modules of the release; the later ones lost two functions, and others abort with another code: 22 in the first, one elsewhere. */
export function releaseModules(isLater: boolean): Uint8Array[] {
  const gone = isLater ? [] : [open("old"), open("older")];
  return numbered(52, "m").map((name, i) => {
    const changed = numbered(i === 0 ? 22 : 1, "run").map((fn) => open(fn, { abortCode: isLater ? 2 : 1 }));
    return writeModule({ address: RELEASE, name, functions: [...changed, ...gone] });
  });
}

/**
 * `many.db`: 30 modules lose an entry function and another one each, no two of the same declaration, so that no cause is said once for
 * many; seven modules come; five functions have another name; 25 accounts change a module each, and seven give no answer any more. A
 * report has no room for all of it, nor has a page. And a module has a function more than show.
 */
export async function makeManyChanges(path: string): Promise<void> {
  const snapshot = (version: bigint, isLater: boolean): SnapshotOfModules => {
    const losing = numbered(30, "m").map((name, i) => {
      const params = Array.from({ length: i }, () => "u64");
      return writeModule({
        address: RELEASE,
        name,
        functions: isLater ? [] : [open("called", { entry: true, params }), open("used", { params })],
      });
    });
    const come = isLater ? numbered(7, "n").map((name) => writeModule({ address: RELEASE, name })) : [];
    const changed = numbered(25, "0xf").map((address) => {
      const functions = [open("run", { abortCode: isLater ? 2 : 1 })];
      return [address, [writeModule({ address, name: "one", functions })]] as const;
    });
    const named = numbered(5, isLater ? "b" : "a").map((name, i) => open(name, { abortCode: 7 + i }));
    const many = numbered(61, "e").map((name) => open(name));
    return {
      version,
      accounts: {
        [RELEASE]: [...losing, ...come],
        [CORE]: [
          writeModule({ address: CORE, name: "named", functions: named }),
          writeModule({ address: CORE, name: "large", functions: many }),
        ],
        ...Object.fromEntries([...changed, ...numbered(7, "0xe").map((address) => [address, isLater ? "timeout" : []] as const)]),
      },
    };
  };
  await sealModules(path, [snapshot(100n, false), snapshot(200n, true)]);
}

const lost = numbered(22, "f");

export function core(isLater: boolean): Uint8Array {
  const functions = [open("pack", { abortCode: isLater ? 2 : 1 }), ...(isLater ? [] : lost.map((name) => open(name)))];
  return writeModule({
    address: CORE,
    name: "core",
    structs: [{ name: "Thing", abilities: ["store"], fields: [["a", "u64"], ...(isLater ? [["b", "u64"] as const] : [])] }],
    functions,
  });
}

const [CALL, RETURN] = [0x11, 0x02];
const callers = numbered(32, "c");

/** Calls `pack` in each function, and in the first seven a function that goes. */
const caller = writeModule({
  address: CALLER,
  name: "caller",
  functions: callers.map((name, i) =>
    open(name, {
      code: [Uint8Array.of(CALL, callers.length), ...(i < 7 ? [Uint8Array.of(CALL, callers.length + 1)] : []), Uint8Array.of(RETURN)],
    }),
  ),
  imports: [
    { module: `${CORE}::core`, name: "pack" },
    { module: `${CORE}::core`, name: "f01" },
  ],
});

const twin = (address: string): Uint8Array =>
  writeModule({ address, name: "twin", structs: [{ name: "Holder", abilities: ["store"], fields: [["thing", `${CORE}::core::Thing`]] }] });

// Of TypeScript: what is no name of a type there. The typings need another name for such a struct.
const reservedWords =
  "any as async await bigint boolean break case catch class const continue debugger declare default delete do else enum export extends " +
  "false finally for from function get global if implements import in infer instanceof interface intrinsic is keyof let module namespace " +
  "never new null number object of out override package private protected public readonly require return satisfies set static string " +
  "super switch symbol this throw true try type typeof undefined unique unknown using var void while with yield";

const reservedNames = writeModule({
  address: CORE,
  name: "reserved",
  structs: reservedWords.split(" ").map((name) => ({ name, abilities: ["store"], fields: [["default", "u64"]] })),
});
