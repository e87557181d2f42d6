import { goldenOutputs, useGoldenPlace } from "./support/golden.ts";

// What commands print that read an archive, in each of their forms.

useGoldenPlace();

goldenOutputs("status", [
  ["status.txt", "status"],
  ["status.json", "status --json"],
]);

goldenOutputs("snapshots", [
  ["snapshots.txt", "snapshots"],
  ["limit.txt", "snapshots --limit 2"],
  ["snapshots.json", "snapshots --json"],
]);

goldenOutputs("runs", [
  ["runs.txt", "runs"],
  ["runs.json", "runs --json"],
]);

goldenOutputs("gaps", [
  ["gaps.txt", "gaps"],
  ["gaps.json", "gaps --json"],
]);
