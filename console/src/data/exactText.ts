/**
 * JSON of a request that goes out as a person wrote it: digits, the order of keys and their
 * repeats stay. Only the white space between its tokens is left out.
 */
export class ExactText {
  readonly json: string;

  /** Throws for a text that is no JSON. */
  constructor(text: string) {
    JSON.parse(text);
    this.json = compactJson(text);
  }
}

/** Prints the body of a request. */
export function printBody(body: unknown): string {
  const texts: string[] = [];
  // No text of the body has this mark by chance.
  const mark = `exact ${Math.random()} `;
  const printed = JSON.stringify(body, (_key, value: unknown) =>
    value instanceof ExactText ? `${mark}${texts.push(value.json) - 1}` : value,
  );
  if (texts.length === 0) return printed;
  return printed.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (_all, index: string) => texts[Number(index)] ?? 'null');
}

/** JSON without the white space between its tokens; that within strings stays. */
export function compactJson(text: string): string {
  const out: string[] = [];
  let from = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isString) {
      if (char === '\\') at += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') {
      isString = true;
    } else if (char === ' ' || char === '\n' || char === '\t' || char === '\r') {
      out.push(text.slice(from, at));
      from = at + 1;
    }
  }
  out.push(text.slice(from));
  return out.join('');
}
