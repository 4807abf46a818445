import { describe, expect, it } from 'vitest';
import { type Outcome, outcomeWords, summaryOf } from './outcomes.ts';

const at = (more: Partial<Outcome>): Outcome => ({ app: 'shop', workflow: 'ship', ...more });

describe('what became of an event', () => {
  it('has a word for the answer of each gate', () => {
    const outcomes = [
      at({ runId: 'a' }),
      at({ deduped: true, existingRunId: 'b' }),
      at({ dropped: true }),
      at({ skipped: true, existingRunId: 'c' }),
      at({ debounced: true }),
      at({ batched: true }),
      at({}),
    ];
    expect(outcomes.map((outcome) => [outcomeWords(outcome).label, outcomeWords(outcome).runId])).toEqual([
      ['Run', 'a'],
      ['Deduplicated', 'b'],
      ['Dropped', undefined],
      ['Skipped', 'c'],
      ['Debounced', undefined],
      ['Batched', undefined],
      ['No run', undefined],
    ]);
  });

  it('fits into a line', () => {
    const text = (event: Parameters<typeof summaryOf>[0]): string => summaryOf(event).text;
    expect(text({ triggered: [at({ runId: 'a' }), at({ runId: 'b' }), at({ dropped: true })], woke: 1 })).toBe(
      '2 runs, dropped, woke 1 run',
    );
    expect(text({ triggered: [], woke: 0 })).toBe('nothing matched');
    expect(text({ triggered: [], woke: 0, suspended: true })).toBe('no run: the project was suspended');
  });
});
