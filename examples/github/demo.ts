import { Holdfast } from '@holdfast/sdk';
import { Board } from './board.ts';
import { pullRequestEvents, type WebhookEvent } from './payloads.ts';
import { findOrStartService } from './service.ts';
import { askForReview, defineWorkflows, pullRequestClosed, pullRequestOpened, untilClosed } from './workflows.ts';

/** The demo fails after this time instead of hanging. */
const timeLimitMs = 120_000;

/** Sends GitHub's example webhooks to the service, and prints the runs until they have ended. */
async function demo(signal: AbortSignal): Promise<void> {
  const events = await pullRequestEvents();
  const service = await findOrStartService();
  try {
    const hf = new Holdfast({ baseUrl: service.baseUrl, apiKey: service.apiKey, app: 'github' });
    const board = new Board(hf, signal);
    board.print(`${service.isOurs ? 'started a service' : 'using the service'} at ${service.baseUrl}`);
    const { assignReviewers } = defineWorkflows(hf);
    await using runner = hf.connect({ runner: 'demo', signal });
    await untilAborted(runner.ready, signal);
    board.print('the runner is connected');
    await untilAborted(play(hf, board, events, assignReviewers.name), signal);
  } finally {
    await service.stop();
  }
}

async function play(hf: Holdfast, board: Board, events: WebhookEvent[], reviewWorkflow: string): Promise<void> {
  const opened = events.filter(({ name }) => name === pullRequestOpened.name);
  const closed = events.filter(({ name }) => name === pullRequestClosed.name);
  const others = events.filter((event) => !opened.includes(event) && !closed.includes(event));

  const waiting = new Set<string>();
  const allWait = new Promise<void>((resolve) => {
    board.onFrame((runId, frame) => {
      if (frame.kind !== 'step_status') return;
      if (frame.step === askForReview && frame.status === 'succeeded') board.keep(followReviews(hf, board, runId));
      if (frame.step === untilClosed && frame.status === 'waiting') waiting.add(runId);
      if (waiting.size === opened.length) resolve();
    });
  });

  board.print(`sending ${opened.length} "opened" webhooks`);
  for (const event of opened) {
    const { triggered } = await hf.events.send(event);
    for (const { runId } of triggered) if (runId !== undefined) board.follow(runId, 'review pull request');
  }
  await Promise.all(others.map((event) => hf.events.send(event)));
  board.print(`sent ${others.length} other webhooks, for which there is no workflow; they are in the event log`);

  await allWait;
  board.print('all pull requests wait for their end: sending the "closed" webhooks');
  for (const event of closed) {
    const { woke } = await hf.events.send(event);
    board.print(`  one woke ${woke} runs`);
  }
  await report(hf, board, await board.allEnded(), reviewWorkflow);
}

/** A review starts runs of a second workflow by an event; these are printed, too. */
async function followReviews(hf: Holdfast, board: Board, runId: string): Promise<void> {
  for (const { name, output } of await hf.runs.steps(runId)) {
    if (name !== askForReview || typeof output !== 'object' || output === null || !('runIds' in output)) continue;
    for (const started of Array.isArray(output.runIds) ? output.runIds : [])
      board.follow(started, 'assign reviewers   ');
  }
}

async function report(hf: Holdfast, board: Board, runIds: string[], reviewWorkflow: string): Promise<void> {
  const runs = await Promise.all(runIds.map((runId) => hf.runs.get(runId)));
  const failed = runs.filter(({ status }) => status !== 'succeeded');
  if (failed.length > 0) {
    throw new Error(
      failed.map(({ id, workflow, status, error }) => `${workflow} ${id} ${status}: ${error?.message}`).join('\n'),
    );
  }
  const reviews = runs.filter(({ workflow }) => workflow === reviewWorkflow).length;
  if (reviews === 0) throw new Error('no event reached the second workflow');
  board.print(`all ${runs.length} runs succeeded, ${reviews} of them started by another`);
  for (const { workflow, result } of runs) board.print(`  ${workflow}: ${JSON.stringify(result)}`);
}

/** The outcome of `work`, unless the demo is stopped first. */
async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<never>((_resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  await Promise.race([work, aborted]);
}

const abort = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => abort.abort(new Error(`stopped by ${name}`)));
// A closed output (`| head`) ends the demo and its service.
process.stdout.on('error', (cause) => abort.abort(cause));
const timer = setTimeout(() => abort.abort(new Error(`not done after ${timeLimitMs / 1000} s`)), timeLimitMs).unref();

try {
  await demo(abort.signal);
} catch (thrown) {
  // After an abort, later errors are only its consequences.
  const cause: unknown = abort.signal.aborted ? abort.signal.reason : thrown;
  console.error(`the demo failed: ${cause instanceof Error ? cause.message : String(cause)}`);
  process.exitCode = 1;
} finally {
  clearTimeout(timer);
}
