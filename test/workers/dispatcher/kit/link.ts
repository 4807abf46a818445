import type { RunnerLink } from '../../../../src/workers/dispatcher/routing/runnerLink.ts';

export const projectId = '0198a000-0000-7000-8000-000000000000';

/** A runner with ten slots that serves `order` of `shop`, and does nothing. */
export const linkOf = (over: Partial<RunnerLink> = {}): RunnerLink => ({
  projectId,
  app: 'shop',
  runnerId: 'r',
  transport: 'socket',
  workflows: new Set(['order']),
  maxInFlight: 10,
  load: 0,
  settling: 0,
  answerMs: 0,
  answeredAtMs: 0,
  isCongested: false,
  isSuspect: false,
  send: () => undefined,
  continue: undefined,
  cancel: () => false,
  ...over,
});
