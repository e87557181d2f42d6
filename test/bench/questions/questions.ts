import { recipes } from "../../../src/capabilities/cookbook/recipes/cookbook.ts";
import type { Address } from "../../../src/core/move/address.ts";
import type { Asked } from "./ask-once.ts";

/** What is in the archive: its two snapshots, and an account whose own module `coin` has the struct `Coin`. */
export type Subject = { readonly from: bigint; readonly to: bigint; readonly account: Address };

/** A question in SQL. */
export type SqlQuestion = Asked & { readonly about: string };

/** A question to the command line; the database is added behind it. */
export type CommandQuestion = { readonly about: string; readonly args: readonly string[] };

/** Every recipe of the cookbook with its examples, the versions those of the archive. */
export function recipeQuestions({ from, to }: Subject): SqlQuestion[] {
  const versions: Readonly<Record<string, bigint>> = { from, to };
  return recipes.map(({ name, sql, parameters }) => ({
    about: `cookbook ${name}`,
    sql,
    values: Object.fromEntries(
      Object.entries(parameters).map(([key, { kind, example }]) => [key, kind === "number" ? `${versions[key] ?? example}n` : example]),
    ),
  }));
}

/** What an analyst types. */
export function analystQuestions({ from, to, account }: Subject): SqlQuestion[] {
  const changed = `SELECT a.address, a.module FROM modules_at a JOIN modules_at b ON b.address = a.address AND b.module = a.module
    WHERE a.ledger_version = ${from} AND b.ledger_version = ${to} AND a.bytecode_sha256 <> b.bytecode_sha256`;
  return [
    ["functions of one account", `SELECT module, name, signature FROM functions_latest WHERE address = '${account}'`],
    ["modules of one account", `SELECT module, bytecode_sha256 FROM modules_latest WHERE address = '${account}'`],
    ["modules per account", "SELECT address, count(*) FROM modules_latest GROUP BY 1 ORDER BY 2 DESC LIMIT 20"],
    ["functions, count(*)", "SELECT count(*) FROM functions_latest"],
    ["functions by visibility and is_entry", "SELECT visibility, is_entry, count(*) FROM functions_latest GROUP BY 1, 2"],
    ["functions by exact name", "SELECT address, module, signature FROM functions_latest WHERE name = 'withdraw'"],
    ["entry functions by name prefix", "SELECT address, module, name FROM functions_latest WHERE is_entry AND name LIKE 'transfer%'"],
    ["functions that take a u256", "SELECT address, module, function FROM function_params_latest WHERE type = 'u256'"],
    [
      "functions that take &A::coin::Coin<T0>",
      `SELECT module, function FROM function_params_latest WHERE type = '&${account}::coin::Coin<T0>'`,
    ],
    ["parameters by type", "SELECT type, params FROM type_counts_latest WHERE params > 0"],
    [
      "address parameter and bool return, 100 rows",
      `SELECT p.address, p.module, p.function FROM function_params_latest p
        JOIN function_returns_latest r ON r.address = p.address AND r.module = p.module AND r.function = p.function
        WHERE p.type = 'address' AND r.type = 'bool' LIMIT 100`,
    ],
    [
      "structs with key and a field u128",
      `SELECT s.address, s.module, s.name FROM structs_latest s
        JOIN fields_latest f ON f.address = s.address AND f.module = s.module AND f.struct = s.name WHERE s.has_key AND f.type = 'u128'`,
    ],
    ["fields by name", "SELECT address, module, struct, type FROM fields_latest WHERE name = 'total_coins'"],
    ["fields by type", "SELECT type, fields FROM type_counts_latest WHERE fields > 0"],
    ["most used structs", "SELECT * FROM struct_counts_latest ORDER BY uses DESC LIMIT 20"],
    ["most called functions", "SELECT * FROM call_counts_latest ORDER BY callers DESC LIMIT 20"],
    [
      "parameters joined with fields, same module",
      `SELECT sum(p.n * f.n) FROM
        (SELECT address, module, count(*) AS n FROM function_params_latest WHERE type = '&signer' GROUP BY 1, 2) p JOIN
        (SELECT address, module, count(*) AS n FROM fields_latest WHERE type = 'u64' AND position = 0 GROUP BY 1, 2) f USING (address, module)`,
    ],
    ["type_uses by struct name", "SELECT address, module, item FROM type_uses_latest WHERE used_struct = 'MintCapability'"],
    [
      "type_uses by address and struct",
      `SELECT module, item, place FROM type_uses_latest WHERE used_address = '${account}' AND used_struct = 'Coin'`,
    ],
    [
      "type_uses of 0x1::coin::Coin",
      "SELECT address, module FROM type_uses_latest WHERE used_address = '0x1' AND used_module = 'coin' AND used_struct = 'Coin'",
    ],
    [
      "callers by module and function",
      "SELECT address, module, function FROM function_calls_latest WHERE callee_module = 'coin' AND callee_function = 'withdraw'",
    ],
    ["attributes by kind", "SELECT kind, count(*) FROM attributes_latest GROUP BY 1"],
    ["phantom type parameters, count(*)", "SELECT count(*) FROM type_params_latest WHERE is_phantom"],
    ["error codes by name", "SELECT address, module, code FROM error_codes_latest WHERE name = 'EINSUFFICIENT_BALANCE'"],
    [
      "changes between two nights",
      `SELECT address, module, abi_changed FROM module_changes WHERE ledger_version > ${from} AND ledger_version <= ${to}`,
    ],
    ["changes between two nights, from modules_at", changed],
    ["modules at the older night, count(*)", `SELECT count(*) FROM modules_at WHERE ledger_version = ${from}`],
  ].map(([about = "", sql = ""]) => ({ about, sql, values: {} }));
}

/** What is asked on the command line. */
export function commandQuestions({ account }: Subject): CommandQuestion[] {
  return [
    ["version"],
    ["status"],
    ["report"],
    ["show", "0x1::coin"],
    ["show", `${account}::coin`],
    ["show", account],
    ["show", `${account}::coin::withdraw`, "--code"],
    ["search", "coin", "transfer"],
    ["search", "coin", "--account", account],
    ["search", "insufficient balance"],
    ["uses", "0x1::coin::transfer"],
    ["uses", `${account}::coin::withdraw`],
    ["uses", `${account}::coin`],
    ["diff", "previous", "latest", "0x1"],
    ["diff", "previous", "latest"],
    ["query", "--cookbook", "events"],
    ["gaps"],
    ["snapshots"],
  ].map((args) => ({ about: args.map((arg) => arg.replace(account, "A")).join(" "), args }));
}
