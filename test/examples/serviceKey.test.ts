import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyFor } from '../../examples/service/serviceKey.ts';
import { httpDouble, json } from '../sdk/support/httpDouble.ts';

describe('the demo, at a service that is already there', () => {
  let dataDir: string;
  let service: Awaited<ReturnType<typeof httpDouble>>;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'holdfast keys '));
    service = await httpDouble(({ headers }, response) => {
      if (headers.authorization === 'Bearer hf_pk_of-it') json(response, 200, []);
      else json(response, 401, { error: 'API key missing or unknown' });
    });
  });
  afterEach(async () => {
    await rm(dataDir, { recursive: true, force: true });
  });

  const keep = (publicKey: string): Promise<void> => {
    const keys = { baseUrl: 'http://localhost:4400', secretKey: 'hf_sk_of-it', publicKey };
    return writeFile(join(dataDir, 'keys.json'), JSON.stringify(keys));
  };

  it('uses the key that the service takes, under whatever name it is called', async () => {
    await keep('hf_pk_of-it');
    expect(await keyFor(service.url, { DATA_DIR: dataDir })).toBe('hf_sk_of-it');
    expect(service.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer hf_pk_of-it']);
  });

  it('says what to set where there is no key, or one of another service', async () => {
    await expect(keyFor(service.url, { DATA_DIR: dataDir })).rejects.toThrow('set HOLDFAST_API_KEY');
    await keep('hf_pk_of-another');
    await expect(keyFor(service.url, { DATA_DIR: dataDir })).rejects.toThrow('set HOLDFAST_API_KEY');
    expect(await keyFor(service.url, { DATA_DIR: dataDir, HOLDFAST_API_KEY: 'hf_sk_given' })).toBe('hf_sk_given');
  });
});
