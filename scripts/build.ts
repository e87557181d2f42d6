import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "vite";
import { assets } from "../src/pages/assets/assets.ts";
import { writeSchemaEntries } from "./schema-entries.ts";

// The JavaScript of the package: the sources that are loaded together in one file each, where a night would load several hundred of them.
// Names stay, so that a stack trace says something, and what only some commands need is in files that they load when they need it.
// The libraries are inside too, without what movedex does not use of them; their licences are in dist/licenses.md. Outside stay the
// one with a binary, and drizzle, which only those load who bring their own.
//
//     npx node scripts/build.ts [--out dist]
const { values } = parseArgs({ options: { out: { type: "string", default: "dist" } } });
await build({
  configFile: false,
  logLevel: "warn",
  root: fileURLToPath(new URL("..", import.meta.url)),
  ssr: { noExternal: true, external: ["better-sqlite3", "drizzle-orm", "pg-native"] },
  build: {
    ssr: true,
    target: "es2024",
    minify: false,
    outDir: values.out,
    license: { fileName: "licenses.md" },
    // The declarations of tsc are there already.
    emptyOutDir: false,
    rolldownOptions: {
      input: {
        main: "src/main.ts",
        index: "src/index.ts",
        decode: "src/decode.ts",
        diff: "src/diff.ts",
        explain: "src/explain.ts",
        pages: "src/pages/thread.ts",
        "drizzle-sqlite": "src/schema/dialects/sqlite.ts",
        "drizzle-postgresql": "src/schema/dialects/postgresql.ts",
      },
      output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
    },
  },
});
writeSchemaEntries(values.out);
// What `browserFile` makes in a checkout, by the names under which it looks for them in a package.
const browserFiles = {
  "page.css": assets.style.body,
  "page.js": assets.script.body,
  "icon.svg": assets.icon.body,
};
for (const [name, content] of Object.entries(browserFiles)) writeFileSync(join(values.out, name), content);
