import type { PhotoArchive } from "./archive.ts";

const NAMES = "SELECT address, module, name, visibility, signature FROM functions_latest WHERE name LIKE '%withdraw%'";
const COUNTS = "SELECT visibility, count(*) AS n FROM functions_latest GROUP BY 1 ORDER BY 2 DESC";

function sql(statement: string, more = ""): string {
  return `/sql?sql=${encodeURIComponent(statement)}${more}`;
}

/** A page of each kind on the service, by a name for its picture. */
export function servedKinds({ nights, large }: PhotoArchive): Readonly<Record<string, string>> {
  const [first, before, last] = [nights[0], nights.at(-2), nights.at(-1)];
  return {
    home: "/",
    module: "/module/0x1/coin",
    "module-old": `/module/0x1/coin?at=${nights[2]}&all=1`,
    function: "/module/0x1/coin/withdraw",
    struct: "/module/0x1/coin/Coin",
    account: "/account/0x1",
    "account-large": `/account/${large}`,
    "account-empty": "/account/0x51e47",
    changes: "/changes",
    "changes-night": `/changes?night=${last}`,
    "changes-none": `/changes?severity=breaking&account=${large}`,
    diff: `/diff/0x1/coin?from=${before}&to=${last}&code=1`,
    "diff-far": `/diff/0x1/account?from=${first}&to=${last}`,
    search: "/search?q=withdraw",
    "search-abort": "/search?q=0x10006",
    "search-none": "/search?q=nosuchword",
    coverage: "/coverage",
    gaps: "/gaps",
    sql: "/sql",
    "sql-rows": sql(NAMES),
    "sql-count": sql(NAMES, "&facet=visibility"),
    "sql-chart": sql(COUNTS, "&chart=bar"),
    "sql-plan": sql(NAMES, "&plan=1"),
    "sql-error": sql("SELECT nam FROM function_latest"),
    "sql-recipe": "/sql?recipe=module-history&p.address=0x1&p.module=coin",
    "error-not-held": "/module/0x1/none",
    "error-no-page": "/nope",
    "error-not-understood": "/account/zzz",
    spec: "/v1/spec",
  };
}
