/** A shape of a drawing: its kind and its attributes. */
export type Shape = { readonly kind: string } & Readonly<Record<string, string>>;

/** The shapes of a piece of HTML, in their order, the drawings themselves among them. */
export function shapesIn(markup: string): readonly Shape[] {
  return [...markup.matchAll(/<(svg|rect|line|polyline|text)\b([^>]*?)\/?>/g)].map(([, kind = "", own = ""]) => ({
    kind,
    ...Object.fromEntries([...own.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value])),
  }));
}

/** The parts of a page's HTML that are drawings with such a beginning of their label. */
export function drawingNamed(markup: string, label: string): readonly Shape[] {
  const [drawing] = [...markup.matchAll(/<svg\b[\s\S]*?<\/svg>/g)].filter(([text]) => text.includes(`aria-label="${label}`));
  if (drawing === undefined) throw new Error(`no drawing ${label}`);
  return shapesIn(drawing[0]);
}

/** A number of a shape: of user units, or a part of a hundred. */
export function numberOf(shape: Shape, name: string): number {
  const text = shape[name];
  if (text === undefined || !/^-?\d+(?:\.\d+)?%?$/.test(text)) throw new Error(`${shape.kind} has no number ${name}: ${text}`);
  return Number.parseFloat(text);
}

/** The points of a line. */
export function pointsOf({ points = "" }: Shape): readonly (readonly [x: number, y: number])[] {
  return points.split(" ").map((point) => point.split(",").map(Number) as [number, number]);
}
