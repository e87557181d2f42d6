import { rulesMarkdown } from "../../src/abi/compare/rules/text.ts";
import { publishRulesMarkdown } from "../../src/abi/publish/rules.ts";
import { cookbookMarkdown } from "../../src/schema/cookbook/cookbook.ts";
import { drawChart, readCells } from "../../test/bench/backfill/chart.ts";
import { cadenceTable, drawCadence, readCells as readNights } from "../../test/bench/cadence/chart.ts";
import { jsonSchemas, schemasMarkdown } from "../contract/json-schemas.ts";
import { fenced } from "./blocks.ts";
import { commandsMarkdown } from "./commands.ts";
import { demoOutput } from "./demo.ts";
import { differencesMarkdown } from "./differences.ts";
import { errorCodesMarkdown, exitCodesMarkdown, nodeErrorsMarkdown } from "./errors.ts";
import { paceMarkdown } from "./pace.ts";
import { roomsMarkdown } from "./rooms.ts";
import { schemaMarkdown } from "./schema.ts";
import { drawTimeline } from "./timeline.ts";
import { liveThroughNights } from "./timeline-nights.ts";
import { readUpgradeCounts, upgradesMarkdown } from "./upgrades-table.ts";

/** The pages with generated parts: each part by the name between its marks, with what makes it. */
export const pages: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  "README.md": { demo: () => fenced(demoOutput(), "console"), pace: paceMarkdown },
  "docs/commands.md": { commands: commandsMarkdown },
  "docs/json.md": { schemas: schemasMarkdown },
  "docs/schema.md": { schema: schemaMarkdown },
  "docs/cookbook.md": { recipes: cookbookMarkdown },
  "docs/diff-rules.md": {
    rules: () => rulesMarkdown().trimEnd(),
    "publish-rules": publishRulesMarkdown,
    upgrades: () => upgradesMarkdown(readUpgradeCounts()),
  },
  "docs/errors.md": { "exit-codes": exitCodesMarkdown, codes: errorCodesMarkdown, "node-errors": nodeErrorsMarkdown },
  "docs/decisions/night-under-a-budget.md": { cells: () => cadenceTable(readNights()) },
  "docs/architecture.md": { rooms: roomsMarkdown },
  "docs/serve.md": { differences: differencesMarkdown },
};

/** The files that are generated whole, with what makes each. */
export const pictures: Readonly<Record<string, () => string | Promise<string>>> = {
  "docs/timeline.svg": async () => drawTimeline(await liveThroughNights()),
  "docs/backfill.svg": () => drawChart(readCells()),
  "docs/cadence.svg": () => drawCadence(readNights()),
  ...Object.fromEntries([...jsonSchemas()].map(([file, schema]) => [`schemas/${file}`, () => `${JSON.stringify(schema, null, 2)}\n`])),
};
