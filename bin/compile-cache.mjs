// Where Node keeps the modules it has compiled: `sync` begins after 0.3 s instead of 0.5 s.
// Node runs what it finds there as movedex's own code, so nobody else may be able to write to it: Node's own choice, a folder
// in the shared place for temporary files, lets any local user plant code before the first run.
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * A folder that only this user can write to, made if need be: `movedex` in XDG_CACHE_HOME, or in `~/.cache`. `undefined` where
 * there is none: no home, a read-only one, or one in which somebody else could put or replace files.
 */
export function compileCacheFolder() {
  try {
    const folder = join(cacheHome(), "movedex");
    // Windows has no owner and mode in this sense; there a profile is its user's own.
    if (process.getuid === undefined) {
      makeFolder(folder);
      return folder;
    }
    const user = process.getuid();
    // Nothing is made below a folder that is not trusted, such as the home that `sudo` leaves in place.
    if (!isTrusted(nearestExisting(dirname(folder)), user)) return undefined;
    makeFolder(folder);
    const found = lstatSync(folder);
    const isOwn = found.isDirectory() && found.uid === user && (found.mode & WRITABLE_BY_OTHERS) === 0;
    return isOwn && isTrusted(dirname(folder), user) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The XDG base directory specification: a relative path is invalid and to be ignored. */
function cacheHome() {
  const given = process.env["XDG_CACHE_HOME"] ?? "";
  return isAbsolute(given) ? given : join(homedir(), ".cache");
}

function nearestExisting(path) {
  for (let at = path; ; at = dirname(at)) {
    if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) return at;
  }
}

// Not by `recursive`, which never ends where a file system says of a new folder that it is not there: /proc, or a home to be mounted.
function makeFolder(path) {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Whether no other user but root can put another folder in this one's place, here or anywhere above. */
function isTrusted(path, user) {
  for (let at = realpathSync(path); ; at = dirname(at)) {
    const { uid, mode } = lstatSync(at);
    if (uid !== user && uid !== 0) return false;
    // In a sticky folder, such as /tmp, others cannot rename what is ours.
    if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
