import { Agent, request } from 'undici';

/** The loop of the workflow `turns` without durability. Returns the milliseconds. */
export async function plainAgent(url: string, { model, turns }: { model: string; turns: number }): Promise<number> {
  const agent = new Agent();
  const startedAt = performance.now();
  for (let turn = 0; turn < turns; turn += 1) {
    const body = JSON.stringify({ model, max_tokens: 100, messages: [{ role: 'user', content: `turn ${turn}` }] });
    const headers = { 'content-type': 'application/json' };
    const answer = await request(`${url}/v1/messages`, { method: 'POST', headers, body, dispatcher: agent });
    await answer.body.text();
    await Promise.all(['a', 'b'].map(async (tool) => ({ turn, tool })));
  }
  const tookMs = performance.now() - startedAt;
  await agent.close();
  return tookMs;
}
