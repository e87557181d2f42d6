import type { NetworkName } from "../../node/networks.ts";
import type { RetiredFormat, WatchLevel, WebhookFormat } from "./options.ts";

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
export type AgeFlags = { readonly maxAge?: number; readonly halfLife?: number };

/** How many backups to keep; all of them without a number. */
export type Retention = { readonly keep?: number };

/** How alerts are told: of the command line, or of a place in a settings file. */
export type TellFlags = {
  readonly webhook?: string;
  readonly webhookFormat: WebhookFormat | RetiredFormat;
  readonly exec?: readonly string[];
  readonly alertsFile?: string;
  readonly level: WatchLevel;
  readonly allowHttp?: boolean;
  readonly ca?: string;
  readonly pagesUrl?: string;
};

/** A place of a settings file where alerts are told: its own options of `tell`, and the secrets that it names. */
export type NamedPlace = {
  readonly name: string;
  readonly flags: TellFlags;
  readonly webhookSecret: string | undefined;
  /** The keys of its table that went with this version. */
  readonly retired: readonly string[];
};
