import { describe, expect, it } from 'vitest';
import { compile } from '../../../src/engine/db/compile.ts';
import { instant, int, json, ordinal, ordinality, rowset, text, uuid } from '../../../src/engine/db/params.ts';

describe('a parameter', () => {
  it('is numbered where its name first stands, with its type', () => {
    const { text: sql, values } = compile('select $b, $a, $b', { a: int, b: text });
    expect(sql).toBe('select $1::text, $2::int, $1::text');
    expect(values({ a: 1, b: 'x' })).toEqual(['x', 1]);
  });

  it('may be an array, be left out, or be computed from all that is given', () => {
    const step = int.of(({ after }: { after: { step: number } }) => after.step);
    const { text: sql, values } = compile('$ids $note $step', { ids: uuid.list, note: json.orNull, step });
    expect(sql).toBe('$1::uuid[] $2::json $3::int');
    expect(values({ ids: ['i'], after: { step: 2 } })).toEqual([['i'], undefined, 2]);
  });

  it('named now is the clock: of the transaction, or the present one', () => {
    const { text: sql, values } = compile('$now < $clock', { now: instant });
    expect(sql).toBe('coalesce($1::timestamptz, now()) < coalesce($1::timestamptz, clock_timestamp())');
    expect(values({ now: null })).toEqual([null]);
  });

  it('may be given a name by "as", which stays', () => {
    expect(compile('select $a as b', { a: int }).text).toBe('select $1::int as b');
  });
});

describe('a row set', () => {
  const lanes = rowset({ ord: ordinal, laneId: int, n: int.of((lane: { limit: number }) => lane.limit) });

  it('is a table with a column for each of its own, in snake case', () => {
    const { text: sql, values } = compile('select from $lanes as l', { lanes });
    expect(sql).toBe('select from unnest($1::int[], $2::int[], $3::int[]) as l(ord, lane_id, n)');
    expect(
      values({
        lanes: [
          { laneId: 7, limit: 2 },
          { laneId: 8, limit: 3 },
        ],
      }),
    ).toEqual([
      [0, 1],
      [7, 8],
      [2, 3],
    ]);
  });

  it('gives a column alone as an array, and sends it once', () => {
    const { text: sql, names } = compile('$lanes.laneId, $lanes as l', { lanes });
    expect(sql).toBe('$1::int[], unnest($2::int[], $1::int[], $3::int[]) as l(ord, lane_id, n)');
    expect(names).toEqual(['lanes.laneId', 'lanes.ord', 'lanes.n']);
  });

  it('may be numbered by PostgreSQL, and its rows be computed', () => {
    const words = rowset({ word: text, number: ordinality }).of(({ line }: { line: string }) =>
      line.split(' ').map((word) => ({ word })),
    );
    const { text: sql, values } = compile('$words as w', { words });
    expect(sql).toBe('unnest($1::text[]) with ordinality as w(word, number)');
    expect(values({ line: 'a b' })).toEqual([['a', 'b']]);
  });
});

describe('a statement is refused', () => {
  it.each([
    ['a name that is no parameter', 'select $b', { a: int }, 'there is no parameter $b'],
    ['a parameter that it does not name', 'select 1', { a: int }, 'the text does not use $a'],
    ['a column that a row set lacks', '$rows.b', { rows: rowset({ a: int }) }, 'the row set $rows has no column b'],
    ['a row set as a value', 'select $rows', { rows: rowset({ a: int }) }, '$rows is a row set'],
    ['a value as a row set', 'select $a.b', { a: int }, '$ais not a row set'],
  ])('with %s', (_, sql, params, reason) => {
    expect(() => compile(sql, params)).toThrow(reason);
  });

  it('where a caller forgets the rows', () => {
    const { values } = compile('$rows as r', { rows: rowset({ a: int }) });
    expect(() => values({})).toThrow('the rows of $rows are missing');
  });
});
