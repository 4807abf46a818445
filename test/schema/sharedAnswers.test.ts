import type { ExecutionResult } from 'graphql';
import { expect, test } from 'vitest';
import { stringifyRaw } from '../../src/engine/json/index.ts';
import { SharedAnswers } from '../../src/schema/machinery/sharedAnswers.ts';

/** Counts the answers that are made. */
function maker(result: ExecutionResult): { make: () => Promise<ExecutionResult>; readonly made: number } {
  let made = 0;
  return {
    make: async () => {
      made += 1;
      return result;
    },
    get made() {
      return made;
    },
  };
}

/** Asks for the answer to one event under each key. */
async function ask(result: ExecutionResult, keys: (string | undefined)[], event: unknown = {}): Promise<number> {
  const answers = new SharedAnswers();
  for (const key of keys) if (key !== undefined) answers.join(key);
  const counted = maker(result);
  const given = await Promise.all(keys.map((key) => answers.answer(key, event, counted.make)));
  expect(given.map(stringifyRaw)).toEqual(keys.map(() => stringifyRaw(result)));
  return counted.made;
}

const small = { data: { changed: { id: 'a', list: [1, null] } } };

test('equal subscriptions share the answer to an event', async () => {
  expect(await ask(small, ['k', 'k', 'k'])).toBe(1);
});

test('others do not: another key, or none, or an event that is no object', async () => {
  expect(await ask(small, ['k', 'k', 'l', 'l'])).toBe(2);
  expect(await ask(small, [undefined, undefined])).toBe(2);
  expect(await ask(small, ['k', 'k'], 'event')).toBe(2);
});

test('A2: large answers and errors are made for each', async () => {
  expect(await ask({ data: { text: 'x'.repeat(70_000) } }, ['k', 'k'])).toBe(2);
  expect(await ask({ data: null, errors: [] }, ['k', 'k'])).toBe(2);
});

test('each event has its own answer, also if the events are equal', async () => {
  const answers = new SharedAnswers();
  for (const _ of [1, 2]) answers.join('k');
  const counted = maker(small);
  for (const event of [{}, {}]) for (const _ of [1, 2]) await answers.answer('k', event, counted.make);
  expect(counted.made).toBe(2);
});

test('a subscription that is alone, or alone again, keeps no answer', async () => {
  const answers = new SharedAnswers();
  const [leave] = [answers.join('k'), answers.join('k')];
  leave();
  leave();
  const [event, counted] = [{}, maker(small)];
  for (const _ of [1, 2]) await answers.answer('k', event, counted.make);
  expect(counted.made).toBe(2);
});

test('a maker that fails does so for itself, and the others make their own', async () => {
  const answers = new SharedAnswers();
  for (const _ of [1, 2]) answers.join('k');
  const event = {};
  const failing = answers.answer('k', event, () => Promise.reject(new Error('gone')));
  const counted = maker(small);
  const other = answers.answer('k', event, counted.make);
  await expect(failing).rejects.toThrow('gone');
  expect(await other).toEqual(small);
  expect(counted.made).toBe(1);
});

test('at most 20 answers are made in one turn of the event loop', async () => {
  const answers = new SharedAnswers();
  let inTurn = 0;
  const perTurn: number[] = [];
  const mark = (): void => {
    perTurn.push(inTurn);
    inTurn = 0;
    if (perTurn.length < 5) setImmediate(mark);
  };
  setImmediate(mark);
  const make = async (): Promise<ExecutionResult> => {
    inTurn += 1;
    return small;
  };
  await Promise.all(Array.from({ length: 50 }, () => answers.answer(undefined, {}, make)));
  await new Promise((resolve) => setImmediate(resolve));
  expect(perTurn.slice(0, 3)).toEqual([20, 20, 10]);
});
