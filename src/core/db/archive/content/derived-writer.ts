import { setImmediate } from "node:timers/promises";
import type { ItemId, ModuleId } from "../../../move/module-id.ts";
import { structsIn, structsInType } from "../../../move/types/format-type.ts";
import type { MoveType } from "../../../move/types/make-type.ts";
import type { Transaction } from "../../engine/engine.ts";
import { contentTurn, jsonEach, jsonItem } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { type AbiRows, typesOf } from "./abi-rows.ts";
import type { Derivation } from "./derivation.ts";
import { DerivedBatch, readNextIds } from "./derived-batch.ts";
import { KnownAbis } from "./known-abis.ts";
import { ModuleNumbers } from "./module-ids.ts";
import { SearchWords } from "./search-words.ts";
import { type Called, calledKey, errorKey, sharedRows } from "./shared-rows.ts";

export type Stored = { readonly id: number; readonly derive: () => Derivation };

/** What came of a derivation: the number of its ABI, or why there is none. */
export type Written = { readonly derivedBy: string; readonly abi: number } | Failed;
export type Failed = Extract<Derivation, { error: unknown }>;

/** Cells that are gathered before they are loaded, in about two dozen modules: few enough that V8 collects them while they are young. */
const CELLS = 32 * 1024;

/** Bytecodes that are decoded before their rows are gathered: V8 collects cheaply what is dropped while it is young. */
const DECODED = 8;

const markAll = sql`UPDATE _bytecodes SET derived_by = :by::text, abi_id = CAST(${jsonItem("j.value", 1)} AS bigint)
  FROM ${jsonEach(":marks::json", "j")} WHERE _bytecodes.id = CAST(${jsonItem("j.value", 0)} AS bigint)`;

/** Writes the rows that follow from bytecode, and remembers the numbers of those that modules share. */
export function derivedRowWriter() {
  const [modules, words] = [new ModuleNumbers(), new SearchWords()];
  const shared = sharedRows();
  /** The number of the newest ABI when rows were written last. */
  let newest = 0;
  const forget = (): void => {
    newest = 0;
    for (const memory of [modules, words, ...Object.values(shared)]) memory.forget();
  };

  const wantCalled = ({ module, name }: ItemId): string => {
    const called: Called = [modules.of(module), name];
    const key = calledKey(called);
    shared.called.want(key, called);
    return key;
  };

  const gather = async (tx: Transaction, { rows, added, known }: Gathered, decoded: readonly Decoded[]): Promise<readonly number[]> => {
    const abis = decoded.map(({ rows }) => rows);
    for (const [id, name] of await modules.intern(tx, modulesOf(abis))) {
      added.add(id);
      words.add(name);
    }
    const called: (readonly string[])[] = [];
    for (const one of abis) {
      const { abi, errorsDigest } = one;
      typesOf(abi, shared.types);
      for (const { signature, abi: fn } of one.functions) shared.signatures.want(signature, [signature, fn.typeParams]);
      called.push(one.callees?.map(wantCalled) ?? []);
      for (const error of abi.errors) shared.errors.want(errorKey(error), error);
      if (errorsDigest !== null) shared.error_maps.want(errorsDigest, errorsDigest);
    }
    // Nothing stored can name a module that is new, and what is gathered is remembered.
    const isNewType = (type: MoveType): boolean => structsInType(type).some(({ module }) => added.has(modules.of(module)));
    for (const type of (await shared.types.find(tx, isNewType)).values()) rows.addType(type);
    for (const signature of (await shared.signatures.find(tx)).values()) rows.addSignature(...signature);
    for (const callee of (await shared.called.find(tx, ([module]) => added.has(module))).values()) rows.addCalled(callee);
    for (const [key, error] of await shared.errors.find(tx)) rows.addError(key, error);
    await shared.error_maps.find(tx);
    const owners = abis.map(({ abi: { address, name } }) => modules.of({ address, name }));
    // Nothing is stored of a module that is new.
    const old = owners.filter((module) => !added.has(module));
    await known.read(tx, old);
    return decoded.map(({ rows: one, again }, i) => {
      const module = owners[i] as number;
      const alike = known.sharedWith(module, one);
      if (alike.id !== undefined) return alike.id;
      const ids = rows.add(module, one, called[i] as readonly string[], alike);
      known.add(module, ids, again);
      return ids.id;
    });
  };

  /** Writes the rows of what is derived, a few bytecodes at a time. @returns what came of each, in their order */
  const write = async (tx: Transaction, derive: readonly (() => Derivation)[]): Promise<readonly Written[]> => {
    tx.onRollback(forget);
    await tx.all(contentTurn);
    const next = await readNextIds(tx);
    // Another process has made all rows anew.
    if (next.abis < newest) forget();
    const known = new KnownAbis();
    const begin = (): Gathered => ({ rows: new DerivedBatch(modules, shared, words, next), added: new Set(), known });
    const load = async ({ rows }: Gathered): Promise<void> => {
      await rows.write(tx);
      await words.write(tx);
      for (const memory of Object.values(shared)) memory.trim();
    };
    const written: Written[] = [];
    const ahead: (readonly Derivation[])[] = [];
    let [start, gathered] = [0, begin()];
    const decode = (): readonly Derivation[] => {
      start += DECODED;
      return derive.slice(start - DECODED, start).map((one) => one());
    };
    while (ahead.length > 0 || start < derive.length) {
      const derivations = ahead.shift() ?? decode();
      const decoded = derivations.flatMap((one, i) =>
        "rows" in one ? [{ rows: one.rows, again: derive[written.length + i] as () => Derivation }] : [],
      );
      const abis = (await gather(tx, gathered, decoded)).values();
      for (const one of derivations) written.push("rows" in one ? { derivedBy: one.derivedBy, abi: abis.next().value as number } : one);
      const isLast = ahead.length === 0 && start >= derive.length;
      if (!isLast && gathered.rows.size <= CELLS) continue;
      // A server takes in rows while the next bytecodes are decoded. A file has taken them in by the next turn.
      let isLoaded = false;
      const loading = load(gathered).finally(() => (isLoaded = true));
      gathered = begin();
      await Promise.race([loading, setImmediate()]);
      for (; !isLoaded && start < derive.length; await setImmediate()) ahead.push(decode());
      await loading;
    }
    newest = next.abis;
    return written;
  };

  return {
    write,
    /** Writes the rows of stored bytecodes that can be decoded, with their numbers. @returns why the others cannot, by number */
    writeStored: async (tx: Transaction, stored: readonly Stored[]): Promise<ReadonlyMap<number, Failed>> => {
      const failed = new Map<number, Failed>();
      const marks = new Map<string, [id: number, abi: number][]>();
      const written = await write(
        tx,
        stored.map(({ derive }) => derive),
      );
      for (const [i, one] of written.entries()) {
        const { id } = stored[i] as Stored;
        if ("error" in one) failed.set(id, one);
        else marks.set(one.derivedBy, [...(marks.get(one.derivedBy) ?? []), [id, one.abi]]);
      }
      for (const [by, list] of marks) await tx.run(markAll, { by, marks: JSON.stringify(list) });
      return failed;
    },
    rebuildIndex: (tx: Transaction): Promise<void> => words.rebuild(tx),
  };
}

export type DerivedRowWriter = ReturnType<typeof derivedRowWriter>;

/** Rows that are not loaded yet, the modules among them that are new, and the ABIs that modules have. */
type Gathered = { readonly rows: DerivedBatch; readonly added: Set<number>; readonly known: KnownAbis };
/** The rows of an ABI, and how they are made again. */
type Decoded = { readonly rows: AbiRows; readonly again: () => Derivation };

function modulesOf(abis: readonly AbiRows[]): ReadonlySet<ModuleId> {
  const found = new Set<ModuleId>();
  for (const { abi, callees } of abis) {
    found.add({ address: abi.address, name: abi.name });
    for (const id of abi.friends) found.add(id);
    for (const id of abi.dependencies) found.add(id);
    for (const { module } of callees ?? []) found.add(module);
    if (callees !== undefined) continue;
    // Bytecode has all that its types name among its dependencies; what a node reported need not.
    const types: MoveType[] = [];
    typesOf(abi, { want: (_, type) => types.push(type) });
    for (const { module } of structsIn(types)) found.add(module);
  }
  return found;
}
