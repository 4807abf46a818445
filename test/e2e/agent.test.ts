import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Holdfast, NonRetriableError } from '../../sdk/src/index.ts';
import { projectRoot } from '../support/build.ts';
import { FakeProvider } from '../support/models/fakeProvider.ts';
import { FlowSite } from './flowSite.ts';

/** The role that calls models. Without it, a model call of the service never ends. */
const callsModels = existsSync(join(projectRoot, 'src/workers/inference/index.ts'));

/** Agents against a provider, as users see them. */
let site: FlowSite;
let provider: FakeProvider;
const added: unknown[] = [];

describe.runIf(callsModels)('step.ai.agent', () => {
  beforeAll(async () => {
    provider = await FakeProvider.start();
    site = await FlowSite.open({ env: { ANTHROPIC_BASE_URL: provider.origin, ANTHROPIC_API_KEY: 'k' } });
    define(site.hf);
    await site.connect(site.hf, 'r1');
  }, 120_000);

  afterAll(async () => {
    await site?.close();
    await provider?.close();
  }, 30_000);

  it('tells the model of results, errors, unknown tools and invalid inputs, and ends with an object', async () => {
    const from = provider.ledger.length;
    provider.answers(
      {
        toolCalls: [
          call('t1', 'add', { a: 1 }),
          call('t2', 'add', { a: 2 }),
          call('t3', 'fail', {}),
          call('t4', 'fly', {}),
          call('t5', 'add', { a: 'one' }),
          call('t6', 'pack', { id: 'o-1' }),
        ],
      },
      { text: '{"sum":5}' },
    );
    const { runId } = await site.trigger('clerk');
    expect(await site.ended(runId)).toMatchObject({ status: 'succeeded', result: { object: { sum: 5 }, turns: 2 } });
    expect(added).toEqual([1, 2]);
    const told = toolResults(provider.ledger[from + 1]?.body.messages);
    expect(told).toMatchObject([
      { tool_use_id: 't1', content: text('2') },
      { tool_use_id: 't2', content: text('3') },
      { tool_use_id: 't3', content: text('out of paper'), is_error: true },
      { tool_use_id: 't4', content: text('there is no tool "fly"'), is_error: true },
      { tool_use_id: 't5', content: text('does not fit the schema'), is_error: true },
      { tool_use_id: 't6', content: text('packed o-1') },
    ]);
    expect((await site.hf.runs.steps(runId)).map(({ name }) => name)).toEqual([
      'clerk/1',
      'clerk/1/add',
      'clerk/1/add:1',
      'clerk/1/fail',
      'clerk/1/pack',
      'clerk/2',
    ]);
  });

  it('goes on with edited arguments and a denial, on another runner, and calls no model twice', async () => {
    const from = provider.ledger.length;
    provider.answers(
      { toolCalls: [call('t1', 'refund', { cents: 9 }), call('t2', 'refund', { cents: 7 })] },
      { text: 'done' },
    );
    const { runId } = await site.trigger('cashier');
    await site.until(runId, { status: 'needs_attention' });
    await site.connections.pop()?.close();
    await site.connect(site.hf, 'r2');
    for (const { id, args } of await site.hf.approvals.list({ runId })) {
      const isFirst = JSON.stringify(args) === '{"cents":9}';
      await site.hf.approvals.decide(id, isFirst ? { status: 'approved', args: { cents: 4 } } : { status: 'denied' });
    }
    expect(await site.ended(runId)).toMatchObject({ status: 'succeeded', result: 'done' });
    expect(provider.ledger).toHaveLength(from + 2);
    expect(toolResults(provider.ledger[from + 1]?.body.messages)).toMatchObject([
      { tool_use_id: 't1', content: text('paid 4') },
      { tool_use_id: 't2', content: text('denied by'), is_error: true },
    ]);
  });

  it('ends the run for a NonRetriableError of a tool', async () => {
    provider.answers({ toolCalls: [call('t1', 'stop', {})] });
    const { runId } = await site.trigger('clerk');
    expect(await site.ended(runId)).toMatchObject({
      status: 'failed',
      error: { name: 'NonRetriableError', message: 'stolen card' },
    });
  });

  it('ends with a MaxTurnsError', async () => {
    provider.answers(...Array.from({ length: 3 }, (_, n) => ({ toolCalls: [call(`t${n}`, 'add', { a: n })] })));
    const { runId } = await site.trigger('clerk');
    expect(await site.ended(runId)).toMatchObject({ status: 'failed', error: { name: 'MaxTurnsError' } });
  });
});

const call = (id: string, name: string, input: unknown) => ({ id, name, input });
const text = (part: string) =>
  expect.toSatisfy((content) => JSON.stringify(content).includes(JSON.stringify(part).slice(1, -1)));

/** The content of the last message. */
function toolResults(messages: unknown): unknown {
  const last: { content: unknown } | undefined = Array.isArray(messages) ? messages.at(-1) : undefined;
  return last?.content;
}

function define(hf: Holdfast): void {
  const pack = hf.workflow({ id: 'pack' }, ({ event, step }) =>
    step.run('wrap', () => `packed ${(event.data as { id: string }).id}`),
  );
  hf.workflow({ id: 'clerk' }, async ({ step }) => {
    const { object, turns } = await step.ai.agent('clerk', {
      model: 'm',
      prompt: 'add',
      maxTurns: 3,
      output: z.object({ sum: z.number() }),
      tools: {
        add: {
          inputSchema: z.object({ a: z.number() }),
          execute({ a }) {
            added.push(a);
            return a + 1;
          },
        },
        fail: { inputSchema: z.object({}), execute: () => Promise.reject(new Error('out of paper')) },
        stop: { inputSchema: z.object({}), execute: () => Promise.reject(new NonRetriableError('stolen card')) },
        pack: { inputSchema: z.object({ id: z.string() }), workflow: pack },
      },
    });
    return { object, turns };
  });
  hf.workflow({ id: 'cashier' }, async ({ step }) => {
    const inputSchema = z.object({ cents: z.number() });
    const tools = { refund: { inputSchema, approval: { risk: 'high' }, execute: paid } };
    const { text } = await step.ai.agent('cashier', { model: 'm', prompt: 'refund', tools });
    return text;
  });
}

const paid = ({ cents }: { cents: number }): string => `paid ${cents}`;
