import { asText, flag as flagOf, jsonList, u64 } from "../sql/functions.ts";
import { holds } from "../sql/predicates.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { type StandingView, standingViews } from "./standing.ts";
import { hexText, prefixedHex, snapshotColumns, type ViewColumnData, type ViewData } from "./view.ts";

const text = (meaning: string): ViewColumnData => ({ type: "text", meaning });
const integer = (meaning: string): ViewColumnData => ({ type: "integer", meaning });
const flag = (meaning: string): ViewColumnData => ({ type: "boolean", meaning: `whether it ${meaning}` });

const module = { module: text("name of the module") };
const position = { position: integer("place in the list, from 0") };
const type = { type: text("the type as the node prints it") };
const abilities = {
  has_copy: flag("has the ability copy"),
  has_drop: flag("has the ability drop"),
  has_store: flag("has the ability store"),
  has_key: flag("has the ability key"),
};
const itemKind = text("function or struct");

// What is only looked up is joined by LEFT JOIN: a question that does not ask for it does not pay for it.
const code = sql`JOIN _bytecodes b ON b.id = m.bytecode_id`;
// They come last, which leaves SQLite free to begin with any of the others.
const functions = (joins = sql``): Sql =>
  sql`${code} JOIN _abi_functions l ON l.abi_id = b.abi_id ${joins} LEFT JOIN _functions f ON f.id = l.function_id`;
const structs = (joins = sql``): Sql =>
  sql`${code} JOIN _abi_structs l ON l.abi_id = b.abi_id ${joins} LEFT JOIN _structs st ON st.id = l.struct_id`;
const abilityColumns = (alias: Sql): Sql => sql`${alias}.has_copy, ${alias}.has_drop, ${alias}.has_store, ${alias}.has_key`;

/** A part of the lists that functions and structs both have, with the names of item and kind. */
const ofFunctions = (values: Sql, table: Sql): StandingView["selects"][number] => ({
  spans: "modules",
  values: sql`m.name AS module, f.name AS item, ${asText(sql`'function'`)} AS item_kind, ${values}`,
  joins: functions(sql`JOIN ${table} x ON x.function_id = l.function_id`),
});
const ofStructs = (values: Sql, table: Sql): StandingView["selects"][number] => ({
  spans: "modules",
  values: sql`m.name AS module, st.name AS item, ${asText(sql`'struct'`)} AS item_kind, ${values}`,
  joins: structs(sql`JOIN ${table} x ON x.struct_id = l.struct_id`),
});
const args = (table: Sql, item: Sql): Sql =>
  asText(jsonList("v.value", sql`${table} v WHERE v.${item} = x.${item} AND v.attribute = x.position`, "v.position"));

const types = (table: Sql) =>
  sql`${functions(sql`JOIN ${table} x ON x.function_id = l.function_id`)} LEFT JOIN _types t ON t.id = x.type_id`;
const used = sql`JOIN _type_structs u ON u.type_id = x.type_id`;
const usedNames = sql`LEFT JOIN _modules um ON um.id = u.module_id LEFT JOIN _addresses ua ON ua.id = um.address_id`;
const uses = (item: Sql, kind: Sql, place: Sql, joins: Sql): StandingView["selects"][number] => ({
  spans: "modules",
  values: sql`m.name AS module, ${item} AS item, ${asText(kind)} AS item_kind, ${asText(place)} AS place,
    ua.address AS used_address, um.name AS used_module, u.struct AS used_struct`,
  joins: sql`${joins} ${usedNames}`,
});

const otherModules = (name: string, meaning: string, table: Sql): StandingView => ({
  name,
  meaning,
  columns: {
    ...snapshotColumns,
    ...module,
    other_address: text("account that holds the other module"),
    other_module: text("name of the other module"),
  },
  selects: [
    {
      spans: "modules",
      values: sql`m.name AS module, oa.address AS other_address, om.name AS other_module`,
      joins: sql`${code} JOIN ${table} o ON o.abi_id = b.abi_id LEFT JOIN _modules om ON om.id = o.module_id LEFT JOIN _addresses oa ON oa.id = om.address_id`,
    },
  ],
});

/** What stood: accounts, modules, and all that their ABIs hold. */
const views: readonly StandingView[] = [
  {
    name: "accounts",
    meaning: "Account records",
    columns: {
      ...snapshotColumns,
      sequence_number: { type: "u64", meaning: "the sequence number" },
      authentication_key: text("the authentication key as 0x and hex"),
    },
    selects: [
      {
        spans: "records",
        values: sql`${u64("s.sequence_number")} AS sequence_number, ${prefixedHex("s.authentication_key")} AS authentication_key`,
      },
    ],
  },
  {
    name: "modules",
    meaning: "Modules",
    columns: {
      ...snapshotColumns,
      module: text("name of the module"),
      bytecode_sha256: text("SHA-256 of the bytecode, 64 hex digits"),
      bytecode_size: integer("size of the bytecode in bytes"),
      bytecode_version: integer("version of the binary format, null when the bytes do not say"),
    },
    selects: [
      {
        spans: "modules",
        values: sql`m.name AS module, ${hexText("b.sha256")} AS bytecode_sha256, b.size AS bytecode_size, b.bytecode_version`,
        joins: sql`LEFT ${code}`,
      },
    ],
  },
  {
    name: "functions",
    meaning: "Functions of modules, private and native ones included",
    columns: {
      ...snapshotColumns,
      ...module,
      name: text("name of the function"),
      visibility: text("private, friend or public"),
      is_entry: flag("can be called directly by a transaction"),
      is_view: flag("is a view function"),
      is_native: flag("is implemented by the node"),
      signature: text("the declaration on one line"),
    },
    selects: [
      {
        spans: "modules",
        values: sql`m.name AS module, f.name, f.visibility, f.is_entry, f.is_view, f.is_native, f.signature`,
        joins: functions(),
      },
    ],
  },
  {
    name: "function_params",
    meaning: "Parameters of functions",
    columns: { ...snapshotColumns, ...module, function: text("name of the function"), ...position, ...type },
    selects: [
      {
        spans: "modules",
        values: sql`m.name AS module, f.name AS function, x.position, t.text AS type`,
        joins: types(sql`_function_params`),
      },
    ],
  },
  {
    name: "function_returns",
    meaning: "Return values of functions",
    columns: { ...snapshotColumns, ...module, function: text("name of the function"), ...position, ...type },
    selects: [
      {
        spans: "modules",
        values: sql`m.name AS module, f.name AS function, x.position, t.text AS type`,
        joins: types(sql`_function_returns`),
      },
    ],
  },
  {
    name: "type_params",
    meaning: "Type parameters of functions and structs, with the abilities they ask for",
    columns: {
      ...snapshotColumns,
      ...module,
      item: text("name of the function or struct"),
      item_kind: itemKind,
      ...position,
      is_phantom: flag("is phantom"),
      ...abilities,
    },
    selects: [
      ofFunctions(sql`x.position, ${flagOf(sql`FALSE`)} AS is_phantom, ${abilityColumns(sql`x`)}`, sql`_function_type_params`),
      ofStructs(sql`x.position, x.is_phantom, ${abilityColumns(sql`x`)}`, sql`_struct_type_params`),
    ],
  },
  {
    name: "structs",
    meaning: "Structs and enums of modules",
    columns: {
      ...snapshotColumns,
      ...module,
      name: text("name of the struct"),
      is_native: flag("is implemented by the node"),
      is_event: flag("is marked as an event"),
      is_enum: flag("is an enum"),
      ...abilities,
    },
    selects: [
      {
        spans: "modules",
        values: sql`m.name AS module, st.name, st.is_native, st.is_event, st.is_enum, ${abilityColumns(sql`st`)}`,
        joins: structs(),
      },
    ],
  },
  {
    name: "fields",
    meaning: "Fields of structs and of enums' variants",
    columns: {
      ...snapshotColumns,
      ...module,
      struct: text("name of the struct"),
      variant: text("name of the enum's variant, null for structs"),
      ...position,
      name: text("name of the field"),
      ...type,
    },
    selects: [
      {
        spans: "modules",
        values: sql`m.name AS module, st.name AS struct, v.name AS variant, x.position, x.name, t.text AS type`,
        joins: sql`${structs(sql`JOIN _struct_fields x ON x.struct_id = l.struct_id`)} LEFT JOIN _types t ON t.id = x.type_id
          LEFT JOIN _struct_variants v ON v.struct_id = x.struct_id AND v.position = x.variant`,
      },
    ],
  },
  {
    name: "variants",
    meaning: "Variants of enums, empty ones included",
    columns: { ...snapshotColumns, ...module, struct: text("name of the enum"), ...position, name: text("name of the variant") },
    selects: [
      {
        spans: "modules",
        values: sql`m.name AS module, st.name AS struct, x.position, x.name`,
        joins: structs(sql`JOIN _struct_variants x ON x.struct_id = l.struct_id`),
      },
    ],
  },
  {
    name: "attributes",
    meaning: "Attributes of functions and structs from the module's metadata: resource groups, events and others",
    columns: {
      ...snapshotColumns,
      ...module,
      item: text("name of the function or struct"),
      item_kind: itemKind,
      ...position,
      kind: integer(
        "kind of attribute: 0 and 1 view, 2 resource group, 3 resource group member, 4 event, 5 randomness, others as they come",
      ),
      args: text("its arguments, a JSON list of texts"),
    },
    selects: [
      ofFunctions(sql`x.position, x.kind, ${args(sql`_function_attribute_args`, sql`function_id`)} AS args`, sql`_function_attributes`),
      ofStructs(sql`x.position, x.kind, ${args(sql`_struct_attribute_args`, sql`struct_id`)} AS args`, sql`_struct_attributes`),
    ],
  },
  otherModules("friends", "Friends that modules declare", sql`_abi_friends`),
  otherModules("dependencies", "Other modules that modules' bytecode refers to", sql`_abi_dependencies`),
  {
    name: "error_codes",
    meaning: "Error maps of modules: what an abort code's reason means",
    columns: {
      ...snapshotColumns,
      ...module,
      code: { type: "u64", meaning: "the reason" },
      name: text("name of the constant"),
      description: text("its text"),
    },
    selects: [
      {
        spans: "modules",
        values: sql`m.name AS module, ${u64("e.code")} AS code, e.name, e.description`,
        joins: sql`${code} JOIN _abis x ON x.id = b.abi_id JOIN _error_map_codes q ON q.error_map_id = x.error_map_id
          LEFT JOIN _error_codes e ON e.id = q.error_code_id`,
      },
    ],
  },
  {
    name: "function_calls",
    meaning: "Which function calls which, or makes a function value of it, by the bytecode; its own module's functions included",
    columns: {
      ...snapshotColumns,
      ...module,
      function: text("name of the calling function"),
      callee_address: text("account that holds the module of the called function"),
      callee_module: text("name of that module"),
      callee_function: text("name of the called function"),
    },
    selects: [
      {
        spans: "modules",
        values: sql`m.name AS module, f.name AS function, oa.address AS callee_address, om.name AS callee_module, d.name AS callee_function`,
        joins: sql`${functions(sql`JOIN _function_calls k ON k.function_id = l.function_id`)} LEFT JOIN _called_functions d ON d.id = k.called_id
          LEFT JOIN _modules om ON om.id = d.module_id LEFT JOIN _addresses oa ON oa.id = om.address_id`,
      },
    ],
  },
  {
    name: "type_uses",
    meaning: "Structs that functions and structs mention, at any depth of a type",
    columns: {
      ...snapshotColumns,
      ...module,
      item: text("name of the function or struct"),
      item_kind: itemKind,
      place: text("where: params[0], returns[1], fields.NAME or variants.VARIANT.NAME"),
      used_address: text("account that holds the used struct's module"),
      used_module: text("name of that module"),
      used_struct: text("name of the used struct"),
    },
    selects: [
      uses(
        sql`f.name`,
        sql`'function'`,
        sql`('params[' || x.position || ']')`,
        functions(sql`JOIN _function_params x ON x.function_id = l.function_id ${used}`),
      ),
      uses(
        sql`f.name`,
        sql`'function'`,
        sql`('returns[' || x.position || ']')`,
        functions(sql`JOIN _function_returns x ON x.function_id = l.function_id ${used}`),
      ),
      uses(
        sql`st.name`,
        sql`'struct'`,
        sql`(CASE WHEN v.name IS NULL THEN 'fields.' ELSE 'variants.' || v.name || '.' END || x.name)`,
        sql`${structs(sql`JOIN _struct_fields x ON x.struct_id = l.struct_id ${used}`)}
          LEFT JOIN _struct_variants v ON v.struct_id = x.struct_id AND v.position = x.variant`,
      ),
    ],
  },
  {
    name: "covered",
    meaning: "Accounts that a sealed snapshot has an answer about, with or without a record and modules",
    columns: {
      ...snapshotColumns,
      has_record: {
        type: "boolean",
        meaning: "whether the account has a record; objects have none; null when the snapshot did not read it",
      },
    },
    selects: [
      {
        spans: "listings",
        values: (version) =>
          sql`${flagOf(sql`CASE WHEN EXISTS (SELECT 1 FROM _record_coverage k WHERE k.address_id = s.address_id AND ${holds("k", version)})
          THEN EXISTS (SELECT 1 FROM _account_spans r WHERE r.address_id = s.address_id AND ${holds("r", version)}) END`)} AS has_record`,
      },
    ],
  },
];

/** Each of these at every sealed snapshot, and its twin `…_latest`. */
export const snapshotViews: readonly ViewData[] = views.flatMap(standingViews);
