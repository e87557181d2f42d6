import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { jsonSchemas } from "../../../scripts/docs/json-schemas.ts";

test.each([...(await jsonSchemas())])(
  "schemas/%s is a valid JSON Schema of draft 2020-12, and lets later versions add fields",
  (_, schema) => {
    const ajv = new Ajv2020({ strict: false });
    (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
    expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
  },
);
