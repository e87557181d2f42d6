import type { Integer, Row, Session } from "../../engine/engine.ts";
import type { ItemId, ModuleId } from "../../move/module-id.ts";
import { structsIn } from "../../move/types/mentioned-structs.ts";
import type { Ability, MoveType } from "../../move/types/types.ts";
import { asText, each, hexOf } from "../../schema/sql/functions.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";
import { type AbiRows, type FunctionRow, type StructRow, typesOf } from "../content/abi-rows.ts";

/** Rows of an ABI as texts, with names in place of numbers. */
type Texts = readonly string[];

type Rows = readonly (readonly unknown[])[];

/** What one table holds of an ABI, and what it should hold. */
type Part = {
  readonly table: string;
  /** Its rows for the ABIs in `:ids`, each with the ABI's number first. A name that leads nowhere reads as `?`. */
  readonly select: Sql;
  readonly wanted: (rows: AbiRows) => Rows;
};

const ids = sql`(SELECT CAST(j.value AS bigint) AS id FROM ${each(":ids::json", "j")}) AS w`;
const moduleName = (of: Sql): Sql =>
  sql`coalesce((SELECT na.address || '::' || nm.name FROM _modules nm JOIN _addresses na ON na.id = nm.address_id WHERE nm.id = ${of}), '?')`;
const typeText = (of: Sql): Sql => sql`coalesce((SELECT nt.text FROM _types nt WHERE nt.id = ${of}), '?')`;
const abilities = sql`x.has_copy, x.has_drop, x.has_store, x.has_key`;
const functions = sql`FROM ${ids} JOIN _abi_functions l ON l.abi_id = w.id`;
const structs = sql`FROM ${ids} JOIN _abi_structs l ON l.abi_id = w.id`;

const nameOf = ({ address, name }: ModuleId): string => `${address}::${name}`;
const bits = (list: readonly Ability[]): readonly number[] =>
  (["copy", "drop", "store", "key"] as const).map((one) => Number(list.includes(one)));
const listed = <T>(list: readonly T[], cellsOf: (item: T) => readonly unknown[]): Rows =>
  list.map((item, place) => [place, ...cellsOf(item)]);
const attributes = ({ abi }: FunctionRow | StructRow): Rows => listed(abi.attributes, ({ kind }) => [kind]);
const attributeArgs = ({ abi }: FunctionRow | StructRow): Rows =>
  abi.attributes.flatMap(({ args }, place) => args.map((value, position) => [place, position, value]));
const fields = ({ abi }: StructRow): Rows =>
  [{ variant: null, fields: abi.fields }, ...abi.variants.map(({ fields }, variant) => ({ variant, fields }))]
    .flatMap(({ variant, fields }) => fields.map(({ name, type }, position) => [variant, position, name, type.text]))
    .map((cells, place) => [place, ...cells]);

/** A table of what belongs to an ABI's functions: columns of its row `x`, after the place of the function. */
const ofFunctions = (table: string, columns: Sql, wanted: (row: FunctionRow) => Rows): Part => ({
  table,
  select: sql`SELECT w.id, l.position, ${columns} ${functions} JOIN ${named(table)} x ON x.function_id = l.function_id`,
  wanted: (rows) => rows.functions.flatMap((row, position) => wanted(row).map((cells) => [position, ...cells])),
});
const ofStructs = (table: string, columns: Sql, wanted: (row: StructRow) => Rows): Part => ({
  table,
  select: sql`SELECT w.id, l.position, ${columns} ${structs} JOIN ${named(table)} x ON x.struct_id = l.struct_id`,
  wanted: (rows) => rows.structs.flatMap((row, position) => wanted(row).map((cells) => [position, ...cells])),
});

const parts: readonly Part[] = [
  {
    table: "_abis",
    select: sql`SELECT w.id, ${moduleName(sql`x.module_id`)}, ${hexOf("x.digest")}, ${hexOf("x.face_digest")}, x.has_calls, ${hexOf("e.digest")}
      FROM ${ids} JOIN _abis x ON x.id = w.id LEFT JOIN _error_maps e ON e.id = x.error_map_id`,
    wanted: ({ abi, digest, nodeJsonDigest, callees, errorsDigest }) => [
      [nameOf(abi), digest, nodeJsonDigest, Number(callees !== undefined), errorsDigest],
    ],
  },
  {
    table: "_functions",
    select: sql`SELECT w.id, l.position, ${moduleName(sql`x.module_id`)}, ${hexOf("x.digest")}, x.name, x.visibility, x.is_entry, x.is_view, x.is_native, x.signature
      ${functions} LEFT JOIN _functions x ON x.id = l.function_id`,
    wanted: (rows) =>
      listed(rows.functions, ({ abi: { name, visibility, isEntry, isView, isNative }, digest, signature }) => {
        return [nameOf(rows.abi), digest, name, visibility, Number(isEntry), Number(isView), Number(isNative), signature];
      }),
  },
  ofFunctions("_function_type_params", sql`x.position, ${abilities}`, ({ abi }) =>
    listed(abi.typeParams, ({ constraints }) => bits(constraints)),
  ),
  ofFunctions("_function_params", sql`x.position, ${typeText(sql`x.type_id`)}`, ({ abi }) => listed(abi.params, ({ text }) => [text])),
  ofFunctions("_function_returns", sql`x.position, ${typeText(sql`x.type_id`)}`, ({ abi }) => listed(abi.returns, ({ text }) => [text])),
  ofFunctions("_function_acquires", sql`x.position, x.struct`, ({ abi }) => listed(abi.acquires, (struct) => [struct])),
  ofFunctions("_function_attributes", sql`x.position, x.kind`, attributes),
  ofFunctions("_function_attribute_args", sql`x.attribute, x.position, x.value`, attributeArgs),
  {
    table: "_function_calls",
    select: sql`SELECT w.id, l.position, ${moduleName(sql`d.module_id`)}, d.name ${functions} JOIN _function_calls x ON x.function_id = l.function_id
      LEFT JOIN _called_functions d ON d.id = x.called_id`,
    wanted: (rows) =>
      rows.functions.flatMap(({ calls }, position) =>
        calls.map((place) => rows.callees?.[place] as ItemId).map(({ module, name }) => [position, nameOf(module), name]),
      ),
  },
  {
    table: "_structs",
    select: sql`SELECT w.id, l.position, ${moduleName(sql`x.module_id`)}, ${hexOf("x.digest")}, x.name, x.is_native, x.is_event, x.is_enum, ${abilities}
      ${structs} LEFT JOIN _structs x ON x.id = l.struct_id`,
    wanted: (rows) =>
      listed(rows.structs, ({ abi: { name, isNative, isEvent, isEnum, abilities }, digest }) => {
        return [nameOf(rows.abi), digest, name, Number(isNative), Number(isEvent), Number(isEnum), ...bits(abilities)];
      }),
  },
  ofStructs("_struct_type_params", sql`x.position, x.is_phantom, ${abilities}`, ({ abi }) =>
    listed(abi.typeParams, ({ isPhantom, constraints }) => [Number(isPhantom), ...bits(constraints)]),
  ),
  ofStructs("_struct_variants", sql`x.position, x.name`, ({ abi }) => listed(abi.variants, ({ name }) => [name])),
  ofStructs("_struct_fields", sql`x.place, x.variant, x.position, x.name, ${typeText(sql`x.type_id`)}`, fields),
  ofStructs("_struct_attributes", sql`x.position, x.kind`, attributes),
  ofStructs("_struct_attribute_args", sql`x.attribute, x.position, x.value`, attributeArgs),
  {
    table: "_error_map_codes",
    select: sql`SELECT w.id, x.position, ${asText("e.code")}, e.name, e.description
      FROM ${ids} JOIN _abis y ON y.id = w.id JOIN _error_map_codes x ON x.error_map_id = y.error_map_id LEFT JOIN _error_codes e ON e.id = x.error_code_id`,
    wanted: ({ abi }) => listed(abi.errors, ({ code, name, description }) => [`${code}`, name, description]),
  },
  {
    table: "_abi_friends",
    select: sql`SELECT w.id, x.position, ${moduleName(sql`x.module_id`)} FROM ${ids} JOIN _abi_friends x ON x.abi_id = w.id`,
    wanted: ({ abi }) => listed(abi.friends, (module) => [nameOf(module)]),
  },
  {
    table: "_abi_dependencies",
    select: sql`SELECT w.id, ${moduleName(sql`x.module_id`)} FROM ${ids} JOIN _abi_dependencies x ON x.abi_id = w.id`,
    wanted: ({ abi }) => [...new Set(abi.dependencies.map(nameOf))].map((name) => [name]),
  },
];

const mentions = sql`SELECT t.text, ${moduleName(sql`x.module_id`)}, x.struct FROM ${each(":texts::json", "j")} JOIN _types t ON t.text = j.value
  JOIN _type_structs x ON x.type_id = t.id`;

/** What a table holds of an ABI, beside what should follow from the bytes. */
export type DerivedRows = { readonly table: string; readonly stored: Texts; readonly wanted: Texts };

/** Reads the stored rows of some ABIs, a list for each, beside those that should be there. */
export async function readDerivedRows(
  session: Session,
  abis: readonly { readonly id: Integer; readonly rows: AbiRows }[],
): Promise<DerivedRows[][]> {
  const values = { ids: JSON.stringify([...new Set(abis.map(({ id }) => String(id)))]) };
  const found = new Map<string, Map<Integer, Row[]>>();
  for (const { table, select } of parts) {
    const rows = await session.all<Row>(select, values);
    found.set(
      table,
      Map.groupBy(rows, ([id]) => id as Integer),
    );
  }
  const types = abis.map(({ rows }) => mentionsIn(rows));
  const texts = JSON.stringify([...new Set(types.flatMap((of) => of.texts))]);
  const mentioned = Map.groupBy(await session.all<[text: string, module: string, struct: string]>(mentions, { texts }), ([text]) => text);
  return abis.map(({ id, rows }, i) => {
    const { texts: own, wanted } = types[i] as ReturnType<typeof mentionsIn>;
    return [
      ...parts.map((part) => ({
        table: part.table,
        stored: (found.get(part.table)?.get(id) ?? []).map(([, ...cells]) => textOf(cells)),
        wanted: part.wanted(rows).map((row) => JSON.stringify(row)),
      })),
      { table: "_type_structs", stored: own.flatMap((text) => mentioned.get(text) ?? []).map(textOf), wanted },
    ];
  });
}

/** The types of an ABI, and a text for each struct that one of them mentions. */
function mentionsIn({ abi }: AbiRows): { readonly texts: readonly string[]; readonly wanted: Texts } {
  const types = new Map<string, MoveType>();
  typesOf(abi, types);
  const wanted = new Set<string>();
  for (const [text, type] of types)
    for (const { module, name } of structsIn([type])) wanted.add(JSON.stringify([text, nameOf(module), name]));
  return { texts: [...types.keys()], wanted: [...wanted] };
}

function textOf(cells: Row): string {
  return JSON.stringify(cells.map((cell) => (typeof cell === "bigint" ? Number(cell) : cell)));
}
