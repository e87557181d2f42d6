/** Commands whose JSON is somebody else's: a node's, or what the user's SQL gives. */
const FOREIGN = new Set(["query", "show", "decode", "query-worker", "schema"]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/**
 * What in the JSON of a command breaks the rules of docs/querying.md: ledger versions that are no text, moments that are not ISO 8601 in
 * UTC, conditions that are numbers, names that are not in snake_case. Empty when nothing does, or the output is not under the rules.
 */
export function contractBreaches(argv: readonly string[], stdout: string): string[] {
  const isUnderRules = (argv.includes("--json") || argv.includes("--jsonl")) && !FOREIGN.has(argv[0] ?? "");
  if (!isUnderRules) return [];
  const last = stdout.trimEnd().split("\n").at(-1) ?? "";
  const breaches: string[] = [];
  walk(parsed(stdout) ?? parsed(last), "", breaches);
  return breaches;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function walk(value: unknown, path: string, breaches: string[]): void {
  if (Array.isArray(value)) for (const part of value) walk(part, `${path}[]`, breaches);
  else if (typeof value === "object" && value !== null)
    for (const [key, part] of Object.entries(value)) {
      const fault = part === null || typeof part === "object" ? undefined : faultOf(key, part);
      if (fault !== undefined) breaches.push(`${path}.${key} is ${JSON.stringify(part)}: ${fault}`);
      walk(part, `${path}.${key}`, breaches);
    }
}

function faultOf(key: string, value: unknown): string | undefined {
  if (/(?:^|_)version$/.test(key) && !/^(?:bytecode|schema|app)_version$/.test(key) && typeof value !== "string")
    return "a version is text";
  if (/_at$|^ledger_time$/.test(key) && !TIME.test(String(value))) return "a moment is ISO 8601 in UTC";
  if (/^(?:is|has)_/.test(key) && typeof value !== "boolean") return "a condition is true or false";
  return undefined;
}
