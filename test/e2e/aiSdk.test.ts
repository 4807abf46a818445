import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { durable, durableTools } from '../../sdk/src/ai-sdk/index.ts';
import type { Holdfast } from '../../sdk/src/index.ts';
import { aiSdks, answer, deltas, streamed, text, toolCall } from '../sdk/support/aiSdk.ts';
import { FlowSite } from './flowSite.ts';

/** Agents of the AI SDK in runs, as users see them. */
let site: FlowSite;
const sdks = await aiSdks();

beforeAll(async () => {
  site = await FlowSite.open();
  for (const sdk of sdks) define(site.hf, sdk);
  await site.connect(site.hf, 'r1');
}, 120_000);

afterAll(() => site?.close(), 30_000);

const refunded: number[] = [];
const failing = new Map<string, number>();

function define(hf: Holdfast, { name, ai, LanguageModel }: (typeof sdks)[number]): void {
  const wrap = (model: InstanceType<typeof LanguageModel>) => ai.wrapLanguageModel({ model, middleware: durable() });

  const clerk = new LanguageModel({
    modelId: 'clerk',
    doGenerate: async ({ prompt }) =>
      prompt.length === 1 ? answer([toolCall('c1', 'refund', { cents: 900 })]) : text('refunded'),
    doStream: async () => streamed(deltas('Thank ', 'you.')),
  });
  const refund = ai.tool({
    inputSchema: z.object({ cents: z.number() }),
    execute: ({ cents }) => refunded.push(cents),
  });
  const tools = durableTools({ refund }, { refund: { approval: { risk: 'high' } } });
  const agent = new ai.ToolLoopAgent({ model: wrap(clerk), tools });
  hf.workflow({ id: `agent of ${name}` }, async () => {
    const { text } = await agent.generate({ prompt: 'I want my money back' });
    const thanks: string[] = [];
    for await (const delta of ai.streamText({ model: wrap(clerk), prompt: 'thank' }).textStream) thanks.push(delta);
    return { text, thanks };
  });

  const broken = new LanguageModel({
    doGenerate: async () => {
      failing.set(name, (failing.get(name) ?? 0) + 1);
      throw new ai.APICallError({
        message: 'busy',
        url: 'u',
        requestBodyValues: {},
        statusCode: 503,
        isRetryable: true,
      });
    },
  });
  hf.workflow({ id: `broken ${name}`, retry: { maxAttempts: 3, initialDelayMs: 1 } }, () =>
    ai.generateText({ model: wrap(broken), prompt: 'q', maxRetries: 7 }).then(({ text }) => text),
  );
}

describe.each(sdks.map(({ name }) => name))('a durable agent of %s', (name) => {
  it('waits for the approval of a tool, and ends with its answer', async () => {
    refunded.length = 0;
    const { runId } = await site.trigger(`agent of ${name}`);
    await site.until(runId, { status: 'needs_attention' });
    const [pending] = await site.hf.approvals.list({ runId });
    expect(pending).toMatchObject({ step: 'refund/approval', tool: 'refund', args: { cents: 900 }, risk: 'high' });
    await site.hf.approvals.decide(pending?.id ?? '', { status: 'approved', args: { cents: 450 } });
    expect(await site.ended(runId)).toMatchObject({
      status: 'succeeded',
      result: { text: 'refunded', thanks: ['Thank ', 'you.'] },
    });
    expect(refunded).toEqual([450]);
    const steps = await site.hf.runs.steps(runId);
    expect(steps.map((step) => step.name)).toEqual([
      'ai.generate',
      'refund/approval',
      'refund',
      'ai.generate:1',
      'ai.stream',
    ]);
  });

  it('makes a failing call as often as the workflow says', async () => {
    const { runId } = await site.trigger(`broken ${name}`);
    expect(await site.ended(runId)).toMatchObject({ status: 'failed', error: { message: 'busy' } });
    expect(failing.get(name)).toBe(3);
  });
});
