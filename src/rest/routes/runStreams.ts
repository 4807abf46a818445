import { terminalStatuses } from '../../engine/runs/index.ts';
import { readSequence, sequence, text } from '../declare/parameters.ts';
import { valueAt } from '../declare/present.ts';
import { streamRoute } from '../declare/route.ts';

/** 4.5. Everything after `from`, then live; it ends with the run. */
export const streamRun = streamRoute({
  path: '/runs/{id}/stream',
  group: 'runs',
  summary: 'The timeline of one run, from the start, then live until the run ends',
  parameters: { from: sequence('The last `seq` seen: frames after it are told.') },
  preflight: {
    document: /* GraphQL */ `query FindRun($id: ID!) { run(id: $id) { status } }`,
    variables: ({ path }) => ({ id: path.id }),
    at: ['run'],
    missing: 'run not found',
    isFinite: (run) => terminalStatuses.some((status) => status === valueAt(run, ['status'])),
  },
  document: /* GraphQL */ `
    subscription RunStream($id: ID!, $from: Int) {
      runFrames(runId: $id, from: $from) { ...RunFrame }
    }
    fragment RunFrame on RunFrame {
      kind seq ts runId
      status pausedBy { reason actor }
      step index attempt willRetry nextAttemptAt durationMs
      error { ...FrameError }
      level message fields scope
    }
    fragment FrameError on ErrorDetail { name message stack }`,
  variables: ({ path, query }, lastEventId) => ({
    id: path.id,
    from: lastEventId === undefined ? query.from : readSequence(lastEventId, 'Last-Event-ID'),
  }),
  at: 'runFrames',
  event: { member: 'kind' },
  id: 'seq',
});

/** 4.5. Best effort: a missed transition is a reason to read again. */
export const streamRuns = streamRoute({
  path: '/runs/stream',
  group: 'runs',
  summary: 'Status transitions of all runs, live',
  parameters: { app: text('Runs of one app.'), workflow: text('Runs of one workflow.') },
  document: /* GraphQL */ `
    subscription RunsStream($app: String, $workflow: String) {
      runStatusChanged(app: $app, workflow: $workflow) { ...RunStatusChange }
    }
    fragment RunStatusChange on RunStatusChange { runId app workflow status ts }`,
  variables: ({ query }) => query,
  at: 'runStatusChanged',
  event: { word: 'run_status' },
  constant: { kind: 'run_status' },
  isShared: () => true,
});
