import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StartedBodies } from '../../../sdk/src/execute/startedBodies.ts';
import { type StartedStep, startedLimit } from '../../../sdk/src/protocol.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const told = () => {
  const messages: StartedStep[][] = [];
  const bodies = new StartedBodies((steps) => messages.push(steps));
  const begin = (id: string) => bodies.begin({ id, name: id.toUpperCase(), attempt: 1, position: 0 });
  const ids = () => messages.map((steps) => steps.map(({ id, elapsedMs }) => `${id} ${elapsedMs}`).join(', '));
  return { bodies, begin, ids, messages };
};

describe('the started bodies of a pass', () => {
  it('are told of after half a second, several in one message, each once', () => {
    const { begin, ids, messages } = told();
    begin('a');
    begin('b');
    vi.advanceTimersByTime(200);
    begin('c');
    vi.advanceTimersByTime(5_000);
    expect(ids()).toEqual(['a 500, b 500', 'c 500']);
    expect(messages[0]?.[0]).toEqual({ id: 'a', name: 'A', attempt: 1, elapsedMs: 500, position: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are not told of if they end sooner, and leave no timer', () => {
    const { begin, ids } = told();
    const [endA, endB] = [begin('a'), begin('b')];
    vi.advanceTimersByTime(499);
    endA();
    vi.advanceTimersByTime(1);
    endB();
    expect(ids()).toEqual(['b 500']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are not told of after the end of the pass', () => {
    const { bodies, begin, ids } = told();
    begin('a');
    bodies.stop();
    vi.advanceTimersByTime(5_000);
    expect(ids()).toEqual([]);
  });

  it('are told of up to the limit', () => {
    const { begin, messages } = told();
    for (let at = 0; at < startedLimit + 5; at += 1) begin(`s${at}`);
    vi.advanceTimersByTime(5_000);
    expect(messages.map(({ length }) => length)).toEqual([startedLimit]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
