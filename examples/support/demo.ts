import { setTimeout as delay } from 'node:timers/promises';
import { type Approval, Holdfast } from '@holdfast/sdk';
import { FakeProvider, type MessagesRequest, type Turn, toolResults } from '../models/fakeProvider.ts';
import { runDemo, untilAborted } from '../service/runDemo.ts';
import { startPassingService } from '../service/service.ts';
import { customerWrote, defineSupport } from './supportAgent.ts';

/**
 * Runs a support agent against a provider on this machine. The service calls the model, so it is
 * started with the provider's address. The demo plays the person who approves the refund.
 */
async function demo(signal: AbortSignal): Promise<void> {
  await using provider = await FakeProvider.start(supportModel);
  const service = await startPassingService({ ANTHROPIC_BASE_URL: provider.baseUrl, ANTHROPIC_API_KEY: 'none needed' });
  try {
    console.log(`started a service at ${service.baseUrl}`);
    const hf = new Holdfast({ baseUrl: service.baseUrl, apiKey: service.apiKey, app: 'support' });
    defineSupport(hf);
    await using runner = hf.connect({ runner: 'support', signal });
    await untilAborted(runner.ready, signal);

    const text = 'The kettle of order o-17 leaks. I want my money back.';
    const sent = await hf.events.send({ name: customerWrote, data: { text } });
    const runId = sent.triggered[0]?.runId ?? '';
    console.log(`the customer wrote: ${text}`);

    const asked = await untilAsked(hf, runId, signal);
    console.log(`the agent asks to ${asked.summary}; it may refund half`);
    await hf.approvals.decide(asked.id, { status: 'approved', args: { orderId: 'o-17', cents: 2450 } });

    const run = await untilAborted(hf.runs.wait(runId), signal);
    for (const { name, status } of await hf.runs.steps(runId)) console.log(`  ${name}: ${status}`);
    if (run.status !== 'succeeded') throw new Error(`the run ${run.status}: ${run.error?.message}`);
    console.log(`the provider was asked ${provider.requests} times`);
    console.log(`the result: ${JSON.stringify(run.result)}`);
  } finally {
    await service.stop();
  }
}

/** The approval that the run waits for. */
async function untilAsked(hf: Holdfast, runId: string, signal: AbortSignal): Promise<Approval> {
  for (;;) {
    const [approval] = await hf.approvals.list({ runId, status: 'pending' });
    if (approval) return approval;
    const { status, error } = await hf.runs.get(runId);
    if (status === 'failed') throw new Error(`the run failed: ${error?.message}`);
    await delay(100, undefined, { signal });
  }
}

/** Looks up the order, asks for the refund, and tells the customer of it. */
function supportModel(request: MessagesRequest): Turn {
  const [result] = toolResults(request);
  if (result === undefined) return { calls: [{ name: 'find_order', input: { orderId: 'o-17' } }] };
  if (result.includes('kettle')) return { calls: [{ name: 'refund', input: { orderId: 'o-17', cents: 4900 } }] };
  return {
    text: result.includes('receipt') ? 'I am sorry. Half of the price is on its way.' : 'I cannot refund that.',
  };
}

await runDemo(demo);
