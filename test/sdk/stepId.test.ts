import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hashStepId, StepNames } from '../../sdk/src/stepId.ts';

interface Vectors {
  vectors: { case: string; name: string; id: string }[];
  reuse: { uses: string[]; names: string[] };
}

const file: Vectors = JSON.parse(readFileSync(new URL('../../sdk/step-id-vectors.json', import.meta.url), 'utf8'));

describe('a step id is the SHA-256 of the UTF-8 bytes of its name', () => {
  it.each(file.vectors)('$case', ({ name, id }) => {
    expect(hashStepId(name)).toBe(id);
    expect(id).toMatch(/^[0-9a-f]{64}$/);
  });

  it('composed and decomposed letters are different names', () => {
    expect(new Set(file.vectors.map(({ id }) => id)).size).toBe(file.vectors.length);
  });

  it('stays right when more names were hashed than are remembered', () => {
    const before = hashStepId('first');
    for (let n = 0; n < 20_001; n += 1) hashStepId(`name ${n}`);
    expect(hashStepId('first')).toBe(before);
  });
});

it('an id that is used again is another step', () => {
  const names = new StepNames();
  expect(file.reuse.uses.map((id) => names.next(id))).toEqual(file.reuse.names);
});
