import { describe, expect, it } from 'vitest';
import type { KnownRunner, ProjectSnapshot } from '../../../src/engine/model/index.ts';
import { capableRunners, isLive } from '../../../src/engine/runners/index.ts';

const seenAt = new Date('2026-01-01T00:00:00Z');

const runner = (changes: Partial<KnownRunner> = {}): KnownRunner => ({
  app: 'a',
  runnerId: 'r',
  transport: 'connect',
  workflows: new Set(['w']),
  connected: true,
  lastSeenAt: seenAt,
  ...changes,
});

describe('a runner', () => {
  it('is live while it is connected and was seen within the window', () => {
    const at = (ms: number): Date => new Date(seenAt.getTime() + ms);
    expect(isLive(runner(), at(89_999), 90_000)).toBe(true);
    expect(isLive(runner(), at(90_000), 90_000)).toBe(false);
    expect(isLive(runner({ connected: false }), at(0), 90_000)).toBe(false);
  });

  it('is capable of the workflows that it registered in its app, and of pins to itself', () => {
    const runners = [
      runner(),
      runner({ runnerId: 's' }),
      runner({ app: 'b' }),
      runner({ runnerId: 't', workflows: new Set(['v']) }),
    ];
    const snapshot: Pick<ProjectSnapshot, 'runners'> = { runners };
    const ids = (...args: [string, string, string?]): string[] =>
      capableRunners(snapshot, ...args).map((each) => each.runnerId);
    expect(ids('a', 'w')).toEqual(['r', 's']);
    expect(ids('a', 'w', 's')).toEqual(['s']);
    expect(ids('a', 'w', '')).toEqual(['r', 's']);
    expect(ids('a', 'w', 't')).toEqual([]);
    expect(ids('c', 'w')).toEqual([]);
  });
});
