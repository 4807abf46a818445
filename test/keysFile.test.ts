import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureKeys, type KeysWanted, readKeys } from '../src/keysFile.ts';
import { httpDouble, json } from './sdk/support/httpDouble.ts';
import { createTestProject, useEngine } from './support/engine.ts';

const test = useEngine();

describe('the address in keys.json', () => {
  const other = 'http://127.0.0.1:4401';
  let dataDir: string;
  let projectId: string;
  let publicKey: string | undefined;
  /** A service that is live, with an API. */
  let live: Awaited<ReturnType<typeof httpDouble>>;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'holdfast keys '));
    projectId = await createTestProject(test);
    live = await httpDouble(({ headers }, response) => {
      if (headers.authorization === `Bearer ${publicKey}`) json(response, 200, []);
      else json(response, 401, { error: 'API key missing or unknown' });
    });
    ({ publicKey } = await ensure(live.url, 'unlessLive'));
  });
  afterEach(async () => {
    await rm(dataDir, { recursive: true, force: true });
  });

  const ensure = (baseUrl: string, replaces: KeysWanted['replaces']) =>
    ensureKeys(test.engine, { dataDir, projectId, baseUrl, replaces });
  const written = async (): Promise<string | undefined> => (await readKeys(dataDir))?.baseUrl;

  it('is not replaced by that of a process without an API', async () => {
    await ensure(other, 'never');
    expect(await written()).toBe(live.url);
  });

  it('is not replaced while a service answers there that takes its keys', async () => {
    await ensure(other, 'unlessLive');
    expect(await written()).toBe(live.url);
  });

  it('is replaced when nobody answers there, or only somebody who does not take its keys', async () => {
    publicKey = 'hf_pk_of-another';
    await ensure(other, 'unlessLive');
    expect(await written()).toBe(other);
    await ensure(live.url, 'always');
    await live.stop();
    await ensure(other, 'unlessLive');
    expect(await written()).toBe(other);
  });

  it('is replaced by one that was set', async () => {
    await ensure('https://holdfast.example.com', 'always');
    expect(await written()).toBe('https://holdfast.example.com');
  });

  it('is that of a process without an API only as long as there is no other', async () => {
    await rm(join(dataDir, 'keys.json'));
    await ensure(other, 'never');
    expect(await written()).toBe(other);
    await ensure(live.url, 'unlessLive');
    expect(await written()).toBe(live.url);
  });
});
