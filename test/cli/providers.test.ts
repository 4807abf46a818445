import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/runCli.ts';
import { readProviderKey } from '../../src/engine/secrets/index.ts';
import { createTestProject, useEngine } from '../support/engine.ts';

const operatorKey = 'an-operator-key-of-tests';
const test = useEngine({ settings: { operatorKey } });
const apiKey = 'sk-on-standard-input-4321';
let projectId: string;

beforeAll(async () => {
  projectId = await createTestProject(test.engine);
});

/** Runs `holdfast providers`, perhaps with something on standard input. */
async function providers(args: string[], input?: string, env: Record<string, string> = {}) {
  const settings = { DATABASE_URL: test.url, OPERATOR_KEY: operatorKey, ALLOW_UNSAFE_DATABASE: 'true' };
  let out = '';
  const write = (text: string): void => {
    out += text;
  };
  const code = await runCli(['providers', ...args, '--project', projectId], {
    env: { ...settings, ...env },
    out: write,
    err: write,
    ...(input !== undefined && { input: Readable.from([Buffer.from(input)]) }),
  });
  return { code, out };
}

const stored = (provider: string) => readProviderKey(test.engine, { projectId, provider });

describe('holdfast providers', () => {
  it('sets a key from standard input, lists it without the key, and removes it', async () => {
    const set = await providers(['set', 'openai'], `${apiKey}\n`);
    expect(set).toMatchObject({ code: 0, out: expect.stringContaining('set the key of openai') });
    expect(await stored('openai')).toMatchObject({ apiKey });
    const { out } = await providers(['list'], undefined, { ANTHROPIC_API_KEY: 'sk-ant-of-the-settings' });
    expect(out).toMatch(/openai +project +…4321/);
    expect(out).toMatch(/anthropic +settings +…ings/);
    expect(set.out + out).not.toContain(apiKey);
    expect(await providers(['remove', 'openai'])).toMatchObject({ code: 0 });
    expect(await stored('openai')).toBeUndefined();
    expect(await providers(['remove', 'openai'])).toEqual({ code: 1, out: 'holdfast: provider key not found\n' });
  });

  it('sets a key from an environment variable, with a base URL', async () => {
    const url = 'http://127.0.0.1:1/v1';
    const args = ['set', 'local', '--key-env', 'LOCAL_KEY', '--base-url', url];
    expect(await providers(args, undefined, { LOCAL_KEY: 'the-key-of-local' })).toMatchObject({ code: 0 });
    expect(await stored('local')).toEqual({ apiKey: 'the-key-of-local', baseUrl: url });
  });

  it('sets no key without an operator key, and says where it looks for one', async () => {
    const none = { OPERATOR_KEY: '', DATA_DIR: '/nowhere/holdfast' };
    expect(await providers(['set', 'openai'], apiKey, none)).toEqual({
      code: 1,
      out: expect.stringMatching(
        /^holdfast: no operator key to seal the key with: set OPERATOR_KEY, or DATA_DIR .*\n$/,
      ),
    });
  });

  it.each([
    [['set', 'openai'], 'there is no key on standard input'],
    [['set', 'openai', '--key-env', 'NO_SUCH_VARIABLE'], 'the environment variable NO_SUCH_VARIABLE is empty'],
    [['check', 'groq'], 'inference is not configured'],
  ])('%j fails with a reason', async (args, reason) => {
    const { code, out } = await providers(args);
    expect(code).toBe(1);
    expect(out).toContain(reason);
  });

  it('checks a provider, and ends with 1 if it does not take the key', async () => {
    await providers(['set', 'closed', '--base-url', 'http://127.0.0.1:1'], apiKey);
    const { code, out } = await providers(['check', 'closed']);
    expect(code).toBe(1);
    expect(out).toMatch(
      /^closed does not take the key: the provider refused the connection \(ECONNREFUSED\) \(\d+ ms\)/,
    );
  });
});
