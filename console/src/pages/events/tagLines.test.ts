import { expect, it } from 'vitest';
import { tagLines, tagsIn } from './tagLines.ts';

it('takes lines of a form as tags, and writes tags as lines', () => {
  expect(tagsIn(' region = eu \n\n tenant=a=b\nbare')).toEqual({ region: 'eu', tenant: 'a=b', bare: '' });
  expect(tagLines({ region: 'eu', tenant: 'a=b' })).toBe('region=eu\ntenant=a=b');
  expect(Object.keys(tagsIn('__proto__=x') ?? {})).toEqual(['__proto__']);
});

it('has no tags without lines', () => {
  expect(tagsIn(' \n ')).toBeUndefined();
  expect(tagLines(null)).toBe('');
});
