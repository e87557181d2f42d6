import { afterAll } from "vitest";
import { removeTemporaryDirectories } from "../temporary-directory.ts";

afterAll(removeTemporaryDirectories);
