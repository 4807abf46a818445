import { expect, vi } from 'vitest';
import type { ConsoleSite } from './consoleSite.ts';

/** Adds a run with 300 steps and 1200 log lines, more than a page of them. Answers its id. */
export async function addChatty(site: ConsoleSite): Promise<string> {
  const radio = site.client('radio');
  radio.workflow({ id: 'talk', triggers: [{ event: 'talk' }] }, async ({ log, step }) => {
    await Promise.all(Array.from({ length: 300 }, (_, n) => step.run(`part ${n}`, () => n)));
    for (let n = 1; n <= 1_200; n += 1) log.info(`line ${n} of it`);
  });
  await site.connect(radio, 'radio-1');
  const { runId } = await radio.workflows.trigger({ app: 'radio', name: 'talk' }, { input: {} });
  if (!runId) throw new Error('the workflow has not started');
  const status = async (): Promise<string> => (await radio.runs.get(runId)).status;
  await vi.waitFor(async () => expect(await status()).toBe('succeeded'), { timeout: 60_000, interval: 100 });
  return runId;
}
