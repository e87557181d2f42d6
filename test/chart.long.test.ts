import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { parseAllDocuments } from "yaml";
import { expectHarmlessPod, type Pod, podsOf } from "./support/pod-rules.ts";
import { runCli } from "./support/run-cli.ts";
import { test } from "./support/test.ts";
import { named, output } from "./witnesses/programs.ts";

const chart = fileURLToPath(new URL("../packaging/helm/movedex", import.meta.url));
const own = fileURLToPath(new URL("../.witnesses/bin/helm", import.meta.url));
const helm = existsSync(own) ? own : "helm";
const missing = spawnSync(helm, ["version"]).status === 0 ? undefined : "no helm here";

/** The chart's objects for these values, by kind and name. */
function render(...settings: readonly string[]): ReadonlyMap<string, Record<string, unknown>> {
  const text = output(helm, ["template", "movedex", chart, ...settings.flatMap((setting) => ["--set", setting])]);
  const documents = parseAllDocuments(text).map((document) => document.toJS() as { kind: string; metadata: { name: string } } | null);
  return new Map(documents.flatMap((object) => (object === null ? [] : [[`${object.kind} ${object.metadata.name}`, object]])));
}

const pods = (objects: ReadonlyMap<string, unknown>): Pod[] => podsOf([...objects.values()].map((object) => ({ toJS: () => object })));
const argsOf = ({ containers }: Pod): readonly string[] => containers[0]?.args ?? [];
const secretsOf = ({ containers }: Pod): string[] => containers[0]?.envFrom?.map(({ secretRef }) => secretRef.name) ?? [];

const everything = ["serve.enabled=true", "networkPolicy.enabled=true", "serve.hostNames={archive.example.org}"];

describe.skipIf(missing !== undefined)(named("the Helm chart, rendered by helm", missing), () => {
  test("is linted, as it is, with PostgreSQL and with everything switched on", () => {
    for (const settings of [[], ["database.engine=postgresql"], [...everything, `image.digest=sha256:${"a".repeat(64)}`]]) {
      const said = output(helm, ["lint", "--strict", chart, ...settings.flatMap((setting) => ["--set", setting])]);
      expect(said).toContain("1 chart(s) linted, 0 chart(s) failed");
    }
    expect(() => render("database.engine=mysql")).toThrow("database.engine");
  });

  test("of a file: a night, its disk, and a service beside it on the same node", async ({ place }) => {
    expect([...render().keys()].sort()).toEqual(["CronJob movedex", "PersistentVolumeClaim movedex"]);
    expect([...render("database.sqlite.existingClaim=disk").keys()]).toEqual(["CronJob movedex"]);
    const objects = render(...everything);
    expect([...objects.keys()].sort()).toEqual([
      "CronJob movedex",
      "Deployment movedex-serve",
      "NetworkPolicy movedex",
      "PersistentVolumeClaim movedex",
      "Service movedex-serve",
    ]);
    const [serve, night] = pods(objects).sort((a, b) => argsOf(b)[0]?.localeCompare(argsOf(a)[0] as string) ?? 0) as [Pod, Pod];
    for (const pod of [night, serve]) expectHarmlessPod(pod);
    expect(JSON.stringify(night)).toContain('"podAffinity"');
    expect(objects.get("Deployment movedex-serve")).toMatchObject({ spec: { replicas: 1, strategy: { type: "Recreate" } } });
    expect([secretsOf(night), secretsOf(serve)]).toEqual([["movedex"], []]);
    const { code, stderr } = await runCli([...argsOf(night), "--dry-run"].map((word) => word.replace("/data", place.path)));
    expect([code, stderr]).toEqual([0, expect.anything()]);
    const served = await runCli(argsOf(serve).map((word) => word.replace("/data", place.path)));
    expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no database") });
  });

  test("of PostgreSQL: no disk, and `serve` has the reader's credentials only", async () => {
    const objects = render(...everything, "database.engine=postgresql", "rpc=https://node.example.org/v1");
    const [serve, night] = pods(objects).sort((a, b) => argsOf(b)[0]?.localeCompare(argsOf(a)[0] as string) ?? 0) as [Pod, Pod];
    expect([...objects.keys()].some((name) => name.startsWith("PersistentVolumeClaim"))).toBe(false);
    for (const pod of [night, serve]) expectHarmlessPod(pod);
    expect([secretsOf(night), secretsOf(serve)]).toEqual([["movedex-database", "movedex"], ["movedex-reader"]]);
    expect(argsOf(night)).toContain("--rpc=https://node.example.org/v1");
    expect(objects.get("Deployment movedex-serve")).toMatchObject({ spec: { replicas: 2 } });
    expect(JSON.stringify(objects.get("NetworkPolicy movedex"))).toContain("5432");
    const env = { DATABASE_URL: "postgres://movedex@127.0.0.1:1/movedex" };
    for (const pod of [night, serve]) {
      const { code, stderr } = await runCli(argsOf(pod), { env });
      expect([code, stderr]).toEqual([1, expect.stringContaining("no server answers there")]);
    }
  });
});
