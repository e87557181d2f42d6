import { backfill } from "./capabilities/backfill/index.ts";
import { backup } from "./capabilities/backup/index.ts";
import { cadence } from "./capabilities/cadence/index.ts";
import { changes } from "./capabilities/changes/index.ts";
import { compare } from "./capabilities/compare/index.ts";
import { completions } from "./capabilities/completions/index.ts";
import { cookbook } from "./capabilities/cookbook/index.ts";
import { decode } from "./capabilities/decode/index.ts";
import { demo } from "./capabilities/demo/index.ts";
import { doctor } from "./capabilities/doctor/index.ts";
import { explain } from "./capabilities/explain/index.ts";
import { explorer } from "./capabilities/explorer/index.ts";
import { exporting } from "./capabilities/export/index.ts";
import { gaps } from "./capabilities/gaps/index.ts";
import { history } from "./capabilities/history/index.ts";
import { importing } from "./capabilities/import/index.ts";
import { init } from "./capabilities/init/index.ts";
import { monitoring } from "./capabilities/monitoring/index.ts";
import { night } from "./capabilities/night/index.ts";
import { postgresql } from "./capabilities/postgresql/index.ts";
import { report } from "./capabilities/report/index.ts";
import { schema } from "./capabilities/schema/index.ts";
import { search } from "./capabilities/search/index.ts";
import { serve } from "./capabilities/serve/index.ts";
import { settings } from "./capabilities/settings/index.ts";
import { status } from "./capabilities/status/index.ts";
import { targets } from "./capabilities/targets/index.ts";
import { trace } from "./capabilities/trace/index.ts";
import { typings } from "./capabilities/typings/index.ts";
import { uses } from "./capabilities/uses/index.ts";
import { verify } from "./capabilities/verify/index.ts";
import { watch } from "./capabilities/watch/index.ts";
import type { Capability } from "./core/cli/capability.ts";

/**
 * What the program can do beside its core. Its parts of a night and its hooks run in this order. One that only others import is a name. To
 * take a capability out, remove its line here, its folder, those that need it, and the entries of the package that import one of them
 * (`src/decode.ts` and others).
 */
export const capabilities: readonly Capability[] = [
  postgresql,
  settings,
  monitoring,
  targets,
  night,
  status,
  history,
  gaps,
  cadence,
  doctor,
  init,
  decode,
  cookbook,
  schema,
  { name: "drizzle" },
  { name: "effects" },
  changes,
  { name: "archival" },
  backfill,
  trace,
  watch,
  verify,
  backup,
  report,
  compare,
  search,
  explain,
  uses,
  serve,
  { name: "pages", needs: ["serve", "changes"] },
  explorer,
  exporting,
  typings,
  importing,
  demo,
  completions,
  { name: "library", needs: ["explain"] },
];
