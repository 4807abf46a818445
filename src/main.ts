// The entry point: `node dist/src/main.js`, or `npm start`.
import { pino } from 'pino';
import { maxInt32 } from './engine/settings.ts';
import { explain } from './explain.ts';
import { createLog, type LogOutput } from './log.ts';
import { ListenError } from './server.ts';
import { type Service, startService } from './service.ts';
import { loadSettings, type Settings } from './settings.ts';

/**
 * The process exits after this time, even if parts are still stopping. Model calls in flight may go
 * on for a time of their own before.
 */
const stopWithinMs = ({ roles, engine }: Settings): number =>
  9_500 + (roles.has('inference') ? engine.inference.drainMs : 0);

/** Logs go to standard error: standard output is for people. */
function standardError(): LogOutput {
  const stream = pino.destination({ dest: 2, sync: true });
  // Writing to a closed terminal fails. The service must still stop in order.
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
  const limitMs = Math.min(stopWithinMs(settings), maxInt32);
  const tooLate = setTimeout(() => {
    log.error(`not all parts stopped within ${limitMs} ms`);
    process.exit(1);
  }, limitMs);
  await service.stop();
  clearTimeout(tooLate);
  log.info('stopped');
}

/**
 * Resolves with the first stop signal. A second one ends the process at once. A second SIGHUP does
 * not, because a closing terminal sends several.
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

function announce({ baseUrl, consoleUrl, keysFile, embeddedDirectory }: Service, { roles }: Settings): void {
  const lines = [
    ['API', baseUrl],
    ...(consoleUrl === undefined ? [] : [['Console', consoleUrl]]),
    ['Keys', keysFile ?? 'created by the operator'],
    ['Database', embeddedDirectory ?? 'from DATABASE_URL'],
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
// Ends the process even if a timer or socket was left open.
process.exit();
