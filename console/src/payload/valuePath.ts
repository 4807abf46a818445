import { endOfString } from './indentJson.ts';

interface Container {
  isList: boolean;
  index: number;
  /** The key of the present value, as it is written. */
  key: string | undefined;
  isAtKey: boolean;
}

/**
 * The path of the JSON value at a place of its text: `$.items[0]["odd key"]`. A key counts as its
 * value, space before a value as that value, and a closing bracket as all that it closes.
 */
export function valuePath(text: string, place: number): string {
  let until = place;
  while (until < text.length - 1 && ' \t'.includes(text[until] as string)) until += 1;
  const open: Container[] = [];
  for (let at = 0; at <= until && at < text.length; ) {
    const char = text[at] as string;
    const top = open.at(-1);
    let next = at + 1;
    if (char === '"') {
      next = endOfString(text, at);
      if (top?.isAtKey) top.key = text.slice(at, next);
    } else if (next > until) {
      // A bracket that opens at the place belongs to its own value, and a comma to the one before.
      if (char === '}' || char === ']') open.pop();
    } else if (char === '{' || char === '[') {
      open.push({ isList: char === '[', index: 0, key: undefined, isAtKey: char === '{' });
    } else if (char === '}' || char === ']') open.pop();
    else if (char === ':' && top) top.isAtKey = false;
    else if (char === ',' && top) {
      top.index += 1;
      top.isAtKey = !top.isList;
    }
    at = next;
  }
  return `$${open.map(partOf).join('')}`;
}

function partOf({ isList, index, key }: Container): string {
  if (isList) return `[${index}]`;
  if (key === undefined) return '';
  const name = /^"([A-Za-z_]\w*)"$/.exec(key)?.[1];
  return name ? `.${name}` : `[${key}]`;
}
