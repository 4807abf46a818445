import { head, visible } from '../answer/visible.ts';

/** The most characters of a quoted value. */
const maxCharacters = 120;

/** A value of a stranger for a text of ours: quoted, on one line, with nothing invisible. */
export function quoted(value: unknown, characters = maxCharacters): string {
  const text = String(value);
  return visible(JSON.stringify(text.length <= characters ? text : `${head(text, characters)}…`));
}
