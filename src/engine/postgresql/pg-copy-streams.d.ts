// The package has no types of its own.
declare module "pg-copy-streams" {
  import type { Writable } from "node:stream";

  export function from(statement: string): Writable & { readonly rowCount: number };
}
