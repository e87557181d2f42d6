import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { faults, SimLedger, writeModule } from "../../sim/index.ts";
import { changeFile, ended } from "../support/index.ts";
import { holds, passIdleDays, passQuietDays, type Stage, useStages } from "./support/stage.ts";

// What commands print that look after an archive.

useStages();

const text = ["txt"];

const nightOf = (settings: string) => ({
  held: "second" as const,
  before: () => writeFileSync("movedex.toml", settings),
  line: "doctor --config movedex.toml --db night.db",
  options: { terminal: undefined },
});

holds("doctor", {
  fit: { held: "second", line: "doctor" },
  "first-time": { line: "doctor" },
  "wrong-chain": { held: "second", node: () => ({ ledger: new SimLedger({ chainId: 9 }) }), line: "doctor", forms: text },
  "late-node": { held: "second", before: passIdleDays, line: "doctor", forms: text },
  "no-listing": {
    held: "second",
    faults: () => [{ fault: faults.storageFailure("noIndexer"), match: ({ target }) => target.includes("/modules") }],
    line: "doctor",
    forms: text,
  },
  "no-node": { held: "second", line: "doctor", options: { env: { MOVEDEX_RPC_URL: "" } } },
  settings: {
    held: "second",
    before: ({ node }) =>
      writeFileSync("movedex.toml", `rate = 1\n\n[sample]\nrpc = "${node.url}"\ndb = "night.db"\n\n[sample.sync]\nretry-gaps = 5\n`),
    line: "doctor --config movedex.toml --concurrency 1",
    // Paths are those of a temporary directory, so that lines would break elsewhere each time.
    options: { terminal: undefined },
    forms: text,
  },
  "no-variable": { ...nightOf('ping-url-env = "NOWHERE"'), forms: text },
  "no-places": { ...nightOf('metrics-file = "none/a.prom"\nreport = "none/r.md"\nbackup = "night.db"'), forms: text },
  watches: { held: "second", before: ({ run }) => ended(run("watch add 0xcafe::gone")), line: "doctor", forms: text },
  "forget-sample": { held: "second", line: "doctor --forget-sample 3456004" },
});

/** Changes the archive behind movedex's back. */
const damaged =
  (...statements: readonly string[]) =>
  (): number =>
    changeFile("night.db", ...statements);
const forgedName = "UPDATE _functions SET name = 'forged' WHERE id = 2";
const lostBytes = "UPDATE _bytecode_blobs SET code = X'28' WHERE id = 1";

holds("verify", {
  whole: { held: "second", line: "verify" },
  slice: { held: "second", line: "verify --slice 2/7" },
  "against-node": { held: "second", line: ({ node }) => `verify --against ${node.url} --sample 4 --concurrency 1` },
  "against-pruned": {
    held: "first",
    before: (stage) => passQuietDays(stage, 5),
    line: ({ node }) => `verify --against ${node.url} --concurrency 1`,
  },
  damaged: { held: "second", before: damaged(forgedName, lostBytes), line: "verify" },
  limit: { held: "second", before: damaged(forgedName, lostBytes), line: "verify --limit 1", forms: text },
  rebuilt: { held: "second", before: damaged(forgedName), line: "verify --rebuild" },
  "not-rebuilt": { held: "second", before: damaged(forgedName, lostBytes), line: "verify --rebuild" },
});

const copies = ["copy.db"];
const packed = ["backups/night-20260105.db.zst"];
/** A day later there is a second backup to make. */
const backedUp = async ({ run, clock }: Stage): Promise<void> => {
  await clock.advance(-86_400_000);
  await ended(run("backup backups/ --zstd"));
  await clock.advance(86_400_000);
};

holds("backup", {
  file: { held: "second", line: "backup copy.db", files: copies },
  directory: { held: "second", line: "backup backups/ --zstd", files: packed },
  again: { held: "second", before: ({ run }) => ended(run("backup copy.db")), line: "backup copy.db", files: copies, forms: text },
  keep: { held: "second", before: backedUp, line: "backup backups/ --zstd --keep 1", files: packed },
  "dry-run": { held: "second", before: backedUp, line: "backup backups/ --zstd --keep 1 --dry-run" },
  damaged: {
    held: "second",
    before: async (stage) => {
      await backedUp(stage);
      damaged(forgedName)();
    },
    line: "backup backups/ --keep 1",
  },
  "no-database": { line: "backup copy.db", forms: text },
});

const backup = ({ run }: Stage): Promise<unknown> => ended(run("backup copy.db"));

holds("restore", {
  new: { held: "second", before: backup, line: "restore copy.db --db other.db", files: copies },
  replace: { held: "second", before: backup, line: "restore copy.db --replace", files: copies },
  "not-over-another": { held: "second", before: backup, line: "restore copy.db", forms: text },
  damaged: {
    held: "second",
    before: async (stage) => {
      await backup(stage);
      changeFile("copy.db", forgedName);
    },
    line: "restore copy.db --replace",
    forms: text,
  },
});

/** `other.db` holds what the archive is going to have, and the archive one night less. */
const otherArchive = (): void => copyFileSync("night.db", "other.db");

function writeModules(): void {
  mkdirSync("modules");
  for (const name of ["market", "vault"]) writeFileSync(`modules/${name}.mv`, writeModule({ address: "0xcafe", name }));
}

holds("import", {
  archive: { held: "second", before: otherArchive, line: "import other.db --db new.db" },
  known: { held: "second", before: otherArchive, line: "import other.db" },
  except: { held: "second", before: otherArchive, line: "import other.db --except 2592000 --db new.db", forms: text },
  damaged: {
    held: "second",
    before: () => {
      otherArchive();
      changeFile("other.db", forgedName, lostBytes);
    },
    line: "import other.db --db new.db",
  },
  modules: { held: "second", before: writeModules, line: "import modules" },
  "bad-module": {
    held: "second",
    before: () => {
      writeModules();
      writeFileSync("modules/vault.mv", readFileSync("modules/vault.mv").subarray(0, 20));
    },
    line: "import modules",
    forms: text,
  },
  nothing: { held: "second", line: "import none.db", forms: text },
});
