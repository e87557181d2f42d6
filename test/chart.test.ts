import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { networks } from "../src/node/networks.ts";

const read = (path: string): string => readFileSync(new URL(`../packaging/helm/movedex/${path}`, import.meta.url), "utf8");

describe("the Helm chart", () => {
  const schema = JSON.parse(read("values.schema.json")) as { properties: { network: { enum: string[] } } };
  const validate = new Ajv({ strictTypes: false }).compile(schema);
  const values = parse(read("values.yaml")) as Record<string, Record<string, unknown>>;

  test("has the program's version and networks", () => {
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };
    expect(parse(read("Chart.yaml"))).toMatchObject({ version, appVersion: version });
    expect(schema.properties.network.enum).toEqual(Object.keys(networks));
  });

  test("has a schema that takes its values, and refuses slips", () => {
    expect([validate(values), validate.errors]).toEqual([true, null]);
    const slips = [
      { databse: {} },
      { database: { ...values["database"], engine: "mysql" } },
      { night: { ...values["night"], schedule: "at two" } },
      { night: { ...values["night"], args: ["max-requests=5"] } },
      { image: { ...values["image"], digest: "latest" } },
      { rpc: "https://node.example.org" },
      { network: "aptos" },
    ];
    for (const slip of slips) expect([slip, validate({ ...values, ...slip })]).toEqual([slip, false]);
  });
});
