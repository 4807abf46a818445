import { describe, expect, it } from 'vitest';
import { attemptFilters, filterLanes, foldRepeats, lanesOf, type Step } from './lanes.ts';
import { timeAxis } from './timeAxis.ts';
import { attemptsKey, timelineRows, type Unfolded } from './timelineRows.ts';

const origin = Date.parse('2026-11-27T12:00:00Z');
const at = (ms: number): string => new Date(origin + ms).toISOString();

const step = (
  index: number,
  name: string,
  fromMs: number,
  toMs: number | undefined,
  more: Partial<Step> = {},
): Step => ({
  index,
  name,
  attempt: 1,
  kind: 'RUN',
  status: toMs === undefined ? 'RUNNING' : 'SUCCEEDED',
  startedAt: at(fromMs),
  endedAt: toMs === undefined ? null : at(toMs),
  ...more,
});

describe('lanes', () => {
  it('are one for each step, in the order of execution, with the status of the highest attempt', () => {
    const lanes = lanesOf(
      [
        step(1, 'charge', 100, 200, { attempt: 2 }),
        step(0, 'load', 0, 50),
        step(1, 'charge', 50, 60, { status: 'FAILED', willRetry: true }),
      ],
      origin + 500,
    );
    expect(lanes.map(({ name, status, attempt }) => `${name} ${status} ${attempt}`)).toEqual([
      'load SUCCEEDED 1',
      'charge SUCCEEDED 2',
    ]);
  });

  it('show the gap between two attempts', () => {
    const [lane] = lanesOf(
      [step(0, 'a', 0, 10, { status: 'FAILED', willRetry: true }), step(0, 'a', 40, 50, { attempt: 2 })],
      origin + 500,
    );
    expect(lane?.bars.map(({ kind, fromMs, toMs }) => [kind, fromMs - origin, toMs - origin])).toEqual([
      ['work', 0, 10],
      ['gap', 10, 40],
      ['work', 40, 50],
    ]);
  });

  it('go on until now, while a step has not ended', () => {
    const [lane] = lanesOf([step(0, 'sleep', 10, undefined, { kind: 'SLEEP', status: 'WAITING' })], origin + 500);
    expect(lane?.bars).toMatchObject([{ kind: 'wait', toMs: origin + 500 }]);
  });

  it('of branches that run at once overlap', () => {
    const lanes = lanesOf([step(0, 'a', 0, 100), step(1, 'b', 1, 90)], origin + 500);
    expect((lanes[0]?.toMs ?? 0) > (lanes[1]?.fromMs ?? 0)).toBe(true);
  });

  it('fold ten repeats and more into one row, which opens', () => {
    const repeats = Array.from({ length: 12 }, (_, i) =>
      step(i, i === 0 ? 'fetch' : `fetch:${i}`, i, i + 1, i === 5 ? { status: 'FAILED' } : {}),
    );
    const lanes = lanesOf([...repeats, step(12, 'end', 20, 21)], origin + 500);
    const folded = foldRepeats(lanes, new Set());
    expect(folded.map(({ name, status, repeats: of }) => [name, status, of.length])).toEqual([
      ['fetch', 'FAILED', 12],
      ['end', 'SUCCEEDED', 0],
    ]);
    expect(foldRepeats(lanes, new Set(['fetch']))).toHaveLength(14);
    expect(foldRepeats(lanes.slice(0, 9), new Set())).toHaveLength(9);
  });

  it('are found by name, kind and state', () => {
    const lanes = lanesOf(
      [
        step(0, 'Load', 0, 1),
        step(1, 'charge', 1, 2, { status: 'FAILED' }),
        step(2, 'nap', 2, undefined, { kind: 'SLEEP' }),
      ],
      origin + 5,
    );
    const names = (filter: Parameters<typeof filterLanes>[1]): string[] =>
      filterLanes(lanes, filter).map(({ name }) => name);
    expect(names({ only: 'failed' })).toEqual(['charge']);
    expect(names({ only: 'unfinished' })).toEqual(['nap']);
    expect(names({ find: 'load' })).toEqual(['Load']);
    expect(names({ kind: 'SLEEP' })).toEqual(['nap']);
  });

  it('are found by the number of their attempts, of which the filter offers what there is', () => {
    const again = (index: number, name: string, attempts: number): Step[] =>
      Array.from({ length: attempts }, (_, at) => step(index, name, at, at + 1, { attempt: at + 1 }));
    const lanes = lanesOf([...again(0, 'once', 1), ...again(1, 'twice', 2), ...again(2, 'often', 4)], origin + 9);
    expect(filterLanes(lanes, { attempts: 2 }).map(({ name }) => name)).toEqual(['twice', 'often']);
    expect(filterLanes(lanes, { attempts: 3 }).map(({ name }) => name)).toEqual(['often']);
    expect(attemptFilters(lanes, undefined)).toEqual([2, 3]);
    expect(attemptFilters(lanes, 7)).toEqual([2, 3, 7]);
    expect(attemptFilters(lanes.slice(0, 1), undefined)).toEqual([]);
  });
});

describe('the time axis', () => {
  const hour = 3_600_000;
  const barsOf = (steps: Step[]) => lanesOf(steps, origin + 2 * hour).flatMap(({ bars }) => bars);
  const range = { fromMs: origin, toMs: origin + 2 * hour };
  const napped = barsOf([
    step(0, 'load', 0, 1000),
    step(1, 'nap', 1000, 2 * hour - 1000, { kind: 'SLEEP' }),
    step(2, 'save', 2 * hour - 1000, 2 * hour),
  ]);

  it('folds waits by itself, if they take most of the time', () => {
    const axis = timeAxis(range, napped, undefined);
    expect(axis.isFolded).toBe(true);
    expect(axis.place(origin + 1000)).toBeGreaterThan(0.4);
    expect(axis.place(origin + 2 * hour - 1000) - axis.place(origin + 1000)).toBeCloseTo(0.05);
    expect(axis.marks.find(({ isFold }) => isFold)?.label).toBe('1 h 59 m');
  });

  it('is linear if the person wants it', () => {
    const axis = timeAxis(range, napped, 'off');
    expect(axis.isFolded).toBe(false);
    expect(axis.place(origin + hour)).toBeCloseTo(0.5);
  });

  it('does not fold the pauses of a run that takes less than a second', () => {
    const short = { fromMs: origin, toMs: origin + 900 };
    expect(timeAxis(short, barsOf([step(0, 'work', 0, 20)]), undefined).canFold).toBe(false);
  });

  it('does not fold what is busy', () => {
    const axis = timeAxis(range, barsOf([step(0, 'work', 0, 2 * hour)]), 'on');
    expect(axis.canFold).toBe(false);
    expect(axis.stretches).toHaveLength(1);
  });

  it('keeps the order of instants, and ends at 0 and 1', () => {
    for (const fold of ['on', 'off'] as const) {
      const { place } = timeAxis(range, napped, fold);
      const places = Array.from({ length: 101 }, (_, i) => place(origin + (i * 2 * hour) / 100));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect([places[0], places[100]]).toEqual([0, expect.closeTo(1)]);
    }
  });

  it('has no two labels in one place, where many waits are folded', () => {
    const naps = barsOf(
      Array.from({ length: 9 }, (_, n) => step(n, `s${n}`, n * 600_000, n * 600_000 + (n === 8 ? 2_400_000 : 1_000))),
    );
    const { marks } = timeAxis(range, naps, 'on');
    const gaps = marks.slice(1).map(({ at: place }, n) => place - (marks[n]?.at ?? 0));
    expect(marks.some(({ isFold }) => isFold)).toBe(true);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0.08);
  });

  it('shows a range alone, with marks that count from its beginning', () => {
    const part = { fromMs: origin + 500, toMs: origin + 1500, isPart: true };
    const axis = timeAxis(part, napped, 'off');
    expect([500, 1000, 1500].map((ms) => axis.place(origin + ms))).toEqual([0, 0.5, 1]);
    expect([axis.place(origin), axis.place(origin + hour)]).toEqual([0, 1]);
    expect(axis.marks.map(({ label }) => label)).toEqual(['+0', '+200 ms', '+400 ms', '+600 ms', '+800 ms', '+1.0 s']);
  });

  it('folds the waits of a range as far as they lie in it', () => {
    const part = { fromMs: origin + 500, toMs: origin + hour, isPart: true };
    const axis = timeAxis(part, napped, undefined);
    expect(axis.isFolded).toBe(true);
    expect(axis.marks.find(({ isFold }) => isFold)?.label).toBe('59 m 59 s');
    expect(axis.place(origin + 1000)).toBeCloseTo(0.95);
  });

  it('tells the instant of a place, the inverse of the place of an instant', () => {
    for (const fold of ['on', 'off'] as const) {
      const { place, instant } = timeAxis(range, napped, fold);
      for (const ms of [0, 400, 1000, hour, 2 * hour - 10, 2 * hour])
        expect(instant(place(origin + ms)) - origin).toBeCloseTo(ms, 3);
      expect([instant(-1), instant(2)]).toEqual([origin, origin + 2 * hour]);
    }
  });

  it('takes a run without steps or time', () => {
    const axis = timeAxis({ fromMs: origin, toMs: origin }, [], undefined);
    expect(axis.place(origin)).toBe(0);
  });
});

describe('rows of the timeline', () => {
  const parent = lanesOf([step(0, 'pack', 0, 5), step(1, 'bill', 5, undefined, { childRunId: 'c' })], origin + 100);
  const shown = (children: Unfolded['children']): string[] =>
    timelineRows(parent, { children, attempts: new Map() }, origin + 100).map((row) =>
      [row.depth, row.runId ?? '-', row.kind === 'note' ? row.text : row.lane.name].join(' '),
    );
  const child = (steps: Step[] | undefined, hasMore = false) => ({ steps, hasMore, trouble: undefined });

  it('are those of the run alone, unless a child is unfolded', () => {
    expect(shown(new Map())).toEqual(['0 - pack', '0 - bill']);
  });

  it('have the steps of a child below the step that runs it, through children of children', () => {
    const children = new Map([
      ['c', child([step(0, 'ask', 6, 9, { childRunId: 'd' }), step(1, 'pay', 9, 12)])],
      ['d', child([step(0, 'look up', 7, 8)])],
    ]);
    expect(shown(children)).toEqual(['0 - pack', '0 - bill', '1 c ask', '2 d look up', '1 c pay']);
    const keys = timelineRows(parent, { children, attempts: new Map() }, origin + 100).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('have the attempts of a step below it, each with its error as soon as that is read', () => {
    const tried = lanesOf(
      [
        step(0, 'call', 0, 5, { status: 'FAILED', willRetry: true }),
        step(0, 'call', 20, 24, { attempt: 2 }),
        step(1, 'end', 24, 25),
      ],
      origin + 100,
    );
    const rows = (errors: ReadonlyMap<number, string> | undefined, trouble?: string): unknown[] => {
      const attempts = new Map([[attemptsKey(undefined, 0), { errors, trouble }]]);
      return timelineRows(tried, { children: new Map(), attempts }, origin + 100).map((row) =>
        row.kind === 'attempt'
          ? [row.depth, row.attempt.step.attempt, row.attempt.bars.map(({ kind }) => kind).join(' '), row.error]
          : row.kind,
      );
    };
    const succeeded = [1, 2, 'work', undefined];
    expect(rows(new Map([[1, 'TypeError: no']]))).toEqual([
      'lane',
      [1, 1, 'work gap', 'TypeError: no'],
      succeeded,
      'lane',
    ]);
    expect(rows(undefined)).toEqual(['lane', [1, 1, 'work gap', '…'], succeeded, 'lane']);
    expect(rows(undefined, 'The service failed')[1]).toEqual([1, 1, 'work gap', 'The service failed']);
  });

  it('say that a child loads, has no step, has more of them, or cannot be read', () => {
    expect(shown(new Map([['c', child(undefined)]])).at(-1)).toBe('1 c Loading…');
    expect(shown(new Map([['c', child([])]])).at(-1)).toBe('1 c The child has no step yet');
    expect(shown(new Map([['c', child([step(0, 'ask', 6, 9)], true)]])).at(-1)).toBe('1 c More steps in the child');
    const failed = { ...child(undefined), trouble: 'The service failed' };
    expect(shown(new Map([['c', failed]])).at(-1)).toBe('1 c The service failed');
  });
});
