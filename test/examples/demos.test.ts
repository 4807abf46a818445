import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../support/build.ts';
import { get, useServices } from '../support/services.ts';

/** Runs a demo without any key of a provider, and returns its output. */
async function demo(name: string, env: Record<string, string> = {}): Promise<{ code: unknown; output: string }> {
  const { HOLDFAST_URL: _url, HOLDFAST_API_KEY: _key, ANTHROPIC_API_KEY: _provider, ...outer } = process.env;
  const child = spawn(process.execPath, [join(projectRoot, 'dist/examples', name, 'demo.js')], {
    env: { ...outer, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}

/** The role that calls models. Without it, a model call of the service never ends. */
const callsModels = existsSync(join(projectRoot, 'src/workers/inference/index.ts'));

describe('the examples of agents, without any key of a provider', () => {
  const services = useServices();

  it('make an agent of the AI SDK durable', async () => {
    const { baseUrl, keys } = await services.start();
    const { code, output } = await demo('ai-sdk', { HOLDFAST_URL: baseUrl, HOLDFAST_API_KEY: keys.secretKey });
    expect(output).toContain('the provider was asked 2 times');
    expect(output).toContain('forecast, attempt 2: succeeded');
    expect(output).toContain('Go to Rome');
    expect(code).toBe(0);
  });

  it.runIf(callsModels)('have a person approve a refund', async () => {
    const { code, output } = await demo('support');
    expect(output).toContain('the agent asks to refund 49.00 € of order o-17');
    expect(output).toContain('support/2/refund: succeeded');
    expect(output).toContain('the provider was asked 3 times');
    expect(output).toContain('Half of the price is on its way');
    expect(code).toBe(0);
  });
});

describe('a demo', { timeout: 180_000 }, () => {
  const services = useServices();

  it('uses the service that keys.json names, and says where its runs can be looked at', async () => {
    const service = await services.start();
    const { code, output } = await demo('github', { DATA_DIR: services.dataDir });
    expect(output).toContain(`using the service at ${service.baseUrl}`);
    expect(code).toBe(0);
    const [, runId = ''] = /npx holdfast runs get (\S+)/.exec(output) ?? [];
    expect(await get(service, `/runs/${runId}`).then((answer) => answer.json())).toMatchObject({ status: 'succeeded' });
    const [, query = ''] = /(\/graphql\?query=\S+)/.exec(output) ?? [];
    const { data, errors } = await get(service, query).then((answer) => answer.json());
    expect(errors).toBeUndefined();
    expect(data.runs.nodes).toHaveLength(8);
  });

  it('that starts a service leaves its runs to the next start', async () => {
    const { code, output } = await demo('ai-sdk', { DATA_DIR: services.dataDir, PORT: '0' });
    expect(output).toContain('started a service');
    expect(output).toContain('after `npm start`');
    expect(code).toBe(0);
    const [, runId = ''] = /npx holdfast runs get (\S+)/.exec(output) ?? [];
    const service = await services.start();
    expect((await get(service, `/runs/${runId}`)).status).toBe(200);
  });
});
