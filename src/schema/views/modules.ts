import { abilityColumns, bit, each, listAt, mentions, numberAt, placeOf, signature, textAt, textOf } from "./lists.ts";
import { hexText, snapshotColumns, snapshotValues, standing, typed, u64Value, type ViewColumnData, type ViewData } from "./view.ts";

const text = (meaning: string): ViewColumnData => ({ type: "text", meaning });
const integer = (meaning: string): ViewColumnData => ({ type: "integer", meaning });
const flag = (meaning: string): ViewColumnData => ({ type: "integer", meaning: `1 when it ${meaning}, else 0` });

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

const modules = `FROM module_spans s ${standing} JOIN bytecodes b ON b.id = s.bytecode_id`;
// An ABI's rows are stretches of what it or an earlier ABI of the module brought. The same is said twice, for ways from either end.
const items = (kind: 0 | 1, table: string, alias: string): string =>
  `JOIN abi_parts r ON r.abi_id = b.abi_id AND r.kind = ${kind} JOIN ${table} ${alias} ON r.source_id = ${alias}.id >> 16 ` +
  `AND ${alias}.id BETWEEN (r.source_id << 16) + r.first_place AND (r.source_id << 16) + r.last_place`;
const functions = `${modules} ${items(0, "functions", "f")}`;
const structs = `${modules} ${items(1, "structs", "st")}`;
// It depends on the ABI's row too, lest a question by name spells the functions of all other ABIs before it leaves them out.
const declaration = typed(`CASE WHEN r.kind = 0 THEN ${signature("f")} END`, "text");
// Fields of an enum's variants name its place among `variants`.
const variantOf = `CAST(st.variants ->> ${numberAt("j", 2)} AS TEXT)`;
const select = (values: string, from: string): string => `SELECT ${snapshotValues}, ${values} ${from}`;

// Structs of other modules stand in a table of their own; the module's own ones are the ABI's structs.
const foreign =
  "JOIN struct_uses u ON u.abi_id = b.abi_id JOIN modules um ON um.id = u.module_id JOIN addresses ua ON ua.id = um.address_id";
const own =
  "JOIN abis x ON x.id = b.abi_id JOIN modules um ON um.id = x.module_id JOIN addresses ua ON ua.id = um.address_id " +
  "JOIN abi_parts q ON q.abi_id = b.abi_id AND q.kind = 1 JOIN structs us ON q.source_id = us.id >> 16 " +
  "AND us.id BETWEEN (q.source_id << 16) + q.first_place AND (q.source_id << 16) + q.last_place AND us.name NOT GLOB '*[*?[]*'";
const uses = (item: string, kind: string, place: string, type: string, rows: string, list: string): string[] =>
  [
    { struct: "u.struct", used: foreign },
    { struct: "us.name", used: own },
  ].map(
    ({ struct, used }) =>
      `${select(
        `s.name AS module, ${item} AS item, ${typed(`'${kind}'`, "text")} AS item_kind, ${typed(place, "text")} AS place, ua.address AS used_address, um.name AS used_module, ${struct} AS used_struct`,
        `${rows} ${used} ${each(list, "j")}`,
      )} WHERE instr(${list}, '::' || ${struct}) > 0 AND ${mentions(type, "ua.address", "um.name", struct)}`,
  );

const otherModules = (name: string, meaning: string, table: string): ViewData => ({
  name,
  meaning,
  columns: {
    ...snapshotColumns,
    ...module,
    other_address: text("account that holds the other module"),
    other_module: text("name of the other module"),
  },
  sqlite: select(
    "s.name AS module, oa.address AS other_address, om.name AS other_module",
    `${modules} JOIN ${table} o ON o.abi_id = b.abi_id JOIN modules om ON om.id = o.module_id JOIN addresses oa ON oa.id = om.address_id`,
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
    sqlite: select(
      `${u64Value("s.sequence_number")} AS sequence_number, ${hexText("s.authentication_key", "0x")} AS authentication_key`,
      `FROM account_spans s ${standing}`,
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
    sqlite: select(`s.name AS module, ${hexText("b.sha256")} AS bytecode_sha256, b.size AS bytecode_size, b.bytecode_version`, modules),
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
    sqlite: select(`s.name AS module, f.name, f.visibility, f.is_entry, f.is_view, f.is_native, ${declaration} AS signature`, functions),
  },
  {
    name: "function_params_at",
    meaning: "Parameters of functions",
    columns: { ...snapshotColumns, ...module, function: text("name of the function"), ...position, ...type },
    sqlite: select(
      `s.name AS module, f.name AS function, ${placeOf("j")} AS position, ${textOf("j")} AS type`,
      `${functions} ${each("f.params", "j")}`,
    ),
  },
  {
    name: "function_returns_at",
    meaning: "Return values of functions",
    columns: { ...snapshotColumns, ...module, function: text("name of the function"), ...position, ...type },
    sqlite: select(
      `s.name AS module, f.name AS function, ${placeOf("j")} AS position, ${textOf("j")} AS type`,
      `${functions} ${each("f.returns", "j")}`,
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
    sqlite: [
      { item: "f", kind: "function", rows: functions },
      { item: "st", kind: "struct", rows: structs },
    ]
      .map(({ item, kind, rows }) =>
        select(
          `s.name AS module, ${item}.name AS item, ${typed(`'${kind}'`, "text")} AS item_kind, ${placeOf("j")} AS position, ${bit("j.value", 4)} AS is_phantom, ${abilityColumns("j.value")}`,
          `${rows} ${each(`${item}.type_params`, "j")}`,
        ),
      )
      .join(" UNION ALL "),
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
    sqlite: select(`s.name AS module, st.name, st.is_native, st.is_event, st.is_enum, ${abilityColumns("st.abilities")}`, structs),
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
    sqlite: select(
      `s.name AS module, st.name AS struct, ${variantOf} AS variant, ${typed(`coalesce(${numberAt("j", 3)}, ${placeOf("j")})`, "integer")} AS position, ${textAt("j", 0)} AS name, ${textAt("j", 1)} AS type`,
      `${structs} ${each("st.fields", "j")}`,
    ),
  },
  {
    name: "variants_at",
    meaning: "Variants of enums, empty ones included",
    columns: { ...snapshotColumns, ...module, struct: text("name of the enum"), ...position, name: text("name of the variant") },
    sqlite: select(
      `s.name AS module, st.name AS struct, ${placeOf("j")} AS position, ${textOf("j")} AS name`,
      `${structs} ${each("st.variants", "j")}`,
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
    sqlite: [
      { item: "f", kind: "function", rows: functions },
      { item: "st", kind: "struct", rows: structs },
    ]
      .map(({ item, kind, rows }) =>
        select(
          `s.name AS module, ${item}.name AS item, ${typed(`'${kind}'`, "text")} AS item_kind, ${placeOf("j")} AS position, ${numberAt("j", 0)} AS kind, ${listAt("j", 1)} AS args`,
          `${rows} ${each(`${item}.attributes`, "j")}`,
        ),
      )
      .join(" UNION ALL "),
  },
  otherModules("friends_at", "Friends that modules declare", "abi_friends"),
  otherModules("dependencies_at", "Other modules that modules' bytecode refers to", "abi_dependencies"),
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
    sqlite: select(
      `s.name AS module, ${u64Value("j.value ->> 0")} AS code, ${textAt("j", 1)} AS name, ${textAt("j", 2)} AS description`,
      `${modules} JOIN abis x ON x.id = b.abi_id JOIN abis e ON e.id = x.errors_abi_id ${each("e.errors", "j")}`,
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
    sqlite: [
      ...uses("f.name", "function", `'params[' || j.key || ']'`, "j.value", functions, "f.params"),
      ...uses("f.name", "function", `'returns[' || j.key || ']'`, "j.value", functions, "f.returns"),
      ...uses(
        "st.name",
        "struct",
        `CASE WHEN ${variantOf} IS NULL THEN 'fields.' ELSE 'variants.' || ${variantOf} || '.' END || (j.value ->> 0)`,
        "(j.value ->> 1)",
        structs,
        "st.fields",
      ),
    ].join(" UNION ALL "),
  },
];
