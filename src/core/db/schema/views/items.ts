import { asText, flag as flagOf, jsonList } from "../sql/functions.ts";
import { signatureOf } from "../sql/predicates.ts";
import { type Expression, named, type Sql, sql } from "../sql/sql.ts";
import { functionTables, structTables } from "../tables/item-rows.ts";
import { asInteger, columnsOf, flag, integer, longAddress, text } from "../view.ts";
import { functions, functionThen, moduleView, type StateView, sameVariant, structs, structThen } from "./state-views.ts";

const types = (name: "function_params" | "function_returns", meaning: string): StateView =>
  moduleView(
    name,
    meaning,
    {
      function: text("name of the function", "f.name"),
      ...columnsOf(functionTables[name], "position"),
      type: text("the type as the node prints it", "t.text"),
    },
    {
      of: "x",
      joins: sql`${functions(sql`JOIN ${named(functionTables[name].name)} x ON x.function_id = l.function_id`)} LEFT JOIN _types t ON t.id = x.type_id`,
      same: functionThen(
        sql`JOIN ${named(functionTables[name].name)} nx ON nx.function_id = nf.id AND nx.position = x.position AND nx.type_id = x.type_id`,
      ),
    },
  );

export const functionColumns = {
  ...columnsOf(functionTables.functions, "name", "visibility", "is_entry", "is_view", "is_native"),
  signature: text(
    "the declaration on one line, as Move source has it; nodes print function types in another way, without abilities",
    asText(signatureOf("f")),
  ),
  function: text("name of the function, as in name", "f.name"),
  params: integer(
    "number of its parameters, signers included",
    asInteger(sql`(SELECT count(1) FROM _function_params fp WHERE fp.function_id = f.id)`),
  ),
  entry_function: text(
    "what a transaction calls, such as 0x1::coin::transfer; null if it is no entry function",
    asText(sql`(SELECT fa.address || '::' || fm.name || '::' || f.name FROM _modules fm JOIN _addresses fa ON fa.id = fm.address_id
      WHERE fm.id = f.module_id AND f.is_entry)`),
  ),
};

export const functionView = moduleView("functions", "Functions of modules, private and native ones included", functionColumns, {
  of: "f",
  joins: functions(),
  same: functionThen(sql`AND nf.signature_id = f.signature_id AND nf.module_id = f.module_id AND nf.visibility = f.visibility AND nf.is_entry = f.is_entry
    AND nf.is_view = f.is_view AND nf.is_native = f.is_native`),
});

export const functionTypeViews = [
  types("function_params", "Parameters of functions"),
  types("function_returns", "Return values of functions"),
] as const;

export const acquireView = moduleView(
  "function_acquires",
  "Structs of its own module whose storage a function accesses, as its declaration says (acquires)",
  { function: text("name of the function", "f.name"), ...columnsOf(functionTables.function_acquires, "position", "struct") },
  {
    of: "x",
    joins: functions(sql`JOIN _function_acquires x ON x.function_id = l.function_id`),
    same: functionThen(sql`JOIN _function_acquires nx ON nx.function_id = nf.id AND nx.position = x.position AND nx.struct = x.struct`),
  },
);

export const callView = moduleView(
  "function_calls",
  "Which function calls which, or makes a function value of it, according to the bytecode; calls within a module included",
  {
    function: text("name of the calling function", "f.name"),
    callee_address: text("account that holds the module of the called function", "oa.address"),
    callee_module: text("name of that module", "om.name"),
    callee_function: text("name of the called function", "d.name"),
    callee_address_long: text("callee_address as 0x and 64 digits", longAddress("oa.address")),
  },
  {
    of: "k",
    joins: sql`${functions(sql`JOIN _function_calls k ON k.function_id = l.function_id`)} LEFT JOIN _called_functions d ON d.id = k.called_id
          LEFT JOIN _modules om ON om.id = d.module_id LEFT JOIN _addresses oa ON oa.id = om.address_id`,
    same: functionThen(sql`JOIN _function_calls nx ON nx.function_id = nf.id AND nx.called_id = k.called_id`),
  },
);

const abilityColumns = columnsOf(structTables.structs, "has_copy", "has_drop", "has_store", "has_key");

export const structColumns = {
  ...columnsOf(structTables.structs, "name", "is_native", "is_event"),
  is_enum: flag("is an enum; nodes print 0x1::option::Option, an enum since 2025, as a struct with vec"),
  ...abilityColumns,
  struct: text("name of the struct or enum, as in name", "st.name"),
};

export const structView = moduleView("structs", "Structs and enums of modules", structColumns, {
  of: "st",
  joins: structs(),
  same: structThen(sql`AND nt.is_native = st.is_native AND nt.is_event = st.is_event AND nt.is_enum = st.is_enum
    AND nt.has_copy = st.has_copy AND nt.has_drop = st.has_drop AND nt.has_store = st.has_store AND nt.has_key = st.has_key`),
});

/** Their fields and variants. */
export const structPartViews = [
  moduleView(
    "fields",
    "Fields of structs and of enums' variants",
    {
      struct: text("name of the struct", "st.name"),
      variant: text("name of the enum's variant; null for structs", "v.name"),
      ...columnsOf(structTables.struct_variants, "position"),
      ...columnsOf(structTables.struct_fields, "name"),
      type: text("the type as the node prints it", "t.text"),
      field: text("name of the field, as in name", "x.name"),
    },
    {
      of: "x",
      joins: sql`${structs(sql`JOIN _struct_fields x ON x.struct_id = l.struct_id`)} LEFT JOIN _types t ON t.id = x.type_id
          LEFT JOIN _struct_variants v ON v.struct_id = x.struct_id AND v.position = x.variant`,
      same: structThen(
        sql`JOIN _struct_fields nx ON nx.struct_id = nt.id AND nx.name = x.name AND nx.position = x.position AND nx.type_id = x.type_id ${sameVariant}`,
      ),
    },
  ),
  moduleView(
    "variants",
    "Variants of enums, empty ones included",
    {
      struct: text("name of the enum", "st.name"),
      ...columnsOf(structTables.struct_variants, "position", "name"),
      variant: text("name of the variant, as in name", "x.name"),
    },
    {
      of: "x",
      joins: structs(sql`JOIN _struct_variants x ON x.struct_id = l.struct_id`),
      same: structThen(sql`JOIN _struct_variants nx ON nx.struct_id = nt.id AND nx.position = x.position AND nx.name = x.name`),
    },
  ),
] as const;

const item = { item: text("name of the function or struct"), item_kind: text("function or struct") };
const position = columnsOf(structTables.struct_type_params, "position");
const ofFunction = { item: "f.name", item_kind: asText(sql`'function'`) };
const ofStruct = { item: "st.name", item_kind: asText(sql`'struct'`) };

/** A part of a list that functions and structs both have. */
const ofFunctions = (table: Sql, terms: Readonly<Record<string, Expression>>, same: Sql) => ({
  of: "x",
  terms: () => ({ ...ofFunction, ...terms }),
  joins: functions(sql`JOIN ${table} x ON x.function_id = l.function_id`),
  same: functionThen(sql`JOIN ${table} nx ON nx.function_id = nf.id AND nx.position = x.position AND ${same}`),
});
const ofStructs = (table: Sql, terms: Readonly<Record<string, Expression>>, same: Sql) => ({
  of: "x",
  terms: () => ({ ...ofStruct, ...terms }),
  joins: structs(sql`JOIN ${table} x ON x.struct_id = l.struct_id`),
  same: structThen(sql`JOIN ${table} nx ON nx.struct_id = nt.id AND nx.position = x.position AND ${same}`),
});

const sameAbilities = sql`nx.has_copy = x.has_copy AND nx.has_drop = x.has_drop AND nx.has_store = x.has_store AND nx.has_key = x.has_key`;

export const typeParamView = moduleView(
  "type_params",
  "Type parameters of functions and structs, with the abilities they require",
  { ...item, ...position, ...columnsOf(structTables.struct_type_params, "is_phantom"), ...abilityColumns },
  {
    of: "x",
    terms: () => ({ ...ofFunction, is_phantom: flagOf(sql`FALSE`) }),
    joins: sql`${functions()} JOIN _signature_type_params x ON x.signature_id = f.signature_id`,
    same: functionThen(
      sql`JOIN _signature_type_params nx ON nx.signature_id = nf.signature_id AND nx.position = x.position AND ${sameAbilities}`,
    ),
  },
  ofStructs(sql`_struct_type_params`, {}, sql`nx.is_phantom = x.is_phantom AND ${sameAbilities}`),
);

const args = (table: Sql, id: Sql, of = sql`x`): Sql =>
  asText(jsonList("v.value", sql`${table} v WHERE v.${id} = ${of}.${id} AND v.attribute = ${of}.position`, "v.position"));
const attribute = (table: Sql, id: Sql) =>
  [{ args: args(table, id) }, sql`nx.kind = x.kind AND ${args(table, id, sql`nx`)} = ${args(table, id)}`] as const;

export const attributeView = moduleView(
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
  ofFunctions(sql`_function_attributes`, ...attribute(sql`_function_attribute_args`, sql`function_id`)),
  ofStructs(sql`_struct_attributes`, ...attribute(sql`_struct_attribute_args`, sql`struct_id`)),
);

const used = sql`JOIN _type_structs u ON u.type_id = x.type_id`;
const sameUse = sql`JOIN _type_structs nu ON nu.type_id = nx.type_id AND nu.module_id = u.module_id AND nu.struct = u.struct`;
const usedNames = sql`LEFT JOIN _modules um ON um.id = u.module_id LEFT JOIN _addresses ua ON ua.id = um.address_id`;
const usesOfFunctions = (place: Sql, table: Sql) => ({
  of: "u",
  terms: () => ({ ...ofFunction, place: asText(place) }),
  joins: sql`${functions(sql`JOIN ${table} x ON x.function_id = l.function_id ${used}`)} ${usedNames}`,
  same: functionThen(sql`JOIN ${table} nx ON nx.function_id = nf.id AND nx.position = x.position ${sameUse}`),
});

export const typeUseView = moduleView(
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
  usesOfFunctions(sql`('params[' || x.position || ']')`, sql`_function_params`),
  usesOfFunctions(sql`('returns[' || x.position || ']')`, sql`_function_returns`),
  {
    of: "u",
    terms: () => ({
      ...ofStruct,
      place: asText(sql`(CASE WHEN v.name IS NULL THEN 'fields.' ELSE 'variants.' || v.name || '.' END || x.name)`),
    }),
    joins: sql`${structs(sql`JOIN _struct_fields x ON x.struct_id = l.struct_id ${used}`)}
          LEFT JOIN _struct_variants v ON v.struct_id = x.struct_id AND v.position = x.variant ${usedNames}`,
    same: structThen(sql`JOIN _struct_fields nx ON nx.struct_id = nt.id AND nx.name = x.name ${sameVariant} ${sameUse}`),
  },
);
