import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "vite";
import { root } from "./pages.ts";

/** A text that the program says when something goes wrong or is worth a word, with `X` in the place of each value. */
export type Message = { readonly file: string; readonly text: string };

type Node = { readonly type: string; readonly [key: string]: unknown };

/** The messages in the source: what errors are made with, what is logged, and what goes to stderr. */
export function readMessages(): readonly Message[] {
  return globSync("src/**/*.ts", { cwd: root }).flatMap((file) => {
    const program = parseAst(readFileSync(join(root, file), "utf8"), { lang: "ts" }) as unknown as Node;
    const texts: string[] = [];
    visit(program, (node) => texts.push(...saidIn(node)));
    return texts.filter((text) => /\s/.test(text)).map((text) => ({ file, text }));
  });
}

function visit(node: unknown, see: (node: Node) => void): void {
  if (Array.isArray(node)) for (const one of node) visit(one, see);
  else if (typeof node === "object" && node !== null) {
    if ("type" in node) see(node as Node);
    for (const part of Object.values(node)) visit(part, see);
  }
}

function saidIn({ type, callee, arguments: given }: Node): string[] {
  const called = nameOf(callee as Node | undefined);
  const isError = type === "NewExpression" && called.endsWith("Error");
  const isTalk = type === "CallExpression" && (called === "log" || called === "stderr");
  return isError || isTalk ? (given as readonly Node[]).flatMap((one) => textOf(one) ?? []) : [];
}

function nameOf(node: Node | undefined): string {
  if (node?.type === "Identifier") return node["name"] as string;
  return node?.type === "MemberExpression" ? nameOf(node["property"] as Node) : "";
}

/** The text of a literal, a template or a sum of these; undefined for anything else. */
function textOf(node: Node): string | undefined {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined;
  if (node.type === "TemplateLiteral") {
    const parts = node["quasis"] as readonly { readonly value: { readonly cooked: string } }[];
    return parts.map(({ value }) => value.cooked).join("X");
  }
  if (node.type !== "BinaryExpression" || node["operator"] !== "+") return undefined;
  const [left, right] = [textOf(node["left"] as Node), textOf(node["right"] as Node)];
  return left === undefined && right === undefined ? undefined : `${left ?? "X"}${right ?? "X"}`;
}
