import type { Bytecodes } from "../../archive/content/bytecodes.ts";
import type { Log } from "../../base/log.ts";
import type { Clock } from "../../base/time.ts";
import type { Engine } from "../../engine/engine.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import type { Stop } from "./stop.ts";

export type RunWork = {
  readonly engine: Engine;
  /** This machine's name, where processes of several machines may work on the database; undefined for a file. */
  readonly host: string | undefined;
  readonly bytecodes: Bytecodes;
  readonly node: LedgerNode;
  readonly clock: Clock;
  readonly stop: Pick<Stop, "reason" | "signal" | "request" | "isTimeOver">;
  readonly log: Log;
  readonly appVersion: string;
  readonly concurrency: number;
  /** Modules asked for per page; undefined leaves it to the node. */
  readonly pageSize: number | undefined;
  /** Whether a person has said that the ledger is the one stored, where nothing can be compared. */
  readonly acceptsNewHistory?: boolean;
};
