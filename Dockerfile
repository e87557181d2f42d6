# movedex in a container: the night, or `serve`, with the database on a volume.
#
#   docker build -t movedex .
#   docker run --rm --init -v movedex:/data movedex night --network movement-mainnet --db night.db
#   docker run -d --init -v movedex:/data -p 127.0.0.1:8080:8080 movedex serve --host 0.0.0.0 --db night.db
#
# SIGTERM reaches movedex without `--init` too; with it, child processes of your own programs are reaped. The database needs a local disk,
# not a network file system. docs/decisions/one-package.md says what was built from this file and measured. The digest names an index for
# amd64 and arm64. It was not pulled here: many public repositories name it for this tag.

FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS base

FROM base AS build
WORKDIR /build
# No package needs its install scripts: better-sqlite3 brings its binaries. And Node is the image's own, so the workspace that
# pins one for checkouts is left out.
COPY package.json package-lock.json ./
COPY tools tools
RUN npm ci --ignore-scripts --workspaces=false
COPY . .
RUN npm run build && npm pack --ignore-scripts --pack-destination /tmp
RUN npm prune --omit=dev --ignore-scripts --workspaces=false
# 24 MB of sources and of binaries for other platforms.
RUN cd node_modules/better-sqlite3 && rm -r deps src binding.gyp \
 && find prebuilds -type f ! -name "$(node -p 'process.platform + "-" + process.arch').node" -delete
# The image has the files of the package, and its dependencies.
RUN mkdir /app && tar -xzf /tmp/movedex-*.tgz -C /app --strip-components=1 && mv node_modules /app

# From the base image come Node.js, the tools that its first line and a person with `docker exec` need, and their libraries.
FROM base AS root
COPY --from=build /app /app
RUN useradd --uid 10001 --create-home movedex \
 && install --directory --owner=10001 --group=10001 --mode=0700 /data \
 && ln -s /app/bin/movedex.mjs /usr/local/bin/movedex \
 && set -- /usr/local/bin/node /usr/bin/env /bin/sh /bin/cat /bin/ls /bin/grep \
 && mkdir /root-of-image \
 && cp --parents --dereference "$@" $(ldd "$@" /app/node_modules/better-sqlite3/prebuilds/*.node | grep -o '/[^ :]*\.so[^ :]*' | sort -u) /root-of-image \
 && cp --parents --archive /app /data /tmp /home/movedex /usr/local/bin/movedex /etc/passwd /etc/group /etc/nsswitch.conf /etc/debian_version /usr/share/doc/libc6/copyright /root-of-image

FROM scratch
COPY --from=root /root-of-image /
ENV NODE_ENV=production
USER 10001:10001
VOLUME /data
WORKDIR /data
EXPOSE 8080
# For a container that serves; other containers answer no requests.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ! grep -qzx serve /proc/1/cmdline || node -e "fetch('http://127.0.0.1:8080/v1/-/healthy').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"
ENTRYPOINT ["movedex"]
CMD ["--help"]
