import { sql } from "../../../schema/sql/sql.ts";
import type { Engine } from "../../engine/engine.ts";

/**
 * Turns of one thread from folding to folding. Two threads at full work write some 4,000 pages meanwhile, 18 MB of log; with 10 turns each a
 * first crawl takes 4 % longer, since pages that both write over and over go into the file more often.
 */
const TURNS = 20;

const fold = sql`PRAGMA wal_checkpoint(PASSIVE)`;
const never = sql`PRAGMA wal_autocheckpoint = 0`;
/** SQLite's own measure: with the commit that makes the log so many pages long. */
const bySize = sql`PRAGMA wal_autocheckpoint = 1000`;

/**
 * Folds SQLite's write-ahead log into the file between a thread's turns to write, where SQLite itself does so within a commit: a sixth of
 * the time of a turn, while the other thread waits for its own. A log begins anew only once all of it is folded, and the other thread goes on
 * writing meanwhile; so what that wrote is folded at the beginning of the next turn.
 */
export class LogFolding {
  readonly #engine: Pick<Engine, "all">;
  #turns = 0;
  #isOn = false;
  #hasRest = false;

  constructor(engine: Pick<Engine, "all">) {
    this.#engine = engine;
  }

  /** Takes over from SQLite on this connection. */
  async begin(): Promise<void> {
    this.#isOn = true;
    await this.#engine.all(never);
  }

  /** Leaves it to SQLite again. */
  async end(): Promise<void> {
    this.#isOn = false;
    this.#hasRest = false;
    await this.#engine.all(bySize);
  }

  /** At the beginning of a turn. */
  async inTurn(): Promise<void> {
    if (!this.#hasRest) return;
    this.#hasRest = false;
    await this.#fold();
  }

  /** After a turn. */
  async afterTurn(): Promise<void> {
    if (!this.#isOn || ++this.#turns % TURNS !== 0) return;
    await this.#fold();
    this.#hasRest = true;
  }

  /** What fails here fails again where something is written, if it matters; a log that stays is no loss. */
  async #fold(): Promise<void> {
    await this.#engine.all(fold).catch(() => undefined);
  }
}
