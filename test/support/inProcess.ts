import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import type { Keys } from '../../src/keysFile.ts';
import { type Service, startService } from '../../src/service.ts';
import { loadSettings } from '../../src/settings.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

export interface ServiceInProcess {
  url: string;
  keys: Keys;
  /** Its log so far, of all levels. */
  log: string;
}

/**
 * A service in this process, on a database of its own, for all tests of a file or of a `describe`.
 * Available when their hooks run.
 */
export function useServiceInProcess(env: Record<string, string>): ServiceInProcess {
  let service: Service;
  let database: TestDatabase;
  let dataDir: string;
  const it = { url: '', keys: { baseUrl: '', operatorKey: '', projectId: '', secretKey: '', publicKey: '' }, log: '' };
  const log = pino({ level: 'trace' }, { write: (line: string) => (it.log += line) });
  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'holdfast service '));
    const usual = { DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: '0', ALLOW_UNSAFE_DATABASE: 'true' };
    service = await startService(loadSettings({ ...usual, ...env }), log);
    it.url = service.baseUrl;
    it.keys = JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8'));
  });
  afterAll(async () => {
    await service.stop();
    await rm(dataDir, { recursive: true, force: true });
    await database.drop();
  });
  return it;
}
