// What movedex uses of undici, which the package has alone: all of it is 1.2 MB to read at each start. `build.ts` puts it in undici's place.
export { default as buildConnector } from "undici/lib/core/connect.js";
export { default as errors } from "undici/lib/core/errors.js";
export { default as EnvHttpProxyAgent } from "undici/lib/dispatcher/env-http-proxy-agent.js";
export { default as Pool } from "undici/lib/dispatcher/pool.js";
