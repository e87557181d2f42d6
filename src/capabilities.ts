import { explain } from "./capabilities/explain/index.ts";
import { exporting } from "./capabilities/export/index.ts";
import { importing } from "./capabilities/import/index.ts";
import { uses } from "./capabilities/uses/index.ts";
import type { Capability } from "./cli/capability.ts";

/** What the program can do beside its core. To take a capability out, remove its line here and its folder. */
export const capabilities: readonly Capability[] = [explain, importing, exporting, uses];
