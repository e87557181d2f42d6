import type { AnyKind } from "../../core/base/result.ts";
import type { Io } from "../../core/cli/io.ts";
import type { MovedexCommand } from "../../core/cli/movedex-command.ts";
import type { ExitName } from "../../core/exit-codes.ts";
import type { Address } from "../../core/move/address.ts";
import type { ExportSession, SealedSnapshot } from "./exporting.ts";

export type ExportRange = "all" | "latest" | bigint;

export type ExportFlags = {
  readonly format: string;
  readonly at?: ExportRange;
  readonly partition?: boolean;
  readonly view?: readonly string[];
  readonly account?: readonly Address[];
  readonly module?: readonly string[];
  readonly db: string;
  readonly json?: boolean;
};

/** A format that another capability writes, of one snapshot. */
export type ExportFormat = {
  readonly format: string;
  /** What it writes, as the help names it. */
  readonly content: string;
  readonly example: string;
  /** The options that it takes, of those that not every format does. */
  readonly options: readonly string[];
  declare(command: MovedexCommand): unknown;
  result(): Promise<AnyKind>;
  run(io: Io, directory: string, session: ExportSession, snapshot: SealedSnapshot, flags: ExportFlags): Promise<ExitName>;
};
