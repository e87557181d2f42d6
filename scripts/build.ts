import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build, type InlineConfig } from "vite";
import { assets } from "../src/capabilities/pages/assets/assets.ts";
import { writeSchemaEntries } from "./schema-entries.ts";

// The JavaScript of the package: the sources that are loaded together in one file each, where a night would load several hundred of them.
// Names stay, so that a stack trace says something, and what only some commands need is in files that they load when they need it.
// The libraries are inside too, without what movedex does not use of them; their licences are in dist/licenses.md. Outside stay the
// one with a binary, and drizzle, which only those load who bring their own.
//
//     npx node scripts/build.ts [--out dist]
const root = fileURLToPath(new URL("..", import.meta.url));

type Modules = { getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null };

/** What is one file each, by the modules that it begins with: what every command line loads, the options of all commands, a night. */
const parts: Readonly<Record<string, readonly string[]>> = {
  shell: ["src/main.ts"],
  commands: ["src/core/cli/help.ts", ...globSync("src/{core/cli/commands,capabilities}/**/{command,index}.ts", { cwd: root })],
  night: ["src/core/cli/commands/sync/run.ts", "src/core/db/engine/sqlite/open-sqlite.ts", "src/core/node/open-node.ts"],
};
let partOf: ReadonlyMap<string, string> | undefined;

/** The part that a module is in; null for what only some commands load. */
function partWith(id: string, modules: Modules): string | null {
  partOf ??= new Map(
    Object.entries(parts)
      .toReversed()
      .flatMap(([part, files]) =>
        closure(
          files.map((file) => join(root, file)),
          modules,
        ).map((found) => [found, part] as const),
      ),
  );
  return partOf.get(id) ?? null;
}

/** The modules that are loaded with some, without those that they load when they need them. */
function closure(ids: readonly string[], modules: Modules): string[] {
  const found = new Set<string>();
  const add = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    for (const next of modules.getModuleInfo(id)?.importedIds ?? []) add(next);
  };
  for (const id of ids) add(id);
  return [...found];
}

const { values } = parseArgs({ options: { out: { type: "string", default: "dist" } } });
const options = {
  configFile: false,
  logLevel: "warn",
  root,
  ssr: { noExternal: true as const, external: ["better-sqlite3", "drizzle-orm", "pg-native"] },
} satisfies InlineConfig;

/** Builds some entries. The declarations of tsc are there already. */
async function buildEntries(input: Readonly<Record<string, string>>, codeSplitting: object): Promise<void> {
  await build({
    ...options,
    build: {
      ssr: true,
      target: "es2024",
      minify: false,
      outDir: values.out,
      // Written last by the program, which has all libraries.
      license: { fileName: "licenses.md" },
      emptyOutDir: false,
      rolldownOptions: {
        input,
        output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js", codeSplitting },
      },
    },
  });
}
// By themselves: what browsers and other runtimes load shares no file with what loads a database. Who takes the order of severities alone
// need not take what compares, and who prints a signature not what decodes.
await buildEntries(
  { decode: "src/decode.ts", diff: "src/diff.ts", explain: "src/explain.ts" },
  {
    groups: [
      { name: "severity", test: /compare\/severity\.ts$/ },
      { name: "signature", test: /(?:print\/signature|types\/format-type)\.ts$/ },
    ],
  },
);
await buildEntries(
  {
    main: "src/main.ts",
    index: "src/index.ts",
    capabilities: "src/capabilities.ts",
    pages: "src/capabilities/explorer/thread.ts",
    "drizzle-sqlite": "src/capabilities/drizzle/sqlite.ts",
    "drizzle-postgresql": "src/capabilities/drizzle/postgresql.ts",
  },
  {
    groups: Object.keys(parts).map((part, index) => ({
      name: (id: string, modules: Modules) => (partWith(id, modules) === part ? part : null),
      debugName: part,
      priority: 10 - index,
    })),
  },
);
writeSchemaEntries(values.out);
// What `browserFile` makes in a checkout, by the names under which it looks for them in a package.
const browserFiles = {
  "page.css": assets.style.body,
  "page.js": assets.script.body,
  "icon.svg": assets.icon.body,
};
for (const [name, content] of Object.entries(browserFiles)) writeFileSync(join(values.out, name), content);
