import { asText, flag as flagOf, jsonList } from "../sql/functions.ts";
import { signatureOf } from "../sql/predicates.ts";
import { type Expression, joined, named, type Sql, sql, verbatim } from "../sql/sql.ts";
import { functionTables, structTables } from "../tables/item-rows.ts";
import { asInteger, columnsOf, flag, integer, longAddress, text } from "../view.ts";
import { code, moduleView, type StateSelect, type StateView } from "./state-views.ts";

type ItemKind = "function" | "struct";

/** From a module to its functions or structs `i`. `joins` come before these, which leaves SQLite free to begin with any of them. */
export const itemsOf = (kind: ItemKind, joins = sql``): Sql =>
  sql`${code} JOIN ${named(`_abi_${kind}s`)} l ON l.abi_id = b.abi_id ${joins} LEFT JOIN ${named(`_${kind}s`)} i ON i.id = l.${named(`${kind}_id`)}`;

/** From other bytecode `nb` of a module to the function or struct `l` itself, or to `ni` of the same name there, and on. */
const thenTo = (kind: ItemKind, more: Sql): Sql[] => {
  const [links, id] = [sql`JOIN ${named(`_abi_${kind}s`)} nl ON nl.abi_id = nb.abi_id`, named(`${kind}_id`)];
  return [
    sql`${links} AND nl.${id} = l.${id}`,
    sql`${links} JOIN ${named(`_${kind}s`)} ni ON ni.id = nl.${id} AND ni.name = i.name ${more}`,
  ];
};

/** That a row there has the same in these columns as the row `of`. With `+` no engine begins at all rows of a type: few are there. */
const equal = (of: string, ...columns: readonly string[]): Sql =>
  joined(
    columns.map((name) => sql`${verbatim(name.endsWith("_id") ? "+" : "")}${named(`n${of}`)}.${named(name)} = ${named(of)}.${named(name)}`),
    " AND ",
  );

/** Functions or structs: two of one name are the same by these columns. */
const items = (kind: ItemKind, ...columns: readonly string[]) => ({
  of: "i",
  joins: itemsOf(kind),
  same: thenTo(kind, sql`AND ${equal("i", ...columns)}`),
});

type More = Pick<StateSelect, "terms"> & {
  /** Tables without which there is no row, and those that only look something up. */
  readonly inner?: Sql;
  readonly lookups?: Sql;
  /** What has to be the same besides the columns. */
  readonly also?: Sql;
};

/** Rows `x` of what functions or structs have a list of: two of one item are the same by these columns. */
function parts(
  kind: ItemKind,
  list: string,
  columns: readonly string[],
  { terms, inner = sql``, lookups = sql``, also = sql`` }: More = {},
) {
  const [table, id] = [named(list), named(`${kind}_id`)];
  return {
    of: "x",
    terms,
    joins: sql`${itemsOf(kind, sql`JOIN ${table} x ON x.${id} = l.${id} ${inner}`)} ${lookups}`,
    same: thenTo(kind, sql`JOIN ${table} nx ON nx.${id} = ni.id AND ${equal("x", ...columns)} ${also}`),
  };
}

const type = { type: text("the type as the node prints it", "t.text") };
const types = sql`LEFT JOIN _types t ON t.id = x.type_id`;
const abilities = ["has_copy", "has_drop", "has_store", "has_key"] as const;
const ofFunction = { function: text("name of the function", "i.name") };

export const functionColumns = {
  ...columnsOf(functionTables.functions, "name", "visibility", "is_entry", "is_view", "is_native"),
  signature: text(
    "the declaration on one line, as Move source has it; nodes print function types in another way, without abilities",
    asText(signatureOf("i")),
  ),
  function: text("name of the function, as in name", "i.name"),
  params: integer(
    "number of its parameters, signers included",
    asInteger(sql`(SELECT count(1) FROM _function_params fp WHERE fp.function_id = i.id)`),
  ),
  entry_function: text(
    "what a transaction calls, such as 0x1::coin::transfer; null if it is no entry function",
    asText(sql`(SELECT fa.address || '::' || fm.name || '::' || i.name FROM _modules fm JOIN _addresses fa ON fa.id = fm.address_id
      WHERE fm.id = i.module_id AND i.is_entry)`),
  ),
};

export const structColumns = {
  ...columnsOf(structTables.structs, "name", "is_native", "is_event"),
  is_enum: flag("is an enum; nodes print 0x1::option::Option, an enum since 2025, as a struct with vec"),
  ...columnsOf(structTables.structs, ...abilities),
  struct: text("name of the struct or enum, as in name", "i.name"),
};

/** The variant of the field `x`, and that a field of other bytecode has the same. */
const variant = sql`LEFT JOIN _struct_variants v ON v.struct_id = x.struct_id AND v.position = x.variant`;
const sameVariant = sql`AND coalesce(v.name, '') =
  coalesce((SELECT nv.name FROM _struct_variants nv WHERE nv.struct_id = nx.struct_id AND nv.position = nx.variant), '')`;

const item = { item: text("name of the function or struct", "i.name"), item_kind: text("function or struct") };
const position = columnsOf(structTables.struct_type_params, "position");
/** The terms of columns that functions and structs do not have alike. */
const termsOf = (kind: ItemKind, terms: Readonly<Record<string, Expression>> = {}) => ({
  terms: () => ({ item_kind: asText(kind === "function" ? sql`'function'` : sql`'struct'`), ...terms }),
});

function attributes(kind: ItemKind) {
  const [table, id] = [named(`_${kind}_attribute_args`), named(`${kind}_id`)];
  const args = (of: Sql): Sql =>
    asText(jsonList("v.value", sql`${table} v WHERE v.${id} = ${of}.${id} AND v.attribute = ${of}.position`, "v.position"));
  const also = sql`AND ${args(sql`nx`)} = ${args(sql`x`)}`;
  return parts(kind, `_${kind}_attributes`, ["position", "kind"], { ...termsOf(kind, { args: args(sql`x`) }), also });
}

/** Functions and structs, and what they have. */
export const itemViews: readonly StateView[] = [
  moduleView(
    "functions",
    "Functions of modules, private and native ones included",
    functionColumns,
    items("function", "signature_id", "module_id", "visibility", "is_entry", "is_view", "is_native"),
  ),
  moduleView(
    "function_params",
    "Parameters of functions",
    { ...ofFunction, ...position, ...type },
    parts("function", "_function_params", ["position", "type_id"], { lookups: types }),
  ),
  moduleView(
    "function_returns",
    "Return values of functions",
    { ...ofFunction, ...position, ...type },
    parts("function", "_function_returns", ["position", "type_id"], { lookups: types }),
  ),
  moduleView(
    "function_acquires",
    "Structs of its own module whose storage a function accesses, as its declaration says (acquires)",
    { ...ofFunction, ...columnsOf(functionTables.function_acquires, "position", "struct") },
    parts("function", "_function_acquires", ["position", "struct"]),
  ),
  moduleView(
    "type_params",
    "Type parameters of functions and structs, with the abilities they require",
    {
      ...item,
      ...columnsOf(structTables.struct_type_params, "position", "is_phantom"),
      ...columnsOf(structTables.structs, ...abilities),
    },
    {
      of: "x",
      ...termsOf("function", { is_phantom: flagOf(sql`FALSE`) }),
      joins: sql`${itemsOf("function")} JOIN _signature_type_params x ON x.signature_id = i.signature_id`,
      same: thenTo(
        "function",
        sql`JOIN _signature_type_params nx ON nx.signature_id = ni.signature_id AND ${equal("x", "position", ...abilities)}`,
      ),
    },
    parts("struct", "_struct_type_params", ["position", "is_phantom", ...abilities], termsOf("struct")),
  ),
  moduleView("structs", "Structs and enums of modules", structColumns, items("struct", "is_native", "is_event", "is_enum", ...abilities)),
  moduleView(
    "fields",
    "Fields of structs and of enums' variants",
    {
      struct: text("name of the struct", "i.name"),
      variant: text("name of the enum's variant; null for structs", "v.name"),
      ...columnsOf(structTables.struct_variants, "position"),
      ...columnsOf(structTables.struct_fields, "name"),
      ...type,
      field: text("name of the field, as in name", "x.name"),
    },
    parts("struct", "_struct_fields", ["name", "position", "type_id"], { lookups: sql`${types} ${variant}`, also: sameVariant }),
  ),
  moduleView(
    "variants",
    "Variants of enums, empty ones included",
    {
      struct: text("name of the enum", "i.name"),
      ...columnsOf(structTables.struct_variants, "position", "name"),
      variant: text("name of the variant, as in name", "x.name"),
    },
    parts("struct", "_struct_variants", ["position", "name"]),
  ),
  moduleView(
    "attributes",
    "Attributes of functions and structs from the module's metadata: resource groups, events and others",
    {
      ...item,
      ...position,
      kind: integer(
        "kind of attribute: 0 and 1 view, 2 resource group, 3 resource group member, 4 event, 5 randomness; other numbers as found",
      ),
      args: text("its arguments, a JSON list of texts"),
    },
    attributes("function"),
    attributes("struct"),
  ),
];

const uses = (kind: ItemKind, table: string, columns: readonly string[], place: Sql, { lookups = sql``, also = sql`` }: More = {}) =>
  parts(kind, table, columns, {
    ...termsOf(kind, { place: asText(place) }),
    inner: sql`JOIN _type_structs u ON u.type_id = x.type_id`,
    lookups: sql`${lookups} LEFT JOIN _modules um ON um.id = u.module_id LEFT JOIN _addresses ua ON ua.id = um.address_id`,
    also: sql`${also} JOIN _type_structs nu ON nu.type_id = +nx.type_id AND ${equal("u", "module_id", "struct")}`,
  });

/** What functions and structs name of others. */
export const useViews: readonly StateView[] = [
  moduleView(
    "function_calls",
    "Which function calls which, or makes a function value of it, according to the bytecode; calls within a module included",
    {
      function: text("name of the calling function", "i.name"),
      callee_address: text("account that holds the module of the called function", "oa.address"),
      callee_module: text("name of that module", "om.name"),
      callee_function: text("name of the called function", "d.name"),
      callee_address_long: text("callee_address as 0x and 64 digits", longAddress("oa.address")),
    },
    parts("function", "_function_calls", ["called_id"], {
      lookups: sql`LEFT JOIN _called_functions d ON d.id = x.called_id
        LEFT JOIN _modules om ON om.id = d.module_id LEFT JOIN _addresses oa ON oa.id = om.address_id`,
    }),
  ),
  moduleView(
    "type_uses",
    "Structs that functions and structs mention, at any depth of a type",
    {
      ...item,
      place: text("where it is mentioned: params[0], returns[1], fields.NAME or variants.VARIANT.NAME"),
      used_address: text("account that holds the used struct's module", "ua.address"),
      used_module: text("name of that module", "um.name"),
      used_struct: text("name of the used struct", "u.struct"),
      used_address_long: text("used_address as 0x and 64 digits", longAddress("ua.address")),
    },
    uses("function", "_function_params", ["position"], sql`('params[' || x.position || ']')`),
    uses("function", "_function_returns", ["position"], sql`('returns[' || x.position || ']')`),
    uses(
      "struct",
      "_struct_fields",
      ["name"],
      sql`(CASE WHEN v.name IS NULL THEN 'fields.' ELSE 'variants.' || v.name || '.' END || x.name)`,
      { lookups: variant, also: sameVariant },
    ),
  ),
];
