import { parseParameters } from "../../schema/sql/parameters.ts";
import { postgresqlDialect } from "../../schema/sql/postgresql-dialect.ts";
import type { Sql } from "../../schema/sql/sql.ts";
import type { Values } from "../engine.ts";
import type { Question } from "./driver.ts";
import { castOf, cellReader, type Sent, sendValue } from "./values.ts";

type Compiled = ReturnType<typeof parseParameters>;

const types = { getTypeParser: cellReader };
const compiled = new WeakMap<Sql, Compiled>();

/**
 * A statement with its values as a question to the server. Parameters become `$1`, `$2` … , each declared as the type of its
 * value or kind: left to itself the server takes one in a CASE or a list for text. The statement has no name on the server,
 * since a pooling proxy would not know it in the next transaction.
 */
export function question(statement: Sql, values: Values): Question {
  const { texts, parameters } = compile(statement);
  const sent: Sent[] = [];
  const places = new Map<string, string>();
  const text = texts.reduce((before, next, i) => {
    const { name, kind } = parameters[i - 1] as Compiled["parameters"][number];
    const value = values[name];
    if (value === undefined) throw new TypeError(`the statement needs :${name}, and it was not given.`);
    const key = `${name} ${kind}`;
    let place = places.get(key);
    if (place === undefined) {
      const cast = castOf(value, kind);
      sent.push(sendValue(value, kind));
      place = cast === undefined ? `$${sent.length}` : `$${sent.length}::${cast}`;
      places.set(key, place);
    }
    return before + place + next;
  });
  return { text, values: sent, rowMode: "array", types };
}

/** A statement of the engine's own, without values. */
export function plainQuestion(text: string): Question {
  return { text, rowMode: "array", types };
}

function compile(statement: Sql): Compiled {
  let found = compiled.get(statement);
  if (found === undefined) {
    found = parseParameters(statement.in(postgresqlDialect));
    compiled.set(statement, found);
  }
  return found;
}
