import { readFileSync } from "node:fs";
import fastify from "fastify";

/** The least that fastify can do: one route that sends a file's bytes with given headers. `node bare-fastify.ts FILE HEADERS`; prints its URL. */
const [file = "", headers = "{}"] = process.argv.slice(2);
const body = readFileSync(file);
const sent = JSON.parse(headers) as Record<string, string>;
const app = fastify();
app.get("/", (_request, reply) => reply.headers(sent).send(body));
process.stdout.write(`${await app.listen({ host: "127.0.0.1", port: 0 })}/\n`);
