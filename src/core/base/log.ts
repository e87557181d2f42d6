import type { Facts } from "../errors.ts";
import { jsonText } from "./json.ts";
import { printable } from "./printable.ts";

export type LogLevel = "info" | "warn" | "error";

/** Where movedex talks while it works: never stdout, which belongs to data. */
export type Log = (level: LogLevel, message: string, facts?: Facts) => void;

/** A log of one JSON object a line (`time`, `level`, `message`, then the facts), for machines: cron, journald, containers. */
export function jsonLog(write: (line: string) => void, now: () => number): Log {
  return (level, message, facts) => {
    write(`${jsonText({ time: new Date(now()).toISOString(), level, message, ...facts })}\n`);
  };
}

/** A log for a person at a terminal: the sentence alone, with its level when it is not plain information. */
export function plainLog(write: (line: string) => void): Log {
  return (level, message) => write(`${level === "info" ? "" : `${level}: `}${printable(message, 2000)}\n`);
}

export const silentLog: Log = () => {};
