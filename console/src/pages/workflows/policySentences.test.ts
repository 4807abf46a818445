import { describe, expect, it } from 'vitest';
import { policySentences, triggerText } from './policySentences.ts';

const definition = (more: object): Parameters<typeof policySentences>[0] =>
  ({ maxAttempts: 1, backoff: 'FIXED', onFailure: false, flowControl: null, ...more }) as never;

describe('the policies of a workflow', () => {
  it('are sentences, in the order of the gates', () => {
    const flowControl = {
      concurrency: { limit: 5, key: 'customer.region' },
      throttle: { limit: 10, perMs: 60_000, key: null },
      singleton: { key: null, mode: null },
    };
    expect(policySentences(definition({ flowControl, maxAttempts: 4, backoff: 'EXPONENTIAL' }))).toEqual([
      'At most one unfinished run: another start cancels it.',
      'Starts at most 10 runs in 1 m 00 s; others wait.',
      'At most 5 runs execute at once for each customer.region; others queue.',
      'Tries up to 4 times, with exponential waits.',
    ]);
  });

  it('say that there are none', () => {
    expect(policySentences(definition({}))).toEqual(['Does not retry.']);
  });

  it('stand beside what starts it', () => {
    expect(triggerText({ event: 'paid', if: 'event.data.ok' })).toBe('event paid if event.data.ok');
    expect(triggerText({ cron: '0 3 * * *' })).toBe('schedule 0 3 * * *');
  });
});
