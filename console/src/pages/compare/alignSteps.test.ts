import { describe, expect, it } from 'vitest';
import { alignSteps, type ComparedStep, comparePayloads, foldAlike, type Row } from './alignSteps.ts';
import { countsText, differenceText, partingText } from './compareWords.ts';

/** Steps of the names, in this order. */
const stepsOf = (...names: (string | Partial<ComparedStep>)[]): ComparedStep[] =>
  names.map((each, index) => ({
    index,
    attempt: 1,
    name: 'step',
    kind: 'RUN',
    status: 'SUCCEEDED',
    startedAt: '2026-11-28T12:00:00Z',
    ...(typeof each === 'string' ? { name: each } : each),
  }));

const text = (head: string, bytes = head.length): { head: string; bytes: number } => ({ head, bytes });

/** `-name` is in the earlier run only, `+name` in the later one only. */
const shape = (rows: readonly Row[]): string[] =>
  rows.map(({ name, before, after }) => `${before ? (after ? '' : '-') : '+'}${name}`);

const ended = { hasBeforeEnded: true, hasAfterEnded: true };

describe('steps of two runs', () => {
  it('are aligned by name, whatever their index is', () => {
    const rows = alignSteps(stepsOf('load', 'charge', 'ship'), stepsOf('load', 'check', 'charge', 'ship'));
    expect(shape(rows)).toEqual(['load', '+check', 'charge', 'ship']);
    expect(rows[2]).toMatchObject({ before: { index: 1 }, after: { index: 2 }, differences: [] });
  });

  it('stand alone where only one run has them, the earlier run first', () => {
    expect(shape(alignSteps(stepsOf('a', 'x', 'c'), stepsOf('a', 'y', 'c', 'd')))).toEqual([
      'a',
      '-x',
      '+y',
      'c',
      '+d',
    ]);
    expect(shape(alignSteps(stepsOf('a', 'b'), []))).toEqual(['-a', '-b']);
    expect(shape(alignSteps([], stepsOf('a')))).toEqual(['+a']);
  });

  it('keep the order of the earlier run where the orders disagree, and each step is there once', () => {
    const rows = alignSteps(stepsOf('a', 'b', 'c'), stepsOf('c', 'new', 'a', 'b'));
    expect(shape(rows)).toEqual(['a', 'b', 'c', '+new']);
    expect(rows.filter(({ differences }) => differences.includes('order')).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(partingText(rows, ended).row?.name).toBe('new');
  });

  it('count by their last attempt', () => {
    const retried = stepsOf({ index: 0, status: 'FAILED' }, { index: 0, attempt: 2 });
    const [row] = alignSteps(stepsOf('step'), retried);
    expect(row).toMatchObject({ after: { attempt: 2, status: 'SUCCEEDED' }, differences: ['attempts'] });
  });

  it('of one name twice in a run are paired in their order', () => {
    const rows = alignSteps(stepsOf('a', 'a'), stepsOf('a', 'a', 'a'));
    expect(rows.map(({ key }) => key)).toEqual(['a', 'a (2)', 'a (3)']);
    expect(shape(rows)).toEqual(['a', 'a', '+a']);
  });

  it('of names like those of an object are names', () => {
    expect(shape(alignSteps(stepsOf('__proto__', 'constructor'), stepsOf('constructor')))).toEqual([
      '-__proto__',
      'constructor',
    ]);
  });

  it('differ by status, kind, input and output', () => {
    const [row] = alignSteps(
      stepsOf({ status: 'FAILED', kind: 'SLEEP', inputPayload: text('1'), outputPayload: text('{"a":1}') }),
      stepsOf({ inputPayload: text('2'), outputPayload: null }),
    );
    expect(row?.differences).toEqual(['status', 'kind', 'input', 'output']);
  });
});

describe('payloads of two runs', () => {
  it('are compared as they were sent, to the digit', () => {
    expect(comparePayloads(text('1.0'), text('1.0'))).toBe('same');
    expect(comparePayloads(text('1.0'), text('1'))).toBe('different');
    expect(comparePayloads(null, undefined)).toBe('same');
    expect(comparePayloads(null, text('null'))).toBe('different');
  });

  it('are unread if size and beginning are alike, and the beginning is not all', () => {
    expect(comparePayloads(text('{"a', 900), text('{"a', 900))).toBe('unread');
    expect(comparePayloads(text('{"a', 900), text('{"a', 901))).toBe('different');
    expect(comparePayloads(text('"ü"', 4), text('"ü"', 4))).toBe('same');
  });
});

describe('the place where two runs part', () => {
  const said = (before: ComparedStep[], after: ComparedStep[], ends = ended): string =>
    partingText(alignSteps(before, after), ends).text;

  it('is the first step that one run lacks, or that did something else', () => {
    expect(said(stepsOf('a', { name: 'b', status: 'FAILED' }), stepsOf('a', 'b', 'c'))).toBe(
      'The runs part at step 2, “b”: first failed, then succeeded.',
    );
    expect(said(stepsOf('a', 'b'), stepsOf('a'))).toBe('The runs part at step 2, “b”: the later run does not have it.');
    expect(said(stepsOf({ outputPayload: text('1') }), stepsOf({ outputPayload: text('2') }))).toBe(
      'The runs part at step 1, “step”: its output differs.',
    );
  });

  it('is not a step that took more attempts', () => {
    expect(said(stepsOf('a'), stepsOf({ name: 'a', attempt: 3 }))).toBe('The runs do not part: all steps are alike.');
  });

  it('is not a step that an unfinished run may still begin or end', () => {
    const running = { hasBeforeEnded: true, hasAfterEnded: false };
    expect(said(stepsOf('a', 'b'), stepsOf('a'), running)).toBe('The runs have not parted so far.');
    expect(said(stepsOf('a'), stepsOf({ name: 'a', status: 'RUNNING' }), running)).toBe(
      'The runs have not parted so far.',
    );
    expect(said(stepsOf('a'), stepsOf({ name: 'a', status: 'FAILED' }), running)).toMatch(
      /first succeeded, then failed/,
    );
  });

  it('is unsure while payloads of the same size are unread', () => {
    const big = { outputPayload: text('{"a', 900) };
    expect(said(stepsOf(big), stepsOf(big))).toMatch(/No difference found so far/);
  });

  it('shows hidden characters of names', () => {
    expect(said(stepsOf('\u202eevil'), [])).toContain('“‹U+202E›evil”');
  });
});

describe('the list of steps', () => {
  it('folds stretches of four alike steps and more, and tells their number', () => {
    const before = stepsOf('a', 'b', 'c', 'd', 'x', 'e', 'f', 'g');
    const after = stepsOf('a', 'b', 'c', 'd', { name: 'x', status: 'FAILED' }, 'e', 'f', 'g');
    const rows = alignSteps(before, after);
    const list = foldAlike(rows, new Set());
    expect(list.map((each) => ('rows' in each ? each.rows.length : each.name))).toEqual([4, 'x', 'e', 'f', 'g']);
    expect(foldAlike(rows, new Set([list[0]?.key ?? '']))).toHaveLength(8);
    expect(foldAlike(rows, new Set(), 'b')).toHaveLength(8);
    expect(countsText(rows)).toBe('7 alike · 1 different');
  });

  it('says in words what differs', () => {
    const rows = alignSteps(
      stepsOf('a', 'b', { name: 'c', attempt: 2 }),
      stepsOf('a', { name: 'c', status: 'FAILED' }),
    );
    expect(rows.map(differenceText)).toEqual(['alike', 'only in the earlier run', 'status, attempts']);
    expect(countsText(rows)).toBe('1 alike · 1 different · 1 only in the earlier run');
  });
});
