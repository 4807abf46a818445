import { Text } from '@codemirror/state';

/** Characters that are split into lines at once: a few milliseconds of work. */
const sliceLength = 256_000;

/** Lets the browser do what waits: a frame, input. */
export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/**
 * A text as the editor keeps it. A long one is split into lines slice by slice, so the page goes on
 * meanwhile. Undefined if `isWanted` becomes false.
 */
export async function textInSlices(text: string, isWanted: () => boolean): Promise<Text | undefined> {
  let made = Text.empty;
  for (let from = 0; from < text.length; ) {
    if (from > 0) await pause();
    if (!isWanted()) return undefined;
    const to = endOfSlice(text, from);
    made = made.append(Text.of(text.slice(from, to).split(lineBreak)));
    from = to;
  }
  return made;
}

/** As the editor itself splits. */
const lineBreak = /\r\n?|\n/;

/** A slice never ends between the two signs of one line break. */
function endOfSlice(text: string, from: number): number {
  const to = Math.min(text.length, from + sliceLength);
  return text[to - 1] === '\r' && text[to] === '\n' ? to + 1 : to;
}
