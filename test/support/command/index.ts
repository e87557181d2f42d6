// Command lines: how they are written, run, signalled and read.
export * from "../manual-clock.ts";
export * from "../run-cli.ts";
export * from "../run-process.ts";
export * from "./as-words.ts";
export * from "./ended.ts";
export * from "./json-lines.ts";
export * from "./movedex-process.ts";
export * from "./signal-sender.ts";
