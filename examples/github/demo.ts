import { Holdfast } from '@holdfast/sdk';
import { leftBehind } from '../service/leftBehind.ts';
import { runDemo, untilAborted } from '../service/runDemo.ts';
import { findOrStartService } from '../service/service.ts';
import { Board } from './board.ts';
import { GithubSender } from './githubSender.ts';
import { type PullRequestPayload, pullRequestPayloads } from './payloads.ts';
import { Receiver } from './receiver.ts';

import { askForReview, defineWorkflows, untilClosed } from './workflows.ts';

/** The webhooks of ended runs arrive at once. */
const webhookLimitMs = 15_000;

/**
 * Sends GitHub's example webhooks to the service, and prints the runs until they have ended. A
 * receiver prints the webhooks by which the service tells of their ends.
 */
async function demo(signal: AbortSignal): Promise<void> {
  const payloads = await pullRequestPayloads();
  const service = await findOrStartService();
  try {
    const hf = new Holdfast({ baseUrl: service.baseUrl, apiKey: service.apiKey, app: 'github' });
    const board = new Board(hf, signal);
    board.print(`${service.isOurs ? 'started a service' : 'using the service'} at ${service.baseUrl}`);
    const { assignReviewers } = defineWorkflows(hf);
    await using runner = hf.connect({ runner: 'demo', signal });
    await untilAborted(runner.ready, signal);
    board.print('the runner is connected');
    await using github = await GithubSender.create(hf, service.baseUrl);
    board.print('made a source for webhooks that GitHub has signed');
    await using receiver = isLocal(service.baseUrl) ? await startReceiver(hf, board) : undefined;
    const cast = { hf, board, github, receiver };
    const runIds = await untilAborted(play(cast, payloads, assignReviewers.name), signal);
    for (const line of leftBehind(service, hf.app, runIds)) board.print(line);
  } finally {
    await service.stop();
  }
}

/** Whether the service can reach a server on this machine. */
const isLocal = (baseUrl: string): boolean => ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(baseUrl).hostname);

async function startReceiver(hf: Holdfast, board: Board): Promise<Receiver> {
  const receiver = await Receiver.start(hf, ({ kind, run }) => {
    board.print(`  received ${kind} of "${run.workflow}" ${run.id.slice(-4)}: the signature is valid`);
  });
  board.print('made an endpoint that is told when runs end');
  return receiver;
}

interface Cast {
  hf: Holdfast;
  board: Board;
  github: GithubSender;
  /** Undefined: the service is on another machine. */
  receiver: Receiver | undefined;
}

async function play(cast: Cast, payloads: PullRequestPayload[], reviewWorkflow: string): Promise<string[]> {
  const { hf, board, github } = cast;
  const opened = payloads.filter(({ action }) => action === 'opened');
  const closed = payloads.filter(({ action }) => action === 'closed');
  const others = payloads.filter((payload) => !opened.includes(payload) && !closed.includes(payload));

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
  for (const payload of opened) {
    const { runId } = await github.send(payload);
    if (runId !== undefined) board.follow(runId, 'review pull request');
  }
  await Promise.all(others.map((payload) => github.send(payload)));
  board.print(`sent ${others.length} other webhooks, for which there is no workflow; they are in the event log`);
  for (const payload of opened.slice(0, 1)) {
    const status = await github.forge(payload);
    if (status !== 401) throw new Error(`a forged webhook was answered ${status}`);
    board.print('a webhook with a forged signature was answered 401');
  }

  await allWait;
  board.print(`all pull requests wait for their end: sending ${closed.length} "closed" webhooks`);
  for (const payload of closed) await github.send(payload);
  const runIds = await board.allEnded();
  await report(cast, runIds, reviewWorkflow);
  return runIds;
}

/** A review starts runs of a second workflow by an event; these are printed, too. */
async function followReviews(hf: Holdfast, board: Board, runId: string): Promise<void> {
  for (const { name, output } of await hf.runs.steps(runId)) {
    if (name !== askForReview || typeof output !== 'object' || output === null || !('runIds' in output)) continue;
    for (const started of Array.isArray(output.runIds) ? output.runIds : [])
      board.follow(started, 'assign reviewers   ');
  }
}

async function report({ hf, board, receiver }: Cast, runIds: string[], reviewWorkflow: string): Promise<void> {
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
  if (!receiver) return;
  await receiver.untilToldOf(runIds, webhookLimitMs);
  board.print(`the receiver was told of the ends of all ${runIds.length} runs`);
}

await runDemo(demo);
