import { moduleSpans } from "../sql/spans.ts";
import { joined, named, type Sql, sql } from "../sql/sql.ts";
import { asText, item, each as itemsOf, jsonItem, placeOf, u64, u64Of } from "../sql/words.ts";
import {
  abilityColumns,
  bit,
  each,
  functionColumns,
  listAt,
  mentions,
  number,
  numberAt,
  place,
  signature,
  structColumns,
  textAt,
  text as textOf,
} from "./lists.ts";
import { standing, standingRecord } from "./standing.ts";
import { asInteger, hexText, prefixedHex, snapshotColumns, snapshotValues, type ViewColumnData, type ViewData } from "./view.ts";

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

const modules = sql`FROM ${moduleSpans} s ${standing} JOIN _bytecodes b ON b.id = s.bytecode_id`;
/** An ABI's rows are stretches of what it or an earlier ABI of the module brought. The same is said twice, for ways from either end. */
export const rowsIn = (parts: string, rows: string): Sql =>
  sql`${named(parts)}.source_id = ${named(rows)}.id >> 16 AND ${named(rows)}.id
    BETWEEN (${named(parts)}.source_id << 16) + ${named(parts)}.first_place AND (${named(parts)}.source_id << 16) + ${named(parts)}.last_place`;
const functions = sql`${modules} JOIN _abi_parts r ON r.abi_id = b.abi_id AND r.kind = 0 JOIN _functions f ON ${rowsIn("r", "f")}`;
const structs = sql`${modules} JOIN _abi_parts r ON r.abi_id = b.abi_id AND r.kind = 1 JOIN _structs st ON ${rowsIn("r", "st")}`;
// It depends on the ABI's row too, lest a question by name spells the functions of all other ABIs before it leaves them out.
const declaration = asText(sql`CASE WHEN r.kind = 0 THEN ${signature} END`);
// Fields of an enum's variants name its place among `variants`.
const variantOf = asText(item("st.variants", numberAt(2)));
const calls = sql`${modules} JOIN _call_parts r ON r.bytecode_id = b.calls_id JOIN _function_calls f ON ${rowsIn("r", "f")}
  ${each(sql`f.callees`)} JOIN _modules om ON om.id = ${numberAt(0)} JOIN _addresses oa ON oa.id = om.address_id
  JOIN ${itemsOf(jsonItem("j.value", 1), "callee")} ON true`;
const select = (values: Sql, from: Sql): Sql => sql`SELECT ${snapshotValues}, ${values} ${from}`;

/** The same columns of functions and of structs. */
const ofBoth = (values: (itemOf: Sql, kind: Sql) => Sql, list: (itemOf: Sql) => Sql): Sql => {
  const [f, st] = [sql`f`, sql`st`];
  return joined(
    [
      select(values(f, asText(sql`'function'`)), sql`${functions} ${each(list(f))}`),
      select(values(st, asText(sql`'struct'`)), sql`${structs} ${each(list(st))}`),
    ],
    " UNION ALL ",
  );
};

// Structs of other modules stand in a table of their own; the module's own ones are the ABI's structs.
const foreign = sql`JOIN _struct_uses u ON u.abi_id = b.abi_id JOIN _modules um ON um.id = u.module_id JOIN _addresses ua ON ua.id = um.address_id`;
const own = sql`JOIN _abis x ON x.id = b.abi_id JOIN _modules um ON um.id = x.module_id JOIN _addresses ua ON ua.id = um.address_id
  JOIN _abi_parts q ON q.abi_id = b.abi_id AND q.kind = 1 JOIN _structs us ON ${rowsIn("q", "us")}`;
const uses = (itemOf: Sql, kind: Sql, where: Sql, type: Sql, rows: Sql, list: Sql): Sql[] =>
  [
    { struct: sql`u.struct`, used: foreign },
    { struct: sql`us.name`, used: own },
  ].map(({ struct, used }) => {
    const values = sql`s.name AS module, ${itemOf} AS item, ${asText(kind)} AS item_kind, ${asText(where)} AS place,
      ua.address AS used_address, um.name AS used_module, ${struct} AS used_struct`;
    // Whole lists that do not speak of the struct are left out before they are taken apart.
    const isIn = sql`${placeOf(asText(list), sql`('::' || ${struct})`)} > 0`;
    return sql`${select(values, sql`${rows} ${used} ${each(list)}`)}
      WHERE ${isIn} AND ${mentions(type, sql`(ua.address || '::' || um.name || '::' || ${struct})`)}`;
  });

const otherModules = (name: string, meaning: string, table: string): ViewData => ({
  name,
  meaning,
  columns: {
    ...snapshotColumns,
    ...module,
    other_address: text("account that holds the other module"),
    other_module: text("name of the other module"),
  },
  select: select(
    sql`s.name AS module, oa.address AS other_address, om.name AS other_module`,
    sql`${modules} JOIN ${named(table)} o ON o.abi_id = b.abi_id JOIN _modules om ON om.id = o.module_id JOIN _addresses oa ON oa.id = om.address_id`,
  ),
});

/** What stood at each sealed snapshot: accounts, modules, and all that their ABIs hold. */
export const snapshotViews: readonly ViewData[] = [
  {
    name: "accounts_at",
    meaning: "Account records at each sealed snapshot",
    columns: {
      ...snapshotColumns,
      sequence_number: { type: "u64", meaning: "the sequence number" },
      authentication_key: text("the authentication key as 0x and hex"),
    },
    select: select(
      sql`${u64("s.sequence_number")} AS sequence_number, ${prefixedHex("s.authentication_key")} AS authentication_key`,
      sql`FROM _account_spans s ${standingRecord}`,
    ),
  },
  {
    name: "modules_at",
    meaning: "Modules at each sealed snapshot",
    columns: {
      ...snapshotColumns,
      module: text("name of the module"),
      bytecode_sha256: text("SHA-256 of the bytecode, 64 hex digits"),
      bytecode_size: integer("size of the bytecode in bytes"),
      bytecode_version: integer("version of the binary format, null when the bytes do not say"),
    },
    select: select(sql`s.name AS module, ${hexText("b.sha256")} AS bytecode_sha256, b.size AS bytecode_size, b.bytecode_version`, modules),
  },
  {
    name: "functions_at",
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
    select: select(sql`s.name AS module, f.name, ${functionColumns}, ${declaration} AS signature`, functions),
  },
  {
    name: "function_params_at",
    meaning: "Parameters of functions",
    columns: { ...snapshotColumns, ...module, function: text("name of the function"), ...position, ...type },
    select: select(
      sql`s.name AS module, f.name AS function, ${place} AS position, ${textOf} AS type`,
      sql`${functions} ${each(sql`f.params`)}`,
    ),
  },
  {
    name: "function_returns_at",
    meaning: "Return values of functions",
    columns: { ...snapshotColumns, ...module, function: text("name of the function"), ...position, ...type },
    select: select(
      sql`s.name AS module, f.name AS function, ${place} AS position, ${textOf} AS type`,
      sql`${functions} ${each(sql`f.returns`)}`,
    ),
  },
  {
    name: "type_params_at",
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
    select: ofBoth(
      (itemOf, kind) => sql`s.name AS module, ${itemOf}.name AS item, ${kind} AS item_kind, ${place} AS position,
        ${bit(number, sql`16`)} AS is_phantom, ${abilityColumns(number)}`,
      (itemOf) => sql`${itemOf}.type_params`,
    ),
  },
  {
    name: "structs_at",
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
    select: select(sql`s.name AS module, st.name, ${structColumns}`, structs),
  },
  {
    name: "fields_at",
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
    select: select(
      sql`s.name AS module, st.name AS struct, ${variantOf} AS variant, ${asInteger(sql`coalesce(${numberAt(3)}, ${place})`)} AS position,
        ${textAt(0)} AS name, ${textAt(1)} AS type`,
      sql`${structs} ${each(sql`st.fields`)}`,
    ),
  },
  {
    name: "variants_at",
    meaning: "Variants of enums, empty ones included",
    columns: { ...snapshotColumns, ...module, struct: text("name of the enum"), ...position, name: text("name of the variant") },
    select: select(
      sql`s.name AS module, st.name AS struct, ${place} AS position, ${textOf} AS name`,
      sql`${structs} ${each(sql`st.variants`)}`,
    ),
  },
  {
    name: "attributes_at",
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
    select: ofBoth(
      (itemOf, kind) => sql`s.name AS module, ${itemOf}.name AS item, ${kind} AS item_kind, ${place} AS position,
        ${numberAt(0)} AS kind, ${listAt(1)} AS args`,
      (itemOf) => sql`${itemOf}.attributes`,
    ),
  },
  otherModules("friends_at", "Friends that modules declare", "_abi_friends"),
  otherModules("dependencies_at", "Other modules that modules' bytecode refers to", "_abi_dependencies"),
  {
    name: "error_codes_at",
    meaning: "Error maps of modules: what an abort code's reason means",
    columns: {
      ...snapshotColumns,
      ...module,
      code: { type: "u64", meaning: "the reason" },
      name: text("name of the constant"),
      description: text("its text"),
    },
    select: select(
      sql`s.name AS module, ${u64(u64Of(item("j.value", 0)))} AS code, ${textAt(1)} AS name, ${textAt(2)} AS description`,
      sql`${modules} JOIN _abis x ON x.id = b.abi_id JOIN _abis e ON e.id = x.errors_abi_id ${each(sql`e.errors`)}`,
    ),
  },
  {
    name: "function_calls_at",
    meaning: "Which function calls which, or makes a function value of it, by the bytecode; its own module's functions included",
    columns: {
      ...snapshotColumns,
      ...module,
      function: text("name of the calling function"),
      callee_address: text("account that holds the module of the called function"),
      callee_module: text("name of that module"),
      callee_function: text("name of the called function"),
    },
    select: select(
      sql`s.name AS module, f.name AS function, oa.address AS callee_address, om.name AS callee_module, ${asText("callee.value")} AS callee_function`,
      calls,
    ),
  },
  {
    name: "type_uses_at",
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
    select: joined(
      [
        ...uses(sql`f.name`, sql`'function'`, sql`('params[' || j.key || ']')`, textOf, functions, sql`f.params`),
        ...uses(sql`f.name`, sql`'function'`, sql`('returns[' || j.key || ']')`, textOf, functions, sql`f.returns`),
        ...uses(
          sql`st.name`,
          sql`'struct'`,
          sql`(CASE WHEN ${variantOf} IS NULL THEN 'fields.' ELSE 'variants.' || ${variantOf} || '.' END || ${textAt(0)})`,
          textAt(1),
          structs,
          sql`st.fields`,
        ),
      ],
      " UNION ALL ",
    ),
  },
];
