import { commandsToRead, fullName, programToRead } from "../../scripts/docs/commands.ts";
import { goldenOutputs, useGoldenPlace } from "./support/golden.ts";

useGoldenPlace();

goldenOutputs("help", [
  ["movedex.txt", "--help"],
  ...commandsToRead(await programToRead())
    .map(fullName)
    .map((name) => [`${name.replaceAll(" ", "-")}.txt`, `${name} --help`] as const),
]);
