// The process that hosts all handlers. Forked by runner.ts, which it tells how far they are.
import { Holdfast } from '@holdfast/sdk';
import type { RunnerMessage, RunnerOptions } from './runner.ts';
import { app as benchApp, defineWorkflows } from './workflows.ts';

/** A connection that a workload breaks is no news. */
const silent = { info() {}, warn() {}, error() {} };

const finished = new Set<number>();
let telling: NodeJS.Timeout | undefined;
let letGo = (): void => undefined;

const tell = (message: RunnerMessage): void => void process.send?.(message);

/** At most every 5 ms, so that counting costs next to nothing. */
function tellSoon(): void {
  if (telling !== undefined) return;
  telling = setTimeout(() => {
    telling = undefined;
    tell({ kind: 'finished', count: finished.size });
  }, 5);
}

function noteFinished(i: number): void {
  finished.add(i);
  tellSoon();
}

function holdOn(step: number): Promise<void> {
  tell({ kind: 'held', step });
  return new Promise((resolve) => {
    letGo = resolve;
  });
}

async function connect({ baseUrl, apiKey, app = benchApp, runner, maxInFlight }: RunnerOptions): Promise<void> {
  const client = new Holdfast({ baseUrl, apiKey, app, logger: silent });
  defineWorkflows(client, { finished: noteFinished, gate: holdOn });
  const connection = client.connect({ runner, maxInFlight });
  await connection.ready;
  process.on('message', (message) => {
    if (message === 'forget') {
      finished.clear();
      tell({ kind: 'forgotten' });
    } else if (message === 'letGo') {
      letGo();
    } else if (message === 'stop') {
      void connection.close().finally(() => process.exit());
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
