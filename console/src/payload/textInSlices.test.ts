import { Text } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { textInSlices } from './textInSlices.ts';

const whole = (text: string): Text => Text.of(text.split(/\r\n?|\n/));

describe('a text in slices', () => {
  it.each([
    ['nothing', ''],
    ['one line', 'a'],
    ['a last line that is empty', 'a\n'],
    ['all line breaks', 'a\r\nb\rc\nd'],
    ['many lines', 'line\n'.repeat(200_000)],
    ['one long line', 'x'.repeat(600_000)],
    ['a line break across two slices', `${'x'.repeat(255_999)}\r\n${'y'.repeat(300_000)}`],
    ['a line break right after a slice', `${'x'.repeat(256_000)}\n${'y'.repeat(300_000)}`],
  ])('has the lines of the whole: %s', async (_what, text) => {
    const made = await textInSlices(text, () => true);
    expect(made?.lines).toBe(whole(text).lines);
    expect(made?.eq(whole(text))).toBe(true);
  });

  it('ends once nobody wants it', async () => {
    let asked = 0;
    const isWanted = (): boolean => {
      asked += 1;
      return asked < 3;
    };
    expect(await textInSlices('line\n'.repeat(200_000), isWanted)).toBeUndefined();
    expect(asked).toBe(3);
  });
});
