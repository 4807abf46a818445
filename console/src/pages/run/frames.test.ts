import { describe, expect, it } from 'vitest';
import { type StepFrame, withFrames } from './frames.ts';
import type { Step } from './lanes.ts';

const step: Step = {
  index: 0,
  attempt: 1,
  name: 'load',
  kind: 'SLEEP',
  status: 'WAITING',
  startedAt: '2026-11-27T12:00:00.000Z',
};
const frame = (more: Partial<StepFrame>): StepFrame => ({
  seq: 1,
  kind: 'STEP_STATUS',
  index: 0,
  attempt: 1,
  step: 'load',
  status: 'SUCCEEDED',
  ts: '2026-11-27T12:00:05.000Z',
  ...more,
});

describe('frames', () => {
  it('change the row of their step, and keep what they do not say', () => {
    expect(withFrames([step], [frame({ durationMs: 5000 })])).toEqual([
      {
        ...step,
        status: 'SUCCEEDED',
        endedAt: '2026-11-27T12:00:05.000Z',
        durationMs: 5000,
        willRetry: null,
        nextAttemptAt: null,
      },
    ]);
  });

  it('make a row for a new attempt, which began its duration before', () => {
    const rows = withFrames([step], [frame({ attempt: 2, durationMs: 2000 })]);
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatchObject({ attempt: 2, startedAt: '2026-11-27T12:00:03.000Z' });
  });

  it('of the run and of logs change no row', () => {
    expect(withFrames([step], [frame({ kind: 'LOG' }), frame({ kind: 'RUN_STATUS', index: null })])).toEqual([step]);
  });
});
