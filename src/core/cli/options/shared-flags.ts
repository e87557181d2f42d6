import type { NetworkName } from "../../node/networks.ts";

/** The values of the options that commands share, as `DeclaredCommand` adds them. Times are in milliseconds. */
export type DatabaseFlags = { readonly db: string; readonly json?: boolean };

export type NodeFlags = {
  readonly rpc?: string;
  readonly network?: NetworkName;
  readonly nodeName?: string;
  readonly rate?: number;
  readonly concurrency?: number;
  readonly encoding: "auto" | "bcs" | "json";
  readonly maxRequests?: number;
  readonly acceptNewHistory?: boolean;
  readonly pageSize?: number;
  readonly maxDuration?: number;
};

/** Of a run that reads a ledger into a database. */
export type RunFlags = NodeFlags & DatabaseFlags;

/** How a night chooses whose budget does not suffice for all targets. */
export type AgeFlags = { readonly maxAge?: number };
