import { shapeOf, text, version } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { hexOf } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { includesCovered } from "../snapshots/covering.ts";

/** A module's bytecode at a snapshot, without since when it stands, which takes longest to find. */
export type StandingCode = ReturnType<typeof standingCode.read>;

/** Columns of a module `s` in the listing of an account `a`, and of its bytecode `b`. */
export const standingId = { address: text<Address>("a.address"), name: text("s.name") };
export const bytecode = {
  /** Number of the row of its bytecode. */
  bytecode: version("b.id"),
  /** Of the bytes, 64 hex digits. */
  sha256: text(hexOf("b.sha256")),
};
export const standingCode = shapeOf({ ...standingId, ...bytecode });

/** Whether a listing stands at the snapshot `:version`, and the order in which modules are given. */
export const standing = includesCovered("s", ":version");
export const inOrder = sql`ORDER BY length(a.address), a.address, s.name`;
