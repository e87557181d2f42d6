/**
 * The URL that the framework's router gets to see for a request's target. A node decodes each path segment after routing,
 * twice, and takes no escaped letter for a route's name, so escapes are escaped once more: the router's own decoding then
 * restores the segments as they were sent, and no segment is malformed for it. Of the absolute form that proxies send
 * (`http://host/path`) the path counts. A target that is no path at all becomes one that no route has.
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
