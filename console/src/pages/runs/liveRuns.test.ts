import { describe, expect, it } from 'vitest';
import { countNew, type HeardChange, LiveRuns, pagesWith, patched, renewed } from './liveRuns.ts';

const row = (id: string, status: string, startedAt: string | null = null) => ({
  id,
  status,
  startedAt,
  endedAt: null,
  durationMs: null,
});

/** Live runs whose changes apply at once, and whose reads of the head wait for `turn`. */
function liveRuns({ fails = false } = {}) {
  const reads: boolean[] = [];
  let later: (() => void) | undefined;
  const live = new LiveRuns({
    read: (isAfterGap) => {
      reads.push(isAfterGap);
      return fails ? Promise.reject(new Error('busy')) : Promise.resolve();
    },
    later: (run) => {
      later = run;
      return () => {
        later = undefined;
      };
    },
    coalesce: (apply) => ({
      add: (key: string, change: HeardChange) => apply(new Map([[key, change]])),
      stop: () => {},
    }),
  });
  const turn = (): void => {
    const run = later;
    later = undefined;
    run?.();
  };
  return { live, turn, reads: () => reads.length, gaps: () => reads };
}

describe('a live list', () => {
  it('changes a row in place', () => {
    const change = { status: 'SUCCEEDED', ts: '2026-11-27T12:00:05Z', heardAt: 2 };
    expect(patched(row('a', 'RUNNING', '2026-11-27T12:00:00Z'), change, 1)).toMatchObject({
      status: 'SUCCEEDED',
      endedAt: '2026-11-27T12:00:05Z',
      durationMs: 5000,
    });
  });

  it('takes no ended run back to life: an old message may come late', () => {
    const ended = row('a', 'FAILED');
    expect(patched(ended, { status: 'RUNNING', ts: '2026-11-27T12:00:05Z', heardAt: 2 }, 1)).toBe(ended);
  });

  it('shows what was read after a change, and not the change: later ones were missed in a gap', () => {
    const change = { status: 'RUNNING', ts: '2026-11-27T12:00:05Z', heardAt: 1 };
    const waiting = row('a', 'WAITING', '2026-11-27T12:00:00Z');
    expect(patched(waiting, change, 2)).toBe(waiting);
    expect(patched(waiting, change, 0)).toMatchObject({ status: 'RUNNING' });
  });

  it('reads what is on screen after a gap only, and again if that fails', async () => {
    const failing = liveRuns({ fails: true });
    failing.live.add('a', { status: 'RUNNING', ts: '2026-11-27T12:00:05Z' });
    failing.turn();
    await Promise.resolve();
    failing.live.noteGap();
    failing.turn();
    await Promise.resolve();
    failing.turn();
    expect(failing.gaps()).toEqual([false, true, true]);
    failing.live.stop();
    const { live, turn, gaps } = liveRuns();
    live.noteGap();
    turn();
    live.add('a', { status: 'RUNNING', ts: '2026-11-27T12:00:05Z' });
    turn();
    expect(gaps()).toEqual([true, false]);
    live.stop();
  });

  it('knows the pages that hold the rows on screen', () => {
    const pages = [[{ id: 'a' }, { id: 'b' }], [{ id: 'c' }], [{ id: 'd' }]];
    expect(pagesWith(pages, new Set(['b', 'd', 'gone']))).toEqual([0, 2]);
  });

  it('reads the first page again after a read that failed', async () => {
    const { live, turn, reads } = liveRuns({ fails: true });
    live.noteGap();
    turn();
    await Promise.resolve();
    turn();
    expect(reads()).toBe(2);
    live.stop();
    await Promise.resolve();
    turn();
    expect(reads()).toBe(2);
  });

  it('reads the first page once for many changes', () => {
    const { live, turn, reads } = liveRuns();
    for (let i = 0; i < 500; i++) live.add(`run ${i}`, { status: 'RUNNING', ts: '' });
    expect(reads()).toBe(0);
    turn();
    expect(reads()).toBe(1);
    turn();
    expect(reads()).toBe(1);
  });

  it('reads nothing once its page is left', () => {
    const { live, turn, reads } = liveRuns();
    live.noteGap();
    live.stop();
    turn();
    expect(reads()).toBe(0);
  });

  it('moves no row: new runs are counted', () => {
    const rows = [row('b', 'RUNNING'), row('a', 'RUNNING')];
    const head = [row('c', 'QUEUED'), row('b', 'SUCCEEDED')];
    expect(renewed(rows, head).map(({ id, status }) => `${id} ${status}`)).toEqual(['b SUCCEEDED', 'a RUNNING']);
    expect(countNew(rows, head)).toBe(1);
    expect(countNew(rows, undefined)).toBe(0);
  });

  it('shows a run once, if it moved from one page to the next between two reads', () => {
    expect(renewed([row('a', 'RUNNING'), row('b', 'RUNNING'), row('a', 'RUNNING')], undefined)).toHaveLength(2);
  });
});
