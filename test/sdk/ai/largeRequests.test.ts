import { describe, expect, it } from 'vitest';
import type { Opcode } from '../../../sdk/src/protocol.ts';
import { defineWorkflow, type Handler } from '../../../sdk/src/workflow.ts';
import { pass, play } from '../support/passes.ts';

const workflow = <R>(handler: Handler<unknown, R>) => defineWorkflow('default', { id: 'w' }, handler);
const big = 'x'.repeat(1_100_000);
const half = 'x'.repeat(600_000);
const limit = 1024 * 1024 - 32 * 1024;

/** The error of the only step of a handler. */
async function failure(handler: Handler<unknown, unknown>): Promise<Opcode> {
  const { opcodes, status } = await pass(workflow(handler));
  expect(status).toBe(206);
  expect(opcodes).toHaveLength(1);
  return opcodes[0] as Opcode;
}

describe('a model request that is too large', () => {
  it.each<[string, string, Handler<unknown, unknown>]>([
    ['the prompt', 'prompt', ({ step }) => step.ai.generate('ask', { model: 'm', prompt: big })],
    ['the system', 'system', ({ step }) => step.ai.generate('ask', { model: 'm', prompt: 'x', system: big })],
    [
      'a message',
      'messages[1]',
      ({ step }) =>
        step.ai.generate('ask', {
          model: 'm',
          messages: [
            { role: 'user', content: 'x' },
            { role: 'user', content: [{ type: 'image', data: big }] },
          ],
        }),
    ],
    [
      'a conversation',
      'messages',
      ({ step }) =>
        step.ai.generate('ask', {
          model: 'm',
          messages: [
            { role: 'user', content: half },
            { role: 'user', content: half },
          ],
        }),
    ],
    [
      'a tool',
      'tools[0]',
      ({ step }) =>
        step.ai.generate('ask', {
          model: 'm',
          prompt: 'x',
          tools: [{ name: 't', description: big, inputSchema: { type: 'object' } }],
        }),
    ],
    ['the schema of an output', 'output', ({ step }) => ask(step, { output: { description: big } })],
    ['a value', 'values[1]', ({ step }) => step.ai.embed('ask', { model: 'm', values: ['x', big] })],
    ['the values of a batch', 'values', ({ step }) => step.ai.embed('ask', { model: 'm', values: [half, half] })],
    [
      'the prompt of an agent',
      'messages[0]',
      ({ step }) => step.ai.agent('ask', { model: 'm', prompt: big, tools: {} }),
    ],
  ])('names %s, the limit and the step', async (_name, field, handler) => {
    const { error, ...opcode } = (await failure(handler)) as Opcode & { error?: { name: string; message: string } };
    expect(opcode).toMatchObject({ op: 'StepRun', retry: { maxAttempts: 1 } });
    expect(opcode).not.toHaveProperty('retriable');
    expect(error?.name).toBe('InferenceError');
    expect(error?.message).toMatch(
      new RegExp(
        `^${field.replace(/[[\]]/g, '\\$&')}: has \\d+ bytes; the request of step "ask(/1)?" may have ${limit}$`,
      ),
    );
  });

  it('may be caught, so that the handler asks for less', async () => {
    const { answer } = await play(
      workflow(async ({ step }) => {
        const text = await step.ai.generate('ask', { model: 'm', prompt: big }).catch((error: unknown) => error);
        return text instanceof Error ? text.name : 'answered';
      }),
    );
    expect(answer).toMatchObject({ status: 200, data: 'InferenceError' });
  });

  it('is sent if it fits', async () => {
    const opcode = await failure(({ step }) =>
      step.ai.generate('ask', { model: 'm', prompt: 'x'.repeat(limit - 1000) }),
    );
    expect(opcode.op).toBe('Infer');
  });
});

function ask(step: Parameters<Handler<unknown, unknown>>[0]['step'], request: { output: object }): Promise<unknown> {
  return step.ai.generate('ask', { model: 'm', prompt: 'x', output: { ...request.output } });
}
