import { expect, it } from 'vitest';
import { defineWorkflow } from '../../../sdk/src/workflow.ts';
import { pass } from '../support/passes.ts';
import * as shapes from './providerShapes.ts';

/** The saved result of a step whose body returns `result`. */
async function saved(result: unknown): Promise<Record<string, unknown>> {
  const w = defineWorkflow('default', { id: 'w' }, ({ step }) => step.ai.wrap('ask', () => result));
  const { opcodes } = await pass(w);
  const [opcode] = opcodes;
  expect(opcode).not.toHaveProperty('error');
  return opcode !== undefined && 'data' in opcode ? (opcode.data as Record<string, unknown>) : expect.unreachable();
}

const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { q: 'x' } };

it('a result of generateText that is returned as it is keeps what its getters tell', async () => {
  for (const [result, more] of [
    [shapes.textOfAi5(), { totalUsage: { inputTokens: 20, outputTokens: 8, totalTokens: 28 } }],
    [shapes.textOfAi6(), { toolCalls: [call], output: { urgent: true } }],
    [
      shapes.textOfAi7(),
      { toolCalls: [call], output: { urgent: true }, responseMessages: [{ role: 'assistant', content: 'because' }] },
    ],
  ] as const) {
    const data = await saved(result);
    expect(data).toMatchObject({ text: 'because', finishReason: 'stop', usage: { outputTokens: expect.any(Number) } });
    expect(data).toMatchObject(more);
    expect(data).toMatchObject({
      steps: [
        { text: '', toolCalls: [call] },
        { text: 'because', toolCalls: [] },
      ],
    });
  }
});

it('its files are base64, and its errors have name and message', async () => {
  const data = await saved(shapes.textOfAi6());
  const file = { mediaType: 'image/png', base64: 'AQID' };
  expect(data.files).toEqual([file]);
  expect(data.steps).toMatchObject([
    { content: [call, { type: 'tool-error', error: { name: 'RangeError', message: 'no such thing' } }] },
    { content: [{ type: 'text' }, { type: 'file', file }] },
  ]);
});

it('it loses its requests, the bodies and headers of responses, and copies', async () => {
  for (const result of [shapes.textOfAi5(), shapes.textOfAi6(), shapes.textOfAi7()]) {
    const data = await saved(result);
    const text = JSON.stringify(data);
    for (const left of ['"request"', '"body"', '"headers"', '"_output"', '"finalStep"', 'experimental_', 'prompt'])
      expect(text).not.toContain(left);
    expect(data.steps).not.toHaveProperty('0.response.messages');
    expect(data.steps).toHaveProperty('0.response.modelId', 'm-2026');
  }
  expect(await saved(shapes.textOfAi6())).toMatchObject({ response: { id: 'r', messages: [{ role: 'assistant' }] } });
});

it('a list of such results keeps each', async () => {
  expect(await saved([shapes.textOfAi6(), 'x'])).toMatchObject([{ text: 'because' }, 'x']);
});

it('any other result is saved as it is', async () => {
  const plain = { steps: [{ usage: {} }], text: 'x', finishReason: 'stop', request: { body: 1 } };
  expect(await saved(plain)).toEqual(plain);
  expect(await saved(shapes.aiObject(shapes.usageOfAi6))).toHaveProperty('request');
});
