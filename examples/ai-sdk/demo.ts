import { createAnthropic } from '@ai-sdk/anthropic';
import { eventType, Holdfast } from '@holdfast/sdk';
import { FakeProvider, type MessagesRequest, type Turn, toolResults } from '../models/fakeProvider.ts';
import { leftBehind } from '../service/leftBehind.ts';
import { runDemo, untilAborted } from '../service/runDemo.ts';
import { findOrStartService } from '../service/service.ts';
import { travelAgent } from './travelAgent.ts';

const tripWanted = eventType<{ cities: string[] }>('trip.wanted');

/** Runs an agent of the AI SDK in a workflow, against a provider on this machine. */
async function demo(signal: AbortSignal): Promise<void> {
  await using provider = await FakeProvider.start(travelModel);
  const service = await findOrStartService();
  try {
    console.log(`${service.isOurs ? 'started a service' : 'using the service'} at ${service.baseUrl}`);
    const hf = new Holdfast({ baseUrl: service.baseUrl, apiKey: service.apiKey, app: 'travel' });
    const anthropic = createAnthropic({ baseURL: `${provider.baseUrl}/v1`, apiKey: 'none needed' });
    const agent = travelAgent(anthropic('claude-sonnet-4-5'));
    let passes = 0;

    hf.workflow(
      { id: 'recommend a trip', triggers: [tripWanted], retry: { maxAttempts: 3, initialDelayMs: 200 } },
      async ({ event }) => {
        passes += 1;
        const { text } = await agent.generate({ prompt: `Which is warmer: ${event.data.cities.join(' or ')}?` });
        return { text };
      },
    );

    await using runner = hf.connect({ runner: 'travel', signal });
    await untilAborted(runner.ready, signal);
    const sent = await hf.events.send({ name: tripWanted, data: { cities: ['Rome', 'Oslo'] } });
    const runId = sent.triggered[0]?.runId ?? '';
    const run = await untilAborted(hf.runs.wait(runId), signal);
    for (const { name, attempt, status } of await hf.runs.steps(runId)) {
      console.log(`  ${name}, attempt ${attempt}: ${status}`);
    }
    if (run.status !== 'succeeded') throw new Error(`the run ${run.status}: ${run.error?.message}`);
    console.log(`the handler ran ${passes} times; the provider was asked ${provider.requests} times`);
    console.log(`the result: ${JSON.stringify(run.result)}`);
    console.log(leftBehind(service, hf.app, [runId]).join('\n'));
  } finally {
    await service.stop();
  }
}

/** Asks for the weather of both cities, and then answers. */
function travelModel(request: MessagesRequest): Turn {
  const forecasts = toolResults(request);
  if (forecasts.length > 0) return { text: `Go to Rome. I compared ${forecasts.join(' and ')}.` };
  return { calls: ['Rome', 'Oslo'].map((city) => ({ name: 'forecast', input: { city } })) };
}

await runDemo(demo);
