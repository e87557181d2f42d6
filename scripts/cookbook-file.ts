import { cookbookMarkdown, recipes } from "../src/schema/cookbook/cookbook.ts";

/** COOKBOOK.md, whole. */
export function cookbookFile(): string {
  return `# Cookbook

${recipes.length} questions that people ask of an archive, each with the SQL that answers it. Run one with \`movedex query --cookbook NAME -p name=value\`, list them with
\`movedex cookbook\`, or take the SQL as a start for your own: the views and their columns are a contract (\`movedex schema\`).

The views whose names end in \`_latest\` show the newest sealed snapshot, those in \`_at\` every sealed snapshot: say which with \`ledger_version = …\`. Addresses are compared as the
node prints them, without leading zeros (\`0x1\`); \`address_long\` has all 64 digits for joins with other data.

This file is written by \`npm run readme\`, and a test holds it to the code.

${cookbookMarkdown()}
`;
}
