import { allFields, type ErrorCodeAbi, type TypeParameterAbi } from "../../../abi/model.ts";
import { formatModuleId, type ItemId, type ModuleId } from "../../../move/module-id.ts";
import { structsInType } from "../../../move/types/format-type.ts";
import type { MoveType } from "../../../move/types/make-type.ts";
import type { Transaction } from "../../engine/engine.ts";
import { jsonEach } from "../../schema/sql/functions.ts";
import { internAddresses } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { type AbiRows, type ContentDigest, errorCells } from "./abi-rows.ts";
import { addAbilities, addList, type NewRows, rowsOnce } from "./new-rows.ts";
import type { SearchWords } from "./search-words.ts";

// A list as JSON and no staged table: in SQLite each temporary table makes every statement be prepared again.
const addresses = jsonEach(":addresses::json", "j");
const addAddresses = internAddresses(sql`(SELECT j.value AS address FROM ${addresses})`);
const addressIds = sql<[address: string, id: number]>`SELECT a.address, a.id FROM ${addresses} JOIN _addresses a ON a.address = j.value`;

/** The numbers of addresses, which get a row where they have none. */
export async function internAddressIds(tx: Transaction, wanted: Iterable<string>): Promise<Map<string, number>> {
  const distinct = new Set(wanted);
  if (distinct.size === 0) return new Map();
  const addresses = JSON.stringify([...distinct]);
  const known = new Map(await tx.all(addressIds, { addresses }));
  // Those of accounts that are read have a row since they were planned.
  if (known.size === distinct.size) return known;
  await tx.run(addAddresses, { addresses });
  return new Map(await tx.all(addressIds, { addresses }));
}

type Signature = readonly [text: string, typeParams: readonly TypeParameterAbi[]];
type ErrorMap = readonly [digest: ContentDigest, errors: readonly ErrorCodeAbi[]];
type Called = readonly [module: number, name: string];

const typeCells = ({ text }: MoveType) => [text];
const firstCell = ([cell]: Signature | ErrorMap) => [cell];
const errorKey = (error: ErrorCodeAbi): string => JSON.stringify(errorCells(error));

/** The rows that ABIs share. New ones are added to `rows`, and their names to `words`. */
export function sharedRows(rows: NewRows, words: SearchWords) {
  let accounts: ReadonlyMap<string, number> = new Map();
  /** Modules whose first rows are gathered: nothing stored names them. */
  const added = new Set<number>();
  const moduleCells = ({ address, name }: ModuleId) => [accounts.get(address) as number, name];
  const modules = rowsOnce(rows, "modules", moduleCells, (_, { name }) => words.add(name));
  const moduleOf = (module: ModuleId): number => modules.of(formatModuleId(module));
  const structCells = (type: MoveType) => structsInType(type).map(({ module, name }): Called => [moduleOf(module), name]);
  const types = rowsOnce(rows, "types", typeCells, (id, type) => {
    for (const cells of new Map(structCells(type).map((cells) => [cells.join(" "), cells])).values())
      rows.cells.type_structs.push(id, ...cells);
  });
  const signatures = rowsOnce<Signature>(rows, "signatures", firstCell, (id, [, typeParams]) => {
    const cells = rows.cells.signature_type_params;
    typeParams.forEach(({ constraints }, position) => {
      cells.push(id, position);
      addAbilities(cells, constraints);
    });
  });
  const called = rowsOnce<Called>(rows, "called_functions", (cells) => cells);
  const errors = rowsOnce<ErrorCodeAbi>(rows, "error_codes", errorCells, (_, { name, description }) =>
    words.add(name, [name, description]),
  );
  const numberOfError = (error: ErrorCodeAbi): number => errors.of(errorKey(error));
  const errorMaps = rowsOnce<ErrorMap>(rows, "error_maps", firstCell, (id, [, list]) =>
    addList(rows.cells.error_map_codes, id, list.map(numberOfError)),
  );
  const all = [modules, types, signatures, called, errors, errorMaps];

  const wantTypes = (list: readonly MoveType[]): void => {
    for (const type of list) types.want(type.text, type);
  };
  const wantModules = (list: Iterable<ModuleId>): void => {
    for (const module of list) modules.want(formatModuleId(module), module);
  };
  const wantCalled = (callees: readonly ItemId[]): readonly string[] => {
    // A map of its own: in one that lives on, V8 would let each module outlive the young generation.
    const numbers = new Map<ModuleId, number>();
    return callees.map(({ module, name }) => {
      const number = numbers.get(module) ?? moduleOf(module);
      numbers.set(module, number);
      const key = `${number} ${name}`;
      called.want(key, [number, name]);
      return key;
    });
  };
  const wantAll = ({ abi, functions, errorsDigest }: AbiRows): void => {
    for (const { params, returns } of abi.functions) {
      wantTypes(params);
      wantTypes(returns);
    }
    for (const struct of abi.structs) for (const { type } of allFields(struct)) types.want(type.text, type);
    wantModules([abi]);
    wantModules(abi.friends);
    wantModules(abi.dependencies);
    for (const { signature, abi } of functions) signatures.want(signature, [signature, abi.typeParams]);
    for (const error of abi.errors) errors.want(errorKey(error), error);
    if (errorsDigest !== null) errorMaps.want(errorsDigest, [errorsDigest, abi.errors]);
  };

  return {
    moduleOf,
    typeOf: ({ text }: MoveType): number => types.of(text),
    signatureOf: signatures.of,
    calledOf: called.of,
    errorMapOf: errorMaps.of,
    isAdded: (module: number): boolean => added.has(module),
    /** Gives all that ABIs name a number. @returns by the ABI the keys of what it calls, for `calledOf` */
    settle: async (tx: Transaction, abis: readonly AbiRows[]): Promise<ReadonlyMap<AbiRows, readonly string[]>> => {
      for (const one of abis) wantAll(one);
      // Bytecode has the modules of its types among its dependencies; what a node reported need not.
      if (abis.some(({ callees }) => callees === undefined))
        for (const type of types.wanted()) wantModules(structsInType(type).map(({ module }) => module));
      accounts = await internAddressIds(
        tx,
        Array.from(modules.wanted(), ({ address }) => address),
      );
      for (const id of await modules.settle(tx)) added.add(id);
      const calls = new Map(abis.map((one) => [one, wantCalled(one.callees ?? [])]));
      await types.settle(tx, (type) => structCells(type).some(([module]) => added.has(module)));
      await signatures.settle(tx);
      await called.settle(tx, ([module]) => added.has(module));
      await errors.settle(tx);
      await errorMaps.settle(tx);
      return calls;
    },
    /** To be called when what was added is in its tables: forgets what is much. */
    trim: (): void => {
      added.clear();
      for (const { trim } of all) trim();
    },
    forget: (): void => {
      added.clear();
      for (const { forget } of all) forget();
    },
  };
}
