// The entry point: `node dist/src/main.js`, or `npm start`.
import { pino } from 'pino';
import { explain } from './explain.ts';
import { createLog, type LogOutput } from './log.ts';
import { ListenError } from './server.ts';
import { type Service, startService } from './service.ts';
import { loadSettings, type Settings } from './settings.ts';

/** Everything is stopped by then, or the process ends all the same. */
const stopWithinMs = 9_500;

/** Logs go to standard error: standard output is for people. */
function standardError(): LogOutput {
  const stream = pino.destination({ dest: 2, sync: true });
  // A terminal that was closed takes no more lines: that is no reason to stop halfway.
  stream.on('error', () => undefined);
  const { isTTY } = process.stderr;
  return { stream, isTerminal: isTTY, hasColors: isTTY && process.stderr.hasColors() };
}

async function main(): Promise<void> {
  const settings = loadSettings(process.env);
  const log = createLog(settings, standardError());
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

/**
 * Resolves with the first request to stop. The second one ends the process at once, unless it says
 * that the terminal closed: of that a process hears from several sides.
 */
function whenAskedToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (asked && signal === 'SIGHUP') return;
      if (asked) process.exit(signal === 'SIGINT' ? 130 : 143);
      asked = true;
      resolve(signal);
    };
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal);
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

try {
  await main();
} catch (error) {
  console.error(`Holdfast cannot start: ${error instanceof ListenError ? error.message : explain(error)}`);
  process.exitCode = 1;
}
// Nothing that was forgotten may keep a stopped process alive.
process.exit();
