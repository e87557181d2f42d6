import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { routes } from "../../../src/capabilities/serve/routes.ts";
import { openApi } from "../../../src/capabilities/serve/spec/openapi.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { askDatabase, crawl, jsonOf, textOf } from "./support/served-archive.ts";

type Described = {
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<
    Record<string, { readonly headers?: object; readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
};

const paths = openApi.paths as unknown as Readonly<Record<string, { readonly get: Described }>>;
const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormatsModule as unknown as { default: (ajv: Ajv2020) => void }).default(ajv);
ajv.addSchema({ ...openApi, $id: "api" });

describe("the API description", async () => {
  const sample = createSampleLedger();
  const place = temporaryDirectory();
  const exchange = sample.codeAccounts[2] as string;

  await using node = await startSimNode({ ledger: sample.ledger });
  await crawl(place.file("archive.db"), node.url, [...sample.codeAccounts, sample.trader]);
  const served = await askDatabase(place.file("archive.db"));
  afterAll(() => served[Symbol.asyncDispose]());

  test("names every route under /v1 and no other", () => {
    expect(Object.keys(paths).sort()).toEqual(routes.map(({ path }) => path).sort());
  });

  test("is the same in JSON and in YAML, and says so where it is served", async () => {
    expect(jsonOf(await served.ask("/v1/spec.json"))).toEqual(JSON.parse(JSON.stringify(openApi)));
    expect(parse(textOf(await served.ask("/v1/spec.yaml")))).toEqual(JSON.parse(JSON.stringify(openApi)));
    expect((await served.ask("/v1/spec.yaml")).headers["content-type"]).toBe("application/x-yaml");
  });

  test("describes each parameter of a path", () => {
    for (const [path, { get }] of Object.entries(paths)) {
      const open = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(get.parameters.filter((it) => it.in === "path").map(({ name }) => name)).toEqual(open);
    }
  });

  const asked: readonly (readonly [path: string, target: string, status: number])[] = [
    ["/", "/v1", 200],
    ["/accounts/{address}", `/v1/accounts/${exchange}`, 200],
    ["/accounts/{address}", "/v1/accounts/zz", 400],
    ["/accounts/{address}", "/v1/accounts/0x1?ledger_version=1", 410],
    ["/accounts/{address}", "/v1/accounts/0x77", 404],
    ["/accounts/{address}/modules", `/v1/accounts/${exchange}/modules`, 200],
    ["/accounts/{address}/modules", `/v1/accounts/${exchange}/modules?limit=1`, 200],
    ["/accounts/{address}/modules", `/v1/accounts/${exchange}/modules?limit=0`, 400],
    ["/accounts/{address}/modules", `/v1/accounts/${sample.trader}/modules`, 200],
    ["/accounts/{address}/module/{module_name}", `/v1/accounts/${exchange}/module/pool`, 200],
    ["/accounts/{address}/module/{module_name}", `/v1/accounts/${exchange}/module/nope`, 404],
    ["/info", "/v1/info", 200],
    ["/-/healthy", "/v1/-/healthy", 200],
    ["/snapshots", "/v1/snapshots", 200],
    ["/snapshots/{ledger_version}", "/v1/snapshots/2592000", 200],
    ["/snapshots/{ledger_version}", "/v1/snapshots/7", 404],
    ["/snapshots/{ledger_version}", "/v1/snapshots/x", 400],
  ];
  test.each(asked)("%s: what answers %s is as described (%i)", async (path, target, status) => {
    const response = await served.ask(target);
    expect(response.status).toBe(status);
    const described = paths[path]?.get.responses[`${status}`];
    expect(described).toBeDefined();
    const pointer = `api#/paths/${path.replaceAll("/", "~1").replaceAll("{", "%7B").replaceAll("}", "%7D")}/get/responses/${status}/content/application~1json/schema`;
    const validate = ajv.getSchema(pointer);
    expect(validate, pointer).toBeDefined();
    expect(validate?.(jsonOf(response)), JSON.stringify(validate?.errors)).toBe(true);
    const names = Object.keys(described?.headers ?? {}).map((name) => name.toLowerCase());
    const ledgers = Object.keys(response.headers).filter((name) => /^x-(aptos|node|movedex)-/.test(name));
    if (names.length > 0) expect(names).toEqual(expect.arrayContaining(ledgers));
  });
});
