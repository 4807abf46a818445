import { type Logger, pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { createEngine } from '../../src/engine/assembly/createEngine.ts';
import { type Clock, systemClock } from '../../src/engine/clock.ts';
import type { EngineContext } from '../../src/engine/context.ts';
import type { Database } from '../../src/engine/db/database.ts';
import { newId } from '../../src/engine/ids.ts';
import type { EngineSettings } from '../../src/engine/settings.ts';
import { createTestDatabase } from './database.ts';

export interface TestEngine {
  engine: EngineContext;
  db: Database;
  url: string;
}

/** An engine that its creator closes. */
export interface OwnedEngine extends TestEngine {
  /**
   * Drops the database. Throws if the test leaked a connection, or if an illegal transition was
   * logged.
   */
  close(): Promise<void>;
}

export interface TestEngineOptions {
  settings?: Partial<EngineSettings>;
  clock?: Clock;
  /** Is called with each line of the log, down to the level `trace`. */
  onLog?: (line: string) => void;
}

/** An engine on a database of its own. */
export async function createTestEngine({
  settings,
  clock = systemClock,
  onLog,
}: TestEngineOptions = {}): Promise<OwnedEngine> {
  const { db, url, drop } = await createTestDatabase();
  const { log, illegal } = watchedLog(onLog);
  const testSettings = { operatorKey: 'test operator key', allowPrivateTargets: true, ...settings };
  const engine = createEngine({ db, log, clock, settings: testSettings });
  const close = async (): Promise<void> => {
    await drop();
    if (illegal.length > 0) throw new Error(illegal.join(''));
  };
  return { engine, db, url, close };
}

/**
 * A log that collects the lines of illegal transitions, and shows nothing unless TEST_LOG names a
 * level.
 */
function watchedLog(onLog?: (line: string) => void): { log: Logger; illegal: string[] } {
  const level = process.env['TEST_LOG'];
  const illegal: string[] = [];
  const write = (line: string): void => {
    onLog?.(line);
    if (level !== undefined) process.stdout.write(line);
    if (line.includes('"illegal transition')) illegal.push(line);
  };
  return { log: pino({ level: onLog ? 'trace' : (level ?? 'error') }, { write }), illegal };
}

/**
 * An engine on a database of its own, for all tests of a file or of a `describe`. Available when
 * their hooks run.
 */
export function useEngine(options?: TestEngineOptions): TestEngine {
  let test: OwnedEngine | undefined;
  const opened = (): TestEngine => {
    if (!test) throw new Error('the engine is there in hooks and in tests');
    return test;
  };
  beforeAll(async () => {
    test = await createTestEngine(options);
  });
  afterAll(() => test?.close());
  return {
    get engine() {
      return opened().engine;
    },
    get db() {
      return opened().db;
    },
    get url() {
      return opened().url;
    },
  };
}

/** Inserts a project with a unique name, and returns its id. */
export async function createTestProject({ db }: Pick<EngineContext, 'db'>): Promise<string> {
  const id = newId();
  await db.prisma.project.create({ data: { id, name: `test ${id}` } });
  return id;
}
