import { sql } from "../sql/sql.ts";
import { functions, moduleView } from "./module-view.ts";
import type { StandingView } from "./standing.ts";
import { flag, integer, text } from "./view.ts";

const types = (name: string, meaning: string): StandingView => {
  const table = name === "function_params" ? sql`_function_params` : sql`_function_returns`;
  return moduleView(
    name,
    meaning,
    {
      function: text("name of the function"),
      position: integer("position in the list, from 0"),
      type: text("the type as the node prints it"),
    },
    {
      values: sql`f.name AS function, x.position, t.text AS type`,
      joins: sql`${functions(sql`JOIN ${table} x ON x.function_id = l.function_id`)} LEFT JOIN _types t ON t.id = x.type_id`,
    },
  );
};

export const functionView = moduleView(
  "functions",
  "Functions of modules, private and native ones included",
  {
    name: text("name of the function"),
    visibility: text("private, friend or public"),
    is_entry: flag("can be called directly by a transaction"),
    is_view: flag("is a view function"),
    is_native: flag("is native: implemented by the node"),
    signature: text("the declaration on one line"),
  },
  { values: sql`f.name, f.visibility, f.is_entry, f.is_view, f.is_native, f.signature`, joins: functions() },
);

/** Types of their parameters and of what they return. */
export const functionTypeViews = [
  types("function_params", "Parameters of functions"),
  types("function_returns", "Return values of functions"),
] as const;

export const callView = moduleView(
  "function_calls",
  "Which function calls which, or makes a function value of it, according to the bytecode; calls within a module included",
  {
    function: text("name of the calling function"),
    callee_address: text("account that holds the module of the called function"),
    callee_module: text("name of that module"),
    callee_function: text("name of the called function"),
  },
  {
    values: sql`f.name AS function, oa.address AS callee_address, om.name AS callee_module, d.name AS callee_function`,
    joins: sql`${functions(sql`JOIN _function_calls k ON k.function_id = l.function_id`)} LEFT JOIN _called_functions d ON d.id = k.called_id
          LEFT JOIN _modules om ON om.id = d.module_id LEFT JOIN _addresses oa ON oa.id = om.address_id`,
  },
);
