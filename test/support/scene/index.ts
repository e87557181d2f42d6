// Scenes: directories, nodes and ledgers, and what a database or a server holds.
export * from "../database-content.ts";
export * from "../raw-request.ts";
export * from "../sealed-modules.ts";
export * from "../shared-data.ts";
export * from "../store/ask-file.ts";
export * from "../temporary-directory.ts";
export * from "../test.ts";
export * from "../two-nights.ts";
export * from "./listening.ts";
export * from "./node-of-file.ts";
export * from "./standing-modules.ts";
