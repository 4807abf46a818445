import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { createEngine } from '../engine/assembly/index.ts';
import type { EngineContext } from '../engine/context.ts';
import { startEmbedded } from '../engine/db/embedded/index.ts';
import { migrateDatabase } from '../engine/db/migrations/index.ts';
import { openDatabase } from '../engine/db/pool/index.ts';
import { flushKeyUsage } from '../engine/keys/index.ts';
import { readKeys } from '../keysFile.ts';
import { loadSettings, type Settings } from '../settings.ts';
import { CliError } from './cliError.ts';
import type { Terminal } from './terminal.ts';

/**
 * A service's name would keep the embedded database running. Sessions end a moment after they are
 * closed, so this name must differ.
 */
const applicationName = 'cli of holdfast';

export interface ConnectOptions {
  /** Whether to migrate an outdated database. */
  prepare: boolean;
  /**
   * Whether to create a missing embedded database. Default: as `prepare`. A command that can only
   * find something there creates none: the folder is the wrong one.
   */
  create?: boolean;
}

/**
 * Runs `work` on the database of the service, whether the service is running or not. That is
 * DATABASE_URL, or the embedded database, which is started for the time of the command if needed.
 */
export async function withEngine<T>(
  terminal: Terminal,
  { prepare, create = prepare }: ConnectOptions,
  work: (engine: EngineContext, settings: Settings) => Promise<T>,
): Promise<T> {
  const settings = loadSettings({ LOG_LEVEL: 'warn', ...terminal.env });
  const log = pino({ level: settings.logLevel }, { write: (line: string) => terminal.err(line) });
  const { url, release } = await findDatabase(settings, create);
  try {
    if (prepare) await migrateDatabase({ url, log });
    // Without a limit: the doctor has its own time limits, and the user sees the wait.
    const db = await openDatabase({ url, log, max: 2, applicationName, answerMs: 0 });
    try {
      const operatorKey = settings.engine.operatorKey || (await keptOperatorKey(settings));
      const engine = createEngine({ db, log, settings: { ...settings.engine, operatorKey } });
      const result = await work(engine, settings);
      await flushKeyUsage(engine);
      return result;
    } finally {
      await db.close();
    }
  } finally {
    await release();
  }
}

async function findDatabase(
  { databaseUrl, dataDir, allowUnsafeDatabase }: Settings,
  create: boolean,
): Promise<{ url: string; release: () => Promise<void> }> {
  if (databaseUrl !== undefined) return { url: databaseUrl, release: async () => undefined };
  const directory = join(dataDir, 'pg');
  if (!create && !existsSync(join(directory, 'PG_VERSION'))) {
    throw new CliError(
      `there is no database in ${dataDir} yet: start the service first, or set DATABASE_URL or DATA_DIR`,
    );
  }
  const embedded = await startEmbedded({ directory, isDurable: !allowUnsafeDatabase });
  // A database that a service uses keeps running; otherwise it stops.
  return { url: embedded.url, release: () => embedded.stop() };
}

const keptOperatorKey = async ({ isProduction, dataDir }: Settings): Promise<string> =>
  isProduction ? '' : ((await readKeys(dataDir))?.operatorKey ?? '');
