import { closing } from "../../base/closing.ts";
import type { ReadOptions } from "../../engine/database.ts";
import { databaseAt } from "../../engine/database-at.ts";
import type { Engine } from "../../engine/engine.ts";
import { coveringQueries } from "./covering-queries.ts";
import { moduleQueries } from "./module-queries.ts";

/** A database as people ask it about modules. What is asked at a version that is not sealed has no meaning. */
export type ModuleArchive = ReturnType<typeof moduleQueries> &
  ReturnType<typeof coveringQueries> & {
    readonly path: string;
    readonly engine: Engine;
  };

/** Opens a database (a file, or the address of a PostgreSQL database) to ask about modules; nothing in it is changed. @throws StoreError */
export async function openModuleArchive(path: string, limits: Omit<ReadOptions, "mode"> = {}) {
  const { engine, close } = await databaseAt(path).open({ mode: "read", ...limits });
  return closing({ ...moduleArchive(engine, path), close });
}

/** The same of a database that is open. `path` is for messages. */
export function moduleArchive(engine: Engine, path: string): ModuleArchive {
  return { path, engine, ...moduleQueries(engine), ...coveringQueries(engine) };
}
