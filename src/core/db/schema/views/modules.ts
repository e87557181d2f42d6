import { asText, flag as flagOf, u64 } from "../sql/functions.ts";
import { declared, includesVersion, recordCoverage } from "../sql/predicates.ts";
import { type Sql, sql } from "../sql/sql.ts";
import { contentTables } from "../tables/content.ts";
import { abiTables } from "../tables/derived.ts";
import {
  asInteger,
  boolean,
  columnsOf,
  flag,
  hexText,
  integer,
  longAddress,
  prefixedHex,
  snapshotColumns,
  text,
  u64Column,
  type ViewData,
  view,
} from "../view.ts";
import { nodeAbi } from "./abi-json.ts";
import { functionColumns, itemViews, structColumns, useViews } from "./items.ts";
import { code, moduleView, type StateView, stateViews } from "./state-views.ts";

const accountView: StateView = {
  name: "accounts",
  meaning: "Account records",
  columns: {
    ...snapshotColumns,
    sequence_number: u64Column("sequence_number", "the sequence number", u64("s.sequence_number")),
    authentication_key: text("the authentication key as 0x and hex", prefixedHex("s.authentication_key")),
  },
  selects: [{ spans: "records", of: "s" }],
};

/** Account records at each sealed snapshot, as the public view of that name shows them, for a file whose views may be anybody's. */
export const accountRows: Sql = stateViews(accountView)[0].select;

const coveredView: StateView = {
  name: "covered",
  meaning: "Accounts that a sealed snapshot has an answer about, even if they have no record or modules",
  columns: {
    ...snapshotColumns,
    has_record: boolean(
      "whether the account has a record, as every address has on nodes with stateless accounts; null if the snapshot did not read it",
    ),
  },
  selects: [
    {
      spans: "listings",
      of: "s",
      terms: (version) => ({
        has_record:
          flagOf(sql`CASE WHEN EXISTS (SELECT 1 FROM ${recordCoverage} k WHERE k.address_id = s.address_id AND ${includesVersion("k", version)})
          THEN EXISTS (SELECT 1 FROM _account_spans r WHERE r.address_id = s.address_id AND ${includesVersion("r", version)}) END`),
      }),
    },
  ],
};

const modules = moduleView(
  "modules",
  "Modules",
  {
    bytecode_sha256: text("SHA-256 of the bytecode, 64 hex digits", hexText("b.sha256")),
    bytecode_size: integer("size of the bytecode in bytes", "b.size"),
    ...columnsOf(contentTables.bytecodes, "bytecode_version"),
  },
  { of: "b", joins: sql`LEFT ${code}` },
);

const amount = (from: Sql): Sql => asInteger(sql`(SELECT count(1) FROM ${from})`);
const itsFunctions = (where = sql``): Sql =>
  amount(sql`_abi_functions cl JOIN _functions cf ON cf.id = cl.function_id WHERE cl.abi_id = b.abi_id${where}`);

const moduleSizes = moduleView(
  "module_sizes",
  "How much each module has; its counts are 0 if its bytes cannot be decoded",
  {
    bytecode_sha256: text("SHA-256 of the bytecode, 64 hex digits", hexText("b.sha256")),
    bytecode_size: integer("size of the bytecode in bytes", "b.size"),
    functions: integer("number of its functions", itsFunctions()),
    public_functions: integer("of these, public ones", itsFunctions(sql` AND cf.visibility = 'public'`)),
    entry_functions: integer("of these, entry functions", itsFunctions(sql` AND cf.is_entry`)),
    view_functions: integer("of these, view functions", itsFunctions(sql` AND cf.is_view`)),
    structs: integer("number of its structs and enums", amount(sql`_abi_structs cl WHERE cl.abi_id = b.abi_id`)),
    errors: integer(
      "number of codes in its error map",
      amount(sql`_abis ca JOIN _error_map_codes cq ON cq.error_map_id = ca.error_map_id WHERE ca.id = b.abi_id`),
    ),
    dependencies: integer("number of other modules that it refers to", amount(sql`_abi_dependencies cl WHERE cl.abi_id = b.abi_id`)),
  },
  { of: "b", joins: sql`LEFT ${code}` },
);

const moduleAbis = moduleView(
  "modules_abi",
  "The ABI of each module as a 2026 node prints it",
  { abi: text("the ABI, as JSON; null if the bytes are not decoded", nodeAbi) },
  {
    of: "b",
    joins: sql`LEFT ${code} LEFT JOIN _abis x ON x.id = b.abi_id`,
    same: [
      sql`AND ((nb.abi_id IS NULL AND b.abi_id IS NULL) OR EXISTS (SELECT 1 FROM _abis nx WHERE nx.id = nb.abi_id AND nx.module_id = x.module_id AND nx.face = x.face))`,
    ],
  },
);

const otherModules = (name: string, meaning: string, table: Sql): StateView =>
  moduleView(
    name,
    meaning,
    {
      other_address: text("account that holds the other module", "oa.address"),
      other_module: text("name of the other module", "om.name"),
      other_address_long: text("other_address as 0x and 64 digits", longAddress("oa.address")),
    },
    {
      of: "o",
      joins: sql`${code} JOIN ${table} o ON o.abi_id = b.abi_id LEFT JOIN _modules om ON om.id = o.module_id LEFT JOIN _addresses oa ON oa.id = om.address_id`,
      same: [sql`JOIN ${table} no ON no.abi_id = nb.abi_id AND no.module_id = o.module_id`],
    },
  );

const errorCodes = moduleView(
  "error_codes",
  "Error maps of modules: what the reason in an abort code means",
  {
    code: u64Column("code", "the reason: 6 of the abort code 0x10006", u64("e.code")),
    ...columnsOf(abiTables.error_codes, "name", "description"),
  },
  {
    of: "e",
    joins: sql`${code} JOIN _abis x ON x.id = b.abi_id JOIN _error_map_codes q ON q.error_map_id = x.error_map_id
          LEFT JOIN _error_codes e ON e.id = q.error_code_id`,
    same: [
      sql`JOIN _abis nx ON nx.id = nb.abi_id JOIN _error_map_codes nq ON nq.error_map_id = nx.error_map_id AND nq.error_code_id = q.error_code_id`,
    ],
  },
);

/** What stood: accounts, modules, and all that their ABIs hold. */
const views: readonly StateView[] = [
  accountView,
  modules,
  moduleSizes,
  moduleAbis,
  ...itemViews,
  otherModules("friends", "Friends that modules declare", sql`_abi_friends`),
  otherModules("dependencies", "Other modules that the bytecode refers to", sql`_abi_dependencies`),
  errorCodes,
  ...useViews,
  coveredView,
];

/** Those of them that show what bytecode has. The ABI as JSON has nothing that others have not. */
export const bytecodeViews: readonly StateView[] = views.filter(
  (one) => one !== moduleAbis && one.selects.every(({ spans }) => spans === "modules"),
);

/** Each of these at every sealed snapshot, and its twins `…_latest` and `…_history`. */
export const snapshotViews: readonly ViewData[] = views.flatMap(stateViews);

const named = {
  bytecode_sha256: text("SHA-256 of the bytecode, 64 hex digits", hexText("b.sha256")),
  address: text("account of the module, as named in the bytes; null if they cannot be read", "a.address"),
  module: text("name of the module, as in the bytes; null if they cannot be read", "m.name"),
  is_in_snapshots: flag(
    "is in a snapshot; if not, it was imported as a file, only seen by trace, or belongs to an unfinished snapshot",
    flagOf(sql`EXISTS (SELECT 1 FROM _listing_modules l WHERE l.bytecode_id = b.id)`),
  ),
};
const addressLong = {
  address_long: text(
    "address as 0x and 64 digits; null if the bytes cannot be read",
    asText(sql`CASE WHEN a.address IS NOT NULL THEN ${longAddress("a.address")} END`),
  ),
};
const from = (
  join: Sql,
  items = sql``,
): Sql => sql`FROM _bytecodes b ${join} _abis x ON x.id = b.abi_id ${join} _modules m ON m.id = x.module_id
  ${join} _addresses a ON a.id = m.address_id ${items}`;

/** Bytecode by what it is, not by where and when it stood: that of imported files too, which no snapshot shows. */
export const heldViews: readonly ViewData[] = [
  view({
    name: "bytecodes_held",
    meaning: "Every stored bytecode, in a snapshot or not; no other view of modules includes imported files",
    of: "b",
    columns: {
      ...named,
      bytecode_size: integer("size of the bytecode in bytes", "b.size"),
      ...columnsOf(contentTables.bytecodes, "bytecode_version"),
      ...addressLong,
    },
    from: from(sql`LEFT JOIN`),
  }),
  view({
    name: "bytes_held",
    meaning: "The bytes of every stored bytecode, packed",
    of: "p",
    columns: {
      bytecode_sha256: text("SHA-256 of the plain bytes, 64 hex digits", hexText("b.sha256")),
      base_sha256: text("the bytecode whose plain bytes are the dictionary to unpack with; null if none is needed", hexText("d.sha256")),
      packed: text("the bytes, compressed with zstd, in hex digits", hexText("p.code")),
    },
    from: sql`FROM _bytecode_blobs p JOIN _bytecodes b ON b.id = p.id LEFT JOIN _bytecodes d ON d.id = p.base_id`,
  }),
  view({
    name: "functions_held",
    meaning: "Functions of every stored bytecode",
    of: "i",
    columns: {
      ...named,
      ...functionColumns,
      // With the module at hand, its functions do not look for it.
      signature: { ...functionColumns.signature, term: asText(declared(sql`ft.declaration`, sql`a.address`, sql`i.name`)) },
      entry_function: {
        ...functionColumns.entry_function,
        term: asText(sql`CASE WHEN i.is_entry THEN a.address || '::' || m.name || '::' || i.name END`),
      },
      ...addressLong,
    },
    from: from(
      sql`JOIN`,
      sql`JOIN _abi_functions l ON l.abi_id = b.abi_id JOIN _functions i ON i.id = l.function_id
        LEFT JOIN _signatures ft ON ft.id = i.signature_id`,
    ),
  }),
  view({
    name: "structs_held",
    meaning: "Structs and enums of every stored bytecode",
    of: "i",
    columns: { ...named, ...structColumns, name: text("name of the struct or enum"), ...addressLong },
    from: from(sql`JOIN`, sql`JOIN _abi_structs l ON l.abi_id = b.abi_id JOIN _structs i ON i.id = l.struct_id`),
  }),
];
