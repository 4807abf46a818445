import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../random/kit/turns.ts';
import { scripts } from '../../random/twins/script.ts';
import { workflowsOf } from '../../random/twins/workflows.ts';
import { type Journal, MemoService } from '../support/memoService.ts';

const cases = 60;

describe('a random program', () => {
  it('P7: leaves the same answers and lines, replayed in each pass, continued in each, or either at random', async () => {
    let continued = 0;
    for (let seed = 1; seed <= cases; seed += 1) {
      const [script] = fc.sample(scripts, { seed, numRuns: 1 });
      if (script === undefined) throw new Error('no script');
      const { extras, maxAttempts } = script.programs[0] ?? {};
      const [workflow] = workflowsOf(script);
      if (workflow === undefined || extras === undefined || maxAttempts === undefined) throw new Error('no workflow');
      const play = async (continues: () => boolean): Promise<Journal> => {
        const { maxTokens } = extras;
        const service = new MemoService(workflow, { maxAttempts, maxTokens, world: drawFrom(seed), continues });
        const journal = await service.run();
        continued += service.continued;
        return journal;
      };
      const replayed = await play(() => false);
      expect(await play(() => true), `seed ${seed}, continued`).toEqual(replayed);
      const random = drawFrom(seed + cases);
      expect(await play(() => random(2) === 0), `seed ${seed}, mixed`).toEqual(replayed);
    }
    expect(continued).toBeGreaterThan(cases / 2);
  }, 120_000);
});
