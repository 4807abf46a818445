import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/engine/db/embedded/index.ts';
import { migrateDatabase } from '../src/engine/db/migrations/migrate.ts';

/**
 * Runs `work` on a database that holds what the migrations make, and nothing else; it is gone
 * afterwards.
 */
export async function withMigratedDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-scratch-'));
  const settings = { fsync: 'off', synchronous_commit: 'off' };
  const server = await startEmbedded({ directory: join(folder, 'pg'), settings, isDurable: false });
  try {
    await migrateDatabase({ url: server.url });
    return await work(server.url);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
