import { asText, jsonRows, jsonText } from "../sql/functions.ts";
import { named, type Sql, sql } from "../sql/sql.ts";

const flag = (condition: Sql): Sql => sql`CASE WHEN ${condition} THEN 'true' ELSE 'false' END`;
const ability = (of: string, name: string): Sql => sql`CASE WHEN ${named(of)}.${named(`has_${name}`)} THEN ',"${named(name)}"' ELSE '' END`;
const abilities = (of: string): Sql =>
  sql`'[' || substr(${ability(of, "copy")} || ${ability(of, "drop")} || ${ability(of, "store")} || ${ability(of, "key")}, 2) || ']'`;
const typeParams = (item: Sql): Sql =>
  sql`',"generic_type_params":' || ${jsonRows(sql`'{"constraints":' || ${abilities("tp")} || '}'`, item, "tp.position")}`;

const types = (table: Sql): Sql =>
  jsonRows(jsonText("ty.text"), sql`${table} p JOIN _types ty ON ty.id = p.type_id WHERE p.function_id = fn.id`, "p.position");
const functionJson = sql`'{"name":' || ${jsonText("fn.name")} || ',"visibility":' || ${jsonText("fn.visibility")}
  || ',"is_entry":' || ${flag(sql`fn.is_entry`)} || ',"is_view":' || ${flag(sql`fn.is_view`)}
  || ${typeParams(sql`_signature_type_params tp WHERE tp.signature_id = fn.signature_id`)}
  || ',"params":' || ${types(sql`_function_params`)} || ',"return":' || ${types(sql`_function_returns`)} || '}'`;

const fields = (variant: Sql): Sql =>
  jsonRows(
    sql`'{"name":' || ${jsonText("sf.name")} || ',"type":' || ${jsonText("ty.text")} || '}'`,
    sql`_struct_fields sf JOIN _types ty ON ty.id = sf.type_id WHERE sf.struct_id = ss.id AND sf.variant ${variant}`,
    "sf.place",
  );
const variants = jsonRows(
  sql`'{"name":' || ${jsonText("sv.name")} || ',"fields":' || ${fields(sql`= sv.position`)} || '}'`,
  sql`_struct_variants sv WHERE sv.struct_id = ss.id`,
  "sv.position",
);
// `0x1::option` became an enum in 2025; nodes go on printing the struct that SDKs know. See `formatNodeAbi`.
const isOldOption = sql`ss.is_enum AND sm.name = 'option' AND sa.address = '0x1'
  AND (SELECT count(1) FROM _struct_variants sv WHERE sv.struct_id = ss.id) = 2`;
const structJson = sql`'{"name":' || ${jsonText("ss.name")} || ',"is_native":' || ${flag(sql`ss.is_native`)} || ',"is_event":' || ${flag(sql`ss.is_event`)}
  || ',"is_enum":' || ${flag(sql`ss.is_enum AND NOT (${isOldOption})`)} || ',"abilities":' || ${abilities("ss")}
  || ${typeParams(sql`_struct_type_params tp WHERE tp.struct_id = ss.id`)}
  || CASE WHEN ${isOldOption} THEN ',"fields":[{"name":"vec","type":"vector<T0>"}],"variants":[]'
    ELSE ',"fields":' || ${fields(sql`IS NULL`)} || ',"variants":' || ${variants} END || '}'`;

const friends = jsonRows(
  jsonText(sql`fa.address || '::' || fm.name`),
  sql`_abi_friends af JOIN _modules fm ON fm.id = af.module_id JOIN _addresses fa ON fa.id = fm.address_id WHERE af.abi_id = ax.id`,
  "af.position",
);
const functions = jsonRows(
  functionJson,
  sql`_abi_functions fl JOIN _functions fn ON fn.id = fl.function_id
    WHERE fl.abi_id = ax.id AND (fn.is_entry OR fn.is_view OR fn.visibility <> 'private')`,
  "fl.position",
);
const structs = jsonRows(
  structJson,
  sql`_abi_structs sl JOIN _structs ss ON ss.id = sl.struct_id JOIN _modules sm ON sm.id = ss.module_id
    JOIN _addresses sa ON sa.id = sm.address_id WHERE sl.abi_id = ax.id`,
  "sl.position",
);

/** The ABI of each number of `_abis` as a node prints it, letter for letter `JSON.stringify(formatNodeAbi(abi))`. */
export const abiTexts: Sql = sql`SELECT ax.id AS abi_id, ${asText(sql`'{"address":' || ${jsonText("xa.address")} || ',"name":' || ${jsonText("xm.name")}
  || ',"friends":' || ${friends} || ',"exposed_functions":' || ${functions} || ',"structs":' || ${structs} || '}'`)} AS abi
  FROM _abis ax JOIN _modules xm ON xm.id = ax.module_id JOIN _addresses xa ON xa.id = xm.address_id`;

/** That of the bytecode `b`; null if it has none. */
export const nodeAbi: Sql = asText(sql`(SELECT j.abi FROM _abi_texts j WHERE j.abi_id = b.abi_id)`);
