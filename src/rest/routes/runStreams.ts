import { runStatuses, stepStatuses, terminalStatuses } from '../../engine/runs/index.ts';
import { maxInt32 } from '../../engine/settings.ts';
import { readSequence, sequence, text } from '../declare/parameters.ts';
import { valueAt } from '../declare/present.ts';
import { streamRoute } from '../declare/route.ts';
import { errorDetail } from './runs.ts';

/** 4.5. Sends the frames after `from`, then live ones, until the run ends. */
export const streamRun = streamRoute({
  path: '/runs/{id}/stream',
  group: 'runs',
  summary: 'Stream the timeline of a run: past frames, then live ones until the run ends',
  parameters: { from: sequence('Send only frames after this `seq`.') },
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
      waitingFor { kind until step error { ...ErrorDetail } }
      step index attempt willRetry nextAttemptAt durationMs
      error { ...ErrorDetail }
      level message fields scope
    }
    ${errorDetail}`,
  variables: ({ path, query }, lastEventId) => ({
    id: path.id,
    from: lastEventId === undefined ? query.from : readSequence(lastEventId, 'Last-Event-ID'),
  }),
  lastEventId: {
    description: 'The `seq` of the last frame that was read. Wins over `from`.',
    schema: { type: 'integer', minimum: 0, maximum: maxInt32 },
  },
  at: 'runFrames',
  event: {
    member: 'kind',
    frames: {
      run_status: {
        name: 'RunStatusFrame',
        has: [],
        mayHave: ['error', 'pausedBy', 'waitingFor'],
        words: { status: runStatuses },
      },
      step_status: {
        name: 'StepStatusFrame',
        has: ['step', 'index', 'attempt'],
        mayHave: ['error', 'willRetry', 'nextAttemptAt', 'durationMs'],
        words: { status: stepStatuses },
      },
      log: { name: 'LogFrame', has: ['level', 'message', 'scope', 'attempt'], mayHave: ['fields'] },
    },
  },
  id: 'seq',
});

/** 4.5. Best effort: a reader that misses a transition reads the run again. */
export const streamRuns = streamRoute({
  path: '/runs/stream',
  group: 'runs',
  summary: 'Stream the status transitions of all runs',
  parameters: { app: text('Only runs of this app.'), workflow: text('Only runs of this workflow.') },
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
