import { asText } from "../sql/functions.ts";
import { named, sql } from "../sql/sql.ts";
import { functionTables } from "../tables/item-rows.ts";
import { functions, functionThen, moduleView, type StateView } from "./state-views.ts";
import { asInteger, columnsOf, integer, longAddress, text } from "./view.ts";

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
  ...columnsOf(functionTables.functions, "name", "visibility", "is_entry", "is_view", "is_native", "signature"),
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
  same: functionThen(sql`AND nf.signature = f.signature AND nf.visibility = f.visibility AND nf.is_entry = f.is_entry
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
