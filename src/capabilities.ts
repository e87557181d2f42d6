import { cadence } from "./capabilities/cadence/index.ts";
import { changes } from "./capabilities/changes/index.ts";
import { monitoring } from "./capabilities/monitoring/index.ts";
import { postgresql } from "./capabilities/postgresql/index.ts";
import { settings } from "./capabilities/settings/index.ts";
import { targets } from "./capabilities/targets/index.ts";
import { watch } from "./capabilities/watch/index.ts";
import type { Capability, LaterCapability } from "./core/cli/capability.ts";

/**
 * What the program can do beside its core. Its parts of a night and its hooks run in this order. Those that take part in every command are
 * imported, the others loaded where a command is not one of the core's; one that only others import is a name. To take a capability out,
 * remove its line here, those in `capability-tables.ts` and `capability-views.ts`, its folder, those that need it, and the entries of the
 * package that import one (`src/diff.ts` and others).
 */
export const capabilities: readonly (Capability | LaterCapability)[] = [
  postgresql,
  settings,
  monitoring,
  targets,
  { name: "night", load: async () => (await import("./capabilities/night/index.ts")).night },
  { name: "status", load: async () => (await import("./capabilities/status/index.ts")).status },
  { name: "history", load: async () => (await import("./capabilities/history/index.ts")).history },
  { name: "gaps", load: async () => (await import("./capabilities/gaps/index.ts")).gaps },
  cadence,
  { name: "doctor", load: async () => (await import("./capabilities/doctor/index.ts")).doctor },
  { name: "init", load: async () => (await import("./capabilities/init/index.ts")).init },
  { name: "decode", load: async () => (await import("./capabilities/decode/index.ts")).decode },
  { name: "cookbook", load: async () => (await import("./capabilities/cookbook/index.ts")).cookbook },
  { name: "schema", load: async () => (await import("./capabilities/schema/index.ts")).schema },
  { name: "drizzle" },
  { name: "effects" },
  changes,
  { name: "horizon" },
  { name: "backfill", load: async () => (await import("./capabilities/backfill/index.ts")).backfill },
  { name: "trace", load: async () => (await import("./capabilities/trace/index.ts")).trace },
  watch,
  { name: "verify", load: async () => (await import("./capabilities/verify/index.ts")).verify },
  { name: "backup", load: async () => (await import("./capabilities/backup/index.ts")).backup },
  { name: "report", load: async () => (await import("./capabilities/report/index.ts")).report },
  { name: "compare", load: async () => (await import("./capabilities/compare/index.ts")).compare },
  { name: "search", load: async () => (await import("./capabilities/search/index.ts")).search },
  { name: "explain", load: async () => (await import("./capabilities/explain/index.ts")).explain },
  { name: "uses", load: async () => (await import("./capabilities/uses/index.ts")).uses },
  { name: "serve", load: async () => (await import("./capabilities/serve/index.ts")).serve },
  { name: "pages", load: async () => (await import("./capabilities/pages/index.ts")).pages },
  { name: "explorer", load: async () => (await import("./capabilities/explorer/index.ts")).explorer },
  { name: "export", load: async () => (await import("./capabilities/export/index.ts")).exporting },
  { name: "typings", load: async () => (await import("./capabilities/typings/index.ts")).typings },
  { name: "import", load: async () => (await import("./capabilities/import/index.ts")).importing },
  { name: "demo", load: async () => (await import("./capabilities/demo/index.ts")).demo },
  { name: "completions", load: async () => (await import("./capabilities/completions/index.ts")).completions },
  { name: "library", needs: ["explain"] },
];
