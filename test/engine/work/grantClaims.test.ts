import { describe, expect, it } from 'vitest';
import { grantClaims, type Room } from '../../../src/engine/work/grantClaims.ts';

const run = (runId: string, slot?: string, position = runId.charCodeAt(0)) => ({
  runId,
  position,
  slot,
  projectId: 'p',
});
const room = (max: number | undefined, inUse = 0, more: Partial<Room> = {}): Room => ({
  max,
  inUse,
  first: undefined,
  ready: [],
  ...more,
});
const none: ReadonlyMap<string, Room> = new Map();

const grant = (
  candidates: ReturnType<typeof run>[],
  slots: Record<string, Room> = {},
  projects: ReadonlyMap<string, Room> = none,
) => {
  const { leased, gated } = grantClaims(candidates, new Map(Object.entries(slots)), projects);
  return [leased.map(({ runId }) => runId), gated.map(({ candidate, gate }) => `${candidate.runId}: ${gate}`)];
};

describe('among the candidates', () => {
  it('the first get the free permits, and the rest wait', () => {
    expect(grant([run('a', 's'), run('b', 's'), run('c', 's')], { s: room(3, 1) })).toEqual([['a', 'b'], ['c: slot']]);
  });

  it('each slot has its own count, and runs without a slot are not counted', () => {
    const asking = [run('a', 's'), run('b', 's'), run('c', 't'), run('d')];
    expect(grant(asking, { s: room(1), t: room(1) })).toEqual([['a', 'c', 'd'], ['b: slot']]);
  });

  it('no run waits for a limit that was removed', () => {
    const first = { position: 1, runId: 'z' };
    expect(grant([run('a', 's'), run('b', 's')], { s: room(undefined, 9, { first }) })).toEqual([['a', 'b'], []]);
  });

  it('a run behind a gated run waits, too, even if a permit is free', () => {
    const first = { position: run('b').position, runId: 'aa' };
    expect(grant([run('a', 's'), run('b', 's')], { s: room(5, 0, { first }) })).toEqual([['a'], ['b: slot']]);
  });

  it('permits are kept only for ready runs that come first', () => {
    const ready = [run('a', 's'), run('z', 's')];
    expect(grant([run('b', 's'), run('c', 's')], { s: room(2, 0, { ready }) })).toEqual([['b'], ['c: slot']]);
  });

  it('each must pass both limits, and waits for its slot if both are full', () => {
    const projects = new Map([['p', room(2)]]);
    const asking = [run('a', 's'), run('b', 's'), run('c', 't'), run('d')];
    expect(grant(asking, { s: room(1), t: room(5) }, projects)).toEqual([
      ['a', 'c'],
      ['b: slot', 'd: ceiling'],
    ]);
  });
});
