import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { temporaryDirectory } from "../temporary-directory.ts";

/** Copies an archive to `path`. `make` has made it once for all files of this run of the tests; it is known by a name. */
export async function copyKeptArchive(path: string, make: (path: string) => Promise<unknown>, name = basename(path)): Promise<void> {
  // A run of the tests has a temporary directory of its own, which its processes share.
  const kept = join(tmpdir(), "kept-archives");
  if (!existsSync(join(kept, name))) {
    using place = temporaryDirectory();
    await make(place.file(name));
    mkdirSync(kept, { recursive: true });
    // Two processes may come here at once. Both files are whole, and the same.
    renameSync(place.file(name), join(kept, name));
  }
  copyFileSync(join(kept, name), path);
}
