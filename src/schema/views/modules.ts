import { snapshotColumns, snapshotValues, standing, u64Value, type ViewColumnData, type ViewData } from "./view.ts";

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
const functions = `${modules} JOIN abi_functions af ON af.abi_id = b.abi_id JOIN functions f ON f.id = af.function_id`;
const structs = `${modules} JOIN abi_structs ast ON ast.abi_id = b.abi_id JOIN structs st ON st.id = ast.struct_id`;
const fields = `${structs} JOIN fields fi ON fi.struct_id = st.id LEFT JOIN variants v ON v.struct_id = st.id AND v.position = fi.variant`;
const select = (values: string, from: string): string => `SELECT ${snapshotValues}, ${values} ${from}`;
const abilityValues = (alias: string): string => ["copy", "drop", "store", "key"].map((name) => `${alias}.has_${name}`).join(", ");

const uses = (item: string, kind: string, place: string, from: string): string =>
  `${select(`s.name AS module, ${item} AS item, '${kind}' AS item_kind, ${place} AS place, ua.address AS used_address, um.name AS used_module, tu.struct AS used_struct`, from)} ` +
  "JOIN modules um ON um.id = tu.module_id JOIN addresses ua ON ua.id = um.address_id";

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
      sequence_number: { type: "integer or text", meaning: "the sequence number, text when above 2^63 - 1" },
      authentication_key: text("the authentication key as 0x and hex"),
    },
    sqlite: select(
      `${u64Value("s.sequence_number")} AS sequence_number, '0x' || lower(hex(s.authentication_key)) AS authentication_key`,
      `FROM account_spans s ${standing}`,
    ),
  },
  {
    name: "modules_at",
    meaning: "Modules at each sealed snapshot",
    columns: {
      ...snapshotColumns,
      name: text("name of the module"),
      bytecode_sha256: text("SHA-256 of the bytecode, 64 hex digits"),
      bytecode_size: integer("size of the bytecode in bytes"),
      bytecode_version: integer("version of the binary format, null when the bytes do not say"),
    },
    sqlite: select("s.name, lower(hex(b.sha256)) AS bytecode_sha256, b.size AS bytecode_size, b.bytecode_version", modules),
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
    sqlite: select("s.name AS module, f.name, f.visibility, f.is_entry, f.is_view, f.is_native, f.signature", functions),
  },
  {
    name: "function_params_at",
    meaning: "Parameters of functions",
    columns: { ...snapshotColumns, ...module, function: text("name of the function"), ...position, ...type },
    sqlite: select(
      "s.name AS module, f.name AS function, fp.position, t.type",
      `${functions} JOIN function_params fp ON fp.function_id = f.id JOIN types t ON t.id = fp.type_id`,
    ),
  },
  {
    name: "function_returns_at",
    meaning: "Return values of functions",
    columns: { ...snapshotColumns, ...module, function: text("name of the function"), ...position, ...type },
    sqlite: select(
      "s.name AS module, f.name AS function, fr.position, t.type",
      `${functions} JOIN function_returns fr ON fr.function_id = f.id JOIN types t ON t.id = fr.type_id`,
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
      select(
        `s.name AS module, f.name AS item, 'function' AS item_kind, tp.position, tp.is_phantom, ${abilityValues("tp")}`,
        `${functions} JOIN function_type_params tp ON tp.function_id = f.id`,
      ),
      select(
        `s.name AS module, st.name AS item, 'struct' AS item_kind, tp.position, tp.is_phantom, ${abilityValues("tp")}`,
        `${structs} JOIN struct_type_params tp ON tp.struct_id = st.id`,
      ),
    ].join(" UNION ALL "),
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
    sqlite: select(`s.name AS module, st.name, st.is_native, st.is_event, st.is_enum, ${abilityValues("st")}`, structs),
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
      "s.name AS module, st.name AS struct, v.name AS variant, fi.position, fi.name, t.type",
      `${fields} JOIN types t ON t.id = fi.type_id`,
    ),
  },
  {
    name: "variants_at",
    meaning: "Variants of enums, empty ones included",
    columns: { ...snapshotColumns, ...module, struct: text("name of the enum"), ...position, name: text("name of the variant") },
    sqlite: select("s.name AS module, st.name AS struct, v.position, v.name", `${structs} JOIN variants v ON v.struct_id = st.id`),
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
      select(
        "s.name AS module, f.name AS item, 'function' AS item_kind, x.position, x.kind, x.args",
        `${functions} JOIN function_attributes x ON x.function_id = f.id`,
      ),
      select(
        "s.name AS module, st.name AS item, 'struct' AS item_kind, x.position, x.kind, x.args",
        `${structs} JOIN struct_attributes x ON x.struct_id = st.id`,
      ),
    ].join(" UNION ALL "),
  },
  otherModules("friends_at", "Friends that modules declare", "abi_friends"),
  otherModules("dependencies_at", "Other modules that modules' bytecode refers to", "abi_dependencies"),
  {
    name: "error_codes_at",
    meaning: "Error maps of modules: what an abort code's reason means",
    columns: {
      ...snapshotColumns,
      ...module,
      code: { type: "integer or text", meaning: "the reason, text when above 2^63 - 1" },
      name: text("name of the constant"),
      description: text("its text"),
    },
    sqlite: select(
      `s.name AS module, ${u64Value("e.code")} AS code, e.name, e.description`,
      `${modules} JOIN abi_error_codes ae ON ae.abi_id = b.abi_id JOIN error_codes e ON e.id = ae.error_code_id`,
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
      uses(
        "f.name",
        "function",
        "'params[' || fp.position || ']'",
        `${functions} JOIN function_params fp ON fp.function_id = f.id JOIN type_structs tu ON tu.type_id = fp.type_id`,
      ),
      uses(
        "f.name",
        "function",
        "'returns[' || fr.position || ']'",
        `${functions} JOIN function_returns fr ON fr.function_id = f.id JOIN type_structs tu ON tu.type_id = fr.type_id`,
      ),
      uses(
        "st.name",
        "struct",
        "CASE WHEN v.name IS NULL THEN 'fields.' ELSE 'variants.' || v.name || '.' END || fi.name",
        `${fields} JOIN type_structs tu ON tu.type_id = fi.type_id`,
      ),
    ].join(" UNION ALL "),
  },
];
