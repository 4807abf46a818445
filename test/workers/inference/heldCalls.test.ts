import { describe, expect, test } from 'vitest';
import type { LeasedCall } from '../../../src/engine/inference/index.ts';
import { HeldCalls } from '../../../src/workers/inference/heldCalls.ts';

const call = (fields: Partial<LeasedCall> = {}): LeasedCall => ({
  runId: 'run',
  stepIndex: 0,
  claimNo: 1,
  attempt: 1,
  projectId: 'project',
  app: 'app',
  workflow: 'flow',
  runLaneId: 1,
  provider: 'anthropic',
  model: 'm',
  keyId: 'key',
  laneId: 'lane',
  keyFrom: 'settings',
  looksUp: false,
  sends: 0,
  failures: 0,
  reasked: 0,
  idempotencyKey: 'id',
  deadlineAt: new Date(),
  request: Buffer.of(),
  requestBytes: 0,
  maxTokens: undefined,
  afterUnknown: false,
  ...fields,
});

describe('the calls of a process', () => {
  test('are known by their runs until the last one is dropped', () => {
    const calls = new HeldCalls();
    const held = [0, 1].map((stepIndex) => calls.take(call({ stepIndex }), 'p'));
    for (const each of held) {
      expect(calls.hasRun('run')).toBe(true);
      if (each) calls.drop(each);
    }
    expect([calls.hasRun('run'), calls.size]).toEqual([false, 0]);
  });

  test('go on under a new lease once they are under way, so that they are not sent twice', () => {
    const calls = new HeldCalls();
    const held = calls.take(call(), 'p1');
    if (!held) throw new Error('it was not taken');
    held.phase = 'sending';
    expect(calls.take(call({ claimNo: 2 }), 'p2')).toBeUndefined();
    expect([held.call.claimNo, held.processId, held.signal.aborted]).toEqual([2, 'p2', false]);
    expect(calls.find(call({ claimNo: 1 }))).toBeUndefined();
    expect(calls.find(call({ claimNo: 2 }))).toBe(held);
  });

  test('begin anew under a new lease before that, and also with a new attempt', () => {
    const calls = new HeldCalls();
    const first = calls.take(call(), 'p');
    const second = calls.take(call({ claimNo: 2 }), 'p');
    expect([first?.signal.aborted, second?.signal.aborted]).toEqual([true, false]);
    if (second) second.phase = 'sending';
    expect(calls.take(call({ claimNo: 3, attempt: 2 }), 'p')).toBeDefined();
    if (first) calls.drop(first);
    expect([calls.size, calls.hasRun('run')]).toEqual([1, true]);
  });
});
