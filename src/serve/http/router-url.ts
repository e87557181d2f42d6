/**
 * The URL for the framework's router. A node decodes segments after routing, twice, so escapes are escaped once more. Of
 * `http://host/path` the path counts; a target without a path becomes one without a route.
 */
export function routerUrl(target: string): string {
  const path = target.startsWith("/") ? target : pathOfAbsolute(target);
  if (!path.includes("%") && !path.includes("#")) return path;
  const mark = path.indexOf("?");
  const end = mark < 0 ? path.length : mark;
  return path.slice(0, end).replaceAll("%", "%25").replaceAll("#", "%23") + path.slice(end);
}

const NO_PATH = "/*";

function pathOfAbsolute(target: string): string {
  const match = /^https?:\/\/[^/?#]*(\/.*)?$/is.exec(target);
  return match === null ? NO_PATH : (match[1] ?? "/");
}
