// The package has no types of its own.
declare module "pg-copy-streams" {
  import type { Writable } from "node:stream";

  const streams: { readonly from: (statement: string) => Writable };
  export default streams;
}
