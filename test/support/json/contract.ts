import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { commandsToRead, fullName, programToRead } from "../../../scripts/docs/commands.ts";
import type { JsonSchema } from "../../../src/core/base/result.ts";
import { failure } from "../../../src/core/cli/output/result-fields.ts";

/** Commands whose JSON is somebody else's: a node's, or what the user's SQL gives. */
const FOREIGN = new Set(["query", "show", "decode", "query-worker", "console-worker", "schema"]);
/** Options that leave JSON to another option, or write none. */
const ANSWERS = ["json", "--json", "--jsonl"];

const commands = commandsToRead(await programToRead());
const ajv = new Ajv2020({ strict: false });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
const compiled = new Map<JsonSchema, ValidateFunction>();

/**
 * What in the JSON of a command breaks its schema. Tests are stricter than the schemas that the package has: a field that no schema
 * names is a breach too. Empty when nothing is wrong, or when the command printed no JSON of its own.
 */
export async function contractBreaches(argv: readonly string[], stdout: string): Promise<string[]> {
  const [command = "", second = ""] = argv;
  if (!argv.some((word) => ANSWERS.includes(word)) || FOREIGN.has(command)) return [];
  const result = commands.find((one) => [command, `${command} ${second}`].includes(fullName(one)))?.result;
  const schema = (await result?.kind())?.schema;
  return documentsIn(stdout).flatMap((document) => {
    if (typeof document === "object" && document !== null && "error" in document && !("section" in document))
      return breaches(failure.schema, document);
    if (schema === undefined) return [`no schema describes it`];
    const values = result?.isList === true && Array.isArray(document) ? document : [document];
    return values.flatMap((value) => breaches(schema, value));
  });
}

/** One document, or one a line; talk between them is not looked at. */
function documentsIn(stdout: string): unknown[] {
  const whole = parsed(stdout);
  if (whole !== undefined) return [whole];
  return stdout.split("\n").flatMap((line) => (/^[[{]/.test(line) ? (parsed(line) ?? []) : []));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function breaches(schema: JsonSchema, value: unknown): string[] {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(closed(schema) as JsonSchema);
    compiled.set(schema, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath || "/"} ${message}: ${JSON.stringify(params)}`);
}

/** A schema that allows no field that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const inside = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]));
  return "required" in inside && !("additionalProperties" in inside) ? { ...inside, additionalProperties: false } : inside;
}
