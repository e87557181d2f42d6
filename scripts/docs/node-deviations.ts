/** Everything in which `serve` differs from a node on purpose, by a short name; the documentation and a test hold to it. */
export const nodeDeviations: Readonly<Record<string, Readonly<Record<"where" | "node" | "movedex" | "why", string>>>> = {
  head: {
    where: "ledger headers, `GET /v1`",
    node: "its newest and oldest readable version",
    movedex:
      "the newest and the oldest sealed version; time, epoch and blocks of the node's head at that version or closely above, else of the newest head seen below, else 0; the oldest block is reckoned from the heads around",
    why: "an archive's ledger is what it holds",
  },
  "held-points": {
    where: "a version between the oldest and the newest",
    node: "answers any",
    movedex:
      "answers sealed ones, and point reads of `trace`; with `--between stable` also what the observations around agree on, marked by `x-movedex-inferred`; else 404 `version_not_found` naming the nearest held",
    why: "what was not observed is not answered",
  },
  "unread-account": {
    where: "a version whose snapshot did not read the account, or has a gap at it",
    node: "a fresh record, or an empty list",
    movedex: "404 `version_not_found` with the reason",
    why: "an archive that has not looked must not say that nothing is there",
  },
  "json-record": {
    where: "an account in BCS",
    node: "the stored resource",
    movedex: "403 `bcs_not_supported` when the record was crawled as JSON, which is a part of it",
    why: "the rest cannot be made up",
  },
  "page-bytes": {
    where: "a page of modules",
    node: "up to 9999 modules, however large",
    movedex: "ends after 8 MiB, with a cursor",
    why: "one client must not take all memory; a client that follows the cursor misses nothing",
  },
  methods: {
    where: "POST, PUT and others",
    node: "405 on these paths, but 411 for a POST without `Content-Length` and 413 for a large one, on any path",
    movedex: "405 on these paths, 404 elsewhere",
    why: "no body is ever read",
  },
  origin: {
    where: "requests with an `Origin`",
    node: "names the origin back, allows credentials, exposes no header; errors before the API are plain text",
    movedex: "names the origin back, allows credentials, exposes the ledger headers; errors are always JSON",
    why: "a browser can see the cursor",
  },
  packing: {
    where: "`Accept-Encoding`",
    node: "br, gzip, deflate; no `Vary`; unusual reading of weights",
    movedex: "zstd, br, gzip from 1 KiB up; `Vary`; weights as HTTP has them",
    why: "caches and clients can rely on it",
  },
  caching: {
    where: "`ETag`, `Cache-Control`, `If-None-Match`",
    node: "none",
    movedex: "an `ETag` on every success, 304, and a minute for sealed versions asked for by number",
    why: "what is sealed does not change, but the ledger headers around it do",
  },
  info: {
    where: "`/v1/info`, `/v1/spec*`, `git_hash`",
    node: "its configuration, its description, its commit",
    movedex: "this service's own",
    why: "it is another program",
  },
  extras: {
    where: "`/v1/snapshots`, `/metrics`",
    node: "404",
    movedex: "what is held, with digests and gaps; counters",
    why: "the questions one has about an archive",
  },
  "new-bytecode": {
    where: "bytecode that movedex cannot decode",
    node: "an ABI, when the node is newer than movedex",
    movedex: "`abi: null`, as a 2026 node prints what it cannot read",
    why: "the bytes are given all the same",
  },
};
