import { describe, expect, it, test } from 'vitest';
import { AiDefaults } from '../../../sdk/src/ai/aiDefaults.ts';
import type { EmbedRequest } from '../../../sdk/src/index.ts';
import { defineWorkflow } from '../../../sdk/src/workflow.ts';
import { pass, play } from '../support/passes.ts';

const embedding = (request: EmbedRequest) =>
  defineWorkflow('default', { id: 'w' }, ({ step }) => step.ai.embed('index', request));

/** A vector as a little-endian machine writes it. */
const base64 = (...numbers: number[]): string => {
  const bytes = new DataView(new ArrayBuffer(numbers.length * 4));
  for (const [index, number] of numbers.entries()) bytes.setFloat32(index * 4, number, true);
  return Buffer.from(bytes.buffer).toString('base64');
};
const memo = (...embeddings: string[]) => ({ embeddings, dimensions: 2, model: 'e', usage: { tokensIn: 3 } });

describe('step.ai.embed', () => {
  it('is one step of its id for one batch, and answers vectors in the order of the values', async () => {
    const w = embedding({ model: 'e', values: ['a', 'b'], dimensions: 2 });
    expect((await pass(w)).opcodes).toMatchObject([
      { op: 'Infer', name: 'index', data: { kind: 'embed', model: 'e', values: ['a', 'b'], dimensions: 2 } },
    ]);
    const { answer } = await play(w, { wake: [['index', memo(base64(0.5, -1), base64(0.1, 2))]] });
    expect(answer.data).toEqual([
      [0.5, -1],
      [Math.fround(0.1), 2],
    ]);
  });

  it('is a step per batch otherwise, side by side, and keeps the order whichever ends first', async () => {
    const w = embedding({ model: 'e', values: ['a', 'b', 'c', 'd', 'e'], batchSize: 2 });
    const { opcodes } = await pass(w);
    expect(opcodes.map(({ name }) => name)).toEqual(['index/1', 'index/2', 'index/3']);
    expect(opcodes).toMatchObject([
      { data: { values: ['a', 'b'] } },
      { data: { values: ['c', 'd'] } },
      { data: { values: ['e'] } },
    ]);
    const vectors = [memo(base64(1), base64(2)), memo(base64(3), base64(4)), memo(base64(5))];
    const { answer } = await play(w, {
      wake: [
        ['index/3', vectors[2]],
        ['index/1', vectors[0]],
        ['index/2', vectors[1]],
      ],
    });
    expect(answer.data).toEqual([[1], [2], [3], [4], [5]]);
  });

  it('takes 100 values per step unless told otherwise', async () => {
    const { opcodes } = await pass(embedding({ model: 'e', values: Array.from({ length: 250 }, () => 'x') }));
    expect(opcodes).toMatchObject([100, 100, 50].map((length) => ({ data: { values: { length } } })));
  });

  it('is no step without values', async () => {
    expect(await pass(embedding({ model: 'e', values: [] }))).toMatchObject({ status: 200, data: [] });
  });

  it('has its own provider and model, and the price of the model', async () => {
    const aiDefaults = new AiDefaults({ provider: 'p', model: 'm', prices: { 'e*': { input: 0.02, output: 0 } } });
    const { opcodes } = await pass(embedding({ model: 'e-3', values: ['x'] }), { aiDefaults });
    expect(opcodes).toMatchObject([{ data: { model: 'e-3', price: { input: 0.02, output: 0 } } }]);
    expect(opcodes).not.toHaveProperty('0.data.provider');
  });

  it('fails the run without a request when the cap was reached', async () => {
    const ctx = { ai: { tokens: 5, maxTokens: 5 } };
    const { opcodes } = await pass(embedding({ model: 'e', values: ['x'] }), { ctx });
    expect(opcodes).toMatchObject([{ op: 'StepRun', retriable: false, error: { name: 'BudgetError' } }]);
  });

  test.each([
    [{ values: ['x'] }, 'the model of step "index"'],
    [{ model: 'e', values: 'x' }, 'the values of step "index"'],
    [{ model: 'e', values: ['x', 7] }, 'value 1 of step "index"'],
    [{ model: 'e', values: ['x'], batchSize: 101 }, 'the batchSize of step "index" must be 1 to 100'],
    [{ model: 'e', values: ['x'], batchSize: 0 }, 'the batchSize of step "index"'],
    [{ model: 'e', values: ['x'], dimensions: 0.5 }, 'the dimensions of step "index"'],
  ])('fails the run at once for %j', async (request, message) => {
    expect(await pass(embedding(request as EmbedRequest))).toMatchObject({
      status: 500,
      retriable: false,
      error: { message: expect.stringContaining(message) },
    });
  });
});
