import { afterAll } from "vitest";
import { capabilities as listed } from "../../../src/capabilities.ts";
import { capabilitiesFor } from "../../../src/core/cli/core-commands.ts";
import { setServers } from "../../../src/core/db/engine/place.ts";
import { removeTemporaryDirectories } from "../temporary-directory.ts";

afterAll(removeTemporaryDirectories);

setServers(await capabilitiesFor(["sync"], listed));
