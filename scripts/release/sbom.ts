import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Prints the bill of materials of the package as CycloneDX: what npm installs with it, and the libraries inside dist, which npm takes
// for tools of development.
//
//     npm run build && npx node scripts/release/sbom.ts
type Component = { readonly "bom-ref": string; readonly scope?: string; readonly properties?: readonly { readonly name: string }[] };
type Bom = {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

const root = fileURLToPath(new URL("../..", import.meta.url));
const words = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only", "--workspaces=false"];
const bom = JSON.parse(execFileSync("npm", words, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 28 })) as Bom;
const inside = [...readFileSync(`${root}/dist/licenses.md`, "utf8").matchAll(/^## (\S+) - (\S+)/gm)].map(
  ([, name, version]) => `${name}@${version}`,
);
const { packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, "utf8")) as {
  packages: Readonly<
    Record<string, { readonly version?: string; readonly dev?: boolean; readonly optional?: boolean; readonly link?: boolean }>
  >;
};
const beside = Object.entries(packages).flatMap(([place, { version, dev, optional, link }]) =>
  place.startsWith("node_modules/") && !dev && !optional && !link ? [`${place.slice("node_modules/".length)}@${version}`] : [],
);
const wanted = new Set([...inside, ...beside]);
const components = bom.components.filter((component) => wanted.has(component["bom-ref"]));
const found = new Set(components.map((component) => component["bom-ref"]));
const missing = [...wanted].filter((one) => !found.has(one));
if (missing.length > 0) throw new Error(`the lock file does not name ${missing.join(", ")}`);
const kept = bom.dependencies.filter(({ ref }) => ref.startsWith("movedex@") || found.has(ref));
const whole = {
  ...bom,
  components: components.map(({ scope, ...component }) => ({
    ...component,
    properties: component.properties?.filter(({ name }) => !name.endsWith(":development")),
  })),
  dependencies: kept.map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => found.has(one)) })),
};
process.stdout.write(`${JSON.stringify(whole, null, 2)}\n`);
