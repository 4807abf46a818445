// The process that executes all handlers. runner.ts forks it and receives its progress.
import { Holdfast } from '@holdfast/sdk';
import type { RunnerMessage, RunnerOptions } from './runner.ts';
import { app as benchApp, defineWorkflows } from './workflows.ts';

/** Workloads break connections on purpose, so the log is silent. */
const silent = { info() {}, warn() {}, error() {} };

const finished = new Set<number>();
let telling: NodeJS.Timeout | undefined;
let letGo = (): void => undefined;

const tell = (message: RunnerMessage): void => void process.send?.(message);

/** At most every 5 ms, so that counting costs almost nothing. */
function reportSoon(): void {
  if (telling !== undefined) return;
  telling = setTimeout(() => {
    telling = undefined;
    tell({ kind: 'finished', count: finished.size });
  }, 5);
}

function noteFinished(i: number): void {
  finished.add(i);
  reportSoon();
}

function holdOn(step: number): Promise<void> {
  tell({ kind: 'held', step });
  return new Promise((resolve) => {
    letGo = resolve;
  });
}

function open({ baseUrl, apiKey, app = benchApp, runner, maxInFlight }: RunnerOptions) {
  const client = new Holdfast({ baseUrl, apiKey, app, logger: silent });
  defineWorkflows(client, { finished: noteFinished, gate: holdOn });
  return client.connect({ runner, maxInFlight });
}

async function connect({ sockets, runner, ...options }: RunnerOptions): Promise<void> {
  const names =
    sockets === undefined
      ? [runner]
      : Array.from({ length: sockets }, (_, number) => `${runner ?? 'runner'}-${number}`);
  const connections = names.map((name) => open({ ...options, runner: name }));
  await Promise.all(connections.map(({ ready }) => ready));
  process.on('message', (message) => {
    if (message === 'forget') {
      finished.clear();
      tell({ kind: 'forgotten' });
    } else if (message === 'letGo') {
      letGo();
    } else if (message === 'stop') {
      void Promise.all(connections.map((each) => each.close())).finally(() => process.exit());
    }
  });
}

process.on('disconnect', () => process.exit(1));
try {
  await connect(JSON.parse(process.argv[2] ?? '{}'));
  tell({ kind: 'ready' });
} catch (error) {
  tell({ kind: 'failed', reason: String(error) });
}
