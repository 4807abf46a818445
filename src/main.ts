// The entry point: `node dist/src/main.js`, or `npm start`.
import { type Logger, pino, stdSerializers } from 'pino';
import { DurabilityError } from './engine/db/durability.ts';
import { EmbeddedDatabaseError } from './engine/db/embedded/index.ts';
import { MigrationError } from './engine/db/migrate.ts';
import { KeysFileError } from './keysFile.ts';
import { ListenError } from './server.ts';
import { type Service, startService } from './service.ts';
import { type LogLevel, loadSettings, type Settings, SettingsError } from './settings.ts';

/** Everything is stopped by then, or the process ends all the same. */
const stopWithinMs = 9_500;

/** Reasons not to start that people can do something about: their message says it all. */
const explained = [SettingsError, EmbeddedDatabaseError, MigrationError, DurabilityError, KeysFileError, ListenError];

function createLogger(level: LogLevel): Logger {
  const serializers = { err: stdSerializers.err, error: stdSerializers.err };
  // Logs go to standard error: standard output is for people.
  return pino({ level, serializers }, pino.destination({ dest: 2, sync: true }));
}

async function main(): Promise<void> {
  const settings = loadSettings(process.env);
  const log = createLogger(settings.logLevel);
  const stopRequested = whenAskedToStop();
  const service = await startService(settings, log);
  announce(service, settings);
  const signal = await stopRequested;
  log.info({ signal }, 'stopping');
  const tooLate = setTimeout(() => {
    log.error(`not everything stopped within ${stopWithinMs} ms`);
    process.exit(1);
  }, stopWithinMs);
  await service.stop();
  clearTimeout(tooLate);
  log.info('stopped');
}

/** Resolves with the first request to stop. The second one ends the process at once. */
function whenAskedToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (asked) process.exit(signal === 'SIGINT' ? 130 : 143);
      asked = true;
      resolve(signal);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

function announce({ baseUrl, keysFile, embeddedDirectory }: Service, { roles }: Settings): void {
  const lines = [
    ['API', baseUrl],
    ['Console', `${baseUrl}/console`],
    ['Keys', keysFile ?? 'issued by the operator'],
    ['Database', embeddedDirectory ?? 'as DATABASE_URL says'],
    ['Roles', [...roles].join(', ')],
  ];
  console.log(`Holdfast is ready.\n${lines.map(([name = '', value]) => `  ${name.padEnd(10)}${value}`).join('\n')}`);
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (explained.some((kind) => error instanceof kind)) return error.message;
  const code = 'code' in error ? String(error.code) : '';
  // Refused or lost connections, wrong credentials, an unknown database.
  if (/^(E[A-Z]+|28\w{3}|3D000|08\w{3}|57P03|53300)$/.test(code)) {
    return `cannot use the database: ${error.message || code}. Check DATABASE_URL, and that PostgreSQL runs`;
  }
  return error.stack ?? error.message;
}

try {
  await main();
} catch (error) {
  console.error(`Holdfast cannot start: ${explain(error)}`);
  process.exitCode = 1;
}
// Nothing that was forgotten may keep a stopped process alive.
process.exit();
