import { describe, expect, it, test } from 'vitest';
import type { AiUsage, Opcode } from '../../../sdk/src/protocol.ts';
import { hashStepId } from '../../../sdk/src/stepId.ts';
import { defineWorkflow, type Handler } from '../../../sdk/src/workflow.ts';
import { type PassInput, pass, play } from '../support/passes.ts';

const workflow = <R>(handler: Handler<unknown, R>) => defineWorkflow('default', { id: 'w' }, handler);
const usage = { model: 'm-1', tokensIn: 12, tokensOut: 3, cost: 0.2, latencyMs: 40, cacheHit: false };

/** The opcode of a handler's only step. */
async function only(handler: Handler<unknown, unknown>, input: PassInput = {}): Promise<Opcode & { usage?: AiUsage }> {
  const { opcodes } = await pass(workflow(handler), input);
  expect(opcodes).toHaveLength(1);
  return opcodes[0] as Opcode;
}

describe('step.ai.wrap', () => {
  it('is a step with the result of its body, what that used up, and its input', async () => {
    const opcode = await only(({ step }) =>
      step.ai.wrap('ask', { input: { question: 'why' } }, ({ question }, { report, attempt, name }) => {
        report(usage);
        return { question, attempt, name };
      }),
    );
    expect(opcode).toEqual({
      op: 'StepRun',
      id: hashStepId('ask'),
      name: 'ask',
      data: { question: 'why', attempt: 1, name: 'ask' },
      input: { question: 'why' },
      usage,
      ai: { calls: [usage] },
    });
  });

  it('gives back what was saved, without another call', async () => {
    let calls = 0;
    const w = workflow(async ({ step }) => {
      const answer = await step.ai.wrap('ask', () => {
        calls += 1;
        return 'because';
      });
      return `it is ${answer}`;
    });
    expect((await play(w)).answer).toMatchObject({ status: 200, data: 'it is because' });
    expect(calls).toBe(1);
  });

  it('adds up the calls of one step; the last model named counts', async () => {
    const opcode = await only(({ step }) =>
      step.ai.wrap('loop', ({ report }) => {
        for (let n = 0; n < 10; n += 1) report({ tokensIn: 2, cost: 0.1, cacheHit: n > 0 });
        report({ model: 'm-2', tokensOut: 5, latencyMs: 7 });
      }),
    );
    expect(opcode.usage).toEqual({ model: 'm-2', tokensIn: 20, tokensOut: 5, cost: 1, latencyMs: 7, cacheHit: false });
    expect(opcode).toHaveProperty('ai.calls.length', 11);
  });

  it('says nothing of what was not reported, but how long it took', async () => {
    const opcode = await only(({ step }) => step.ai.wrap('ask', () => 'x'));
    expect(opcode.usage).toEqual({ latencyMs: expect.any(Number) });
    expect(opcode).toHaveProperty('ai', { calls: [] });
  });

  it('reports what was used up when the body throws, or returns what cannot be saved', async () => {
    for (const body of [
      () => {
        throw new Error('cut off');
      },
      () => 10n,
    ]) {
      const opcode = await only(({ step }) =>
        step.ai.wrap('ask', ({ report }) => {
          report(usage);
          return body();
        }),
      );
      expect(opcode).toMatchObject({ op: 'StepRun', error: { message: expect.any(String) }, usage });
      expect(opcode).not.toHaveProperty('data');
    }
  });

  test.each([
    ['tokensIn', -1],
    ['tokensOut', 0.5],
    ['cost', Number.NaN],
    ['latencyMs', Number.POSITIVE_INFINITY],
    ['model', 7],
    ['cacheHit', 'yes'],
  ])('does not count %s %s, keeps the result, and says so in the log', async (field, value) => {
    const broken: object = { ...usage, [field]: value };
    const w = workflow(({ step }) =>
      step.ai.wrap('ask', ({ report }) => {
        report(broken);
        return 'kept';
      }),
    );
    const { opcodes, logs } = await pass(w);
    const { [field]: _left, ...rest } = usage as Record<string, unknown>;
    expect(opcodes[0]).toMatchObject({ data: 'kept', ai: { calls: [rest] } });
    expect(logs).toEqual([
      expect.objectContaining({ level: 'warn', scope: 'ask', message: expect.stringContaining(field) }),
    ]);
  });

  it('keeps the journal of a step that makes a great many calls within bounds', async () => {
    const opcode = await only(({ step }) =>
      step.ai.wrap('loop', ({ report }) => {
        for (let n = 0; n < 20_000; n += 1) report({ tokensIn: 1 });
      }),
    );
    expect(opcode.usage).toMatchObject({ tokensIn: 20_000 });
    expect(opcode).toHaveProperty('ai.calls.length', 100);
  });
});

describe('a cap that the run has reached', () => {
  const reached = { tokens: 100, cost: 0.5, maxTokens: 100 };

  it('refuses the next AI step before its call, for good', async () => {
    let calls = 0;
    const opcode = await only(
      ({ step }) =>
        step.ai.wrap('ask', () => {
          calls += 1;
        }),
      { ctx: { ai: reached } },
    );
    expect(calls).toBe(0);
    expect(opcode).toMatchObject({
      op: 'StepRun',
      name: 'ask',
      retriable: false,
      error: { name: 'BudgetError', message: 'the AI steps of this run have spent 100 tokens; its cap is 100' },
    });
    expect(opcode).not.toHaveProperty('usage');
  });

  test.each([
    [{ tokens: 99, maxTokens: 100 }, true],
    [{ tokens: 100, maxTokens: 100 }, false],
    [{ tokens: 0, cost: 0.5, maxCost: 0.5 }, false],
    [{ tokens: 9, cost: 0.49, maxCost: 0.5 }, true],
    [{ tokens: 1_000_000, maxCost: 0.5 }, true],
    [{ tokens: 10, cost: 1, maxTokens: 11, maxCost: 1 }, false],
  ])('is told by %j: a call is made: %s', async (ai, isMade) => {
    let calls = 0;
    const body = (): void => {
      calls += 1;
    };
    await only(({ step }) => step.ai.wrap('ask', body), { ctx: { ai } });
    expect(calls).toBe(isMade ? 1 : 0);
  });

  it('neither stops other steps, nor takes back what was saved', async () => {
    const w = workflow(async ({ step, run }) => {
      const answer = await step.ai.wrap('ask', () => 'new');
      const told = await step.run('tell', () => `${answer}!`);
      return { told, ai: run.ai };
    });
    const ctx = { ai: reached };
    const memo = { ask: { data: 'saved' } };
    expect((await pass(w, { memo, ctx })).opcodes).toMatchObject([{ name: 'tell', data: 'saved!' }]);
    expect(await pass(w, { memo: { ...memo, tell: { data: 'saved!' } }, ctx })).toMatchObject({
      status: 200,
      data: { told: 'saved!', ai: reached },
    });
  });
});
