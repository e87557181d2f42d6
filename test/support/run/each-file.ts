import { afterAll } from "vitest";
import { capabilities } from "../../../src/capabilities.ts";
import { bringDatabases } from "../../../src/core/db/engine/place.ts";
import { removeTemporaryDirectories } from "../temporary-directory.ts";

afterAll(removeTemporaryDirectories);

bringDatabases(capabilities);
