import { visible } from '../answer/visible.ts';

/** The most characters of a quoted value. */
const maxCharacters = 120;

/** A value of a stranger for a text of ours: quoted, on one line, with nothing invisible. */
export function quoted(value: unknown, characters = maxCharacters): string {
  const text = String(value);
  const head = text.length <= characters ? text : `${text.slice(0, characters).replace(/[\ud800-\udbff]$/, '')}…`;
  return visible(JSON.stringify(head));
}
