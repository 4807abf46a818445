import type { Done } from '../../engine/agents/index.ts';
import { readJson } from '../../engine/json/index.ts';
import { cancelRun, getRun, pauseRun, replayRun, resumeRun, retryRunFromStep } from '../../rest/index.ts';
import { routeRunner } from '../catalog/routeTool.ts';
import type { DataAnswer, Tool, ToolCall } from '../declare/tool.ts';
import { without, writeTool } from '../writes/writeTool.ts';

const read = routeRunner(getRun);

/** The run that the first call made, as it is now. */
async function repeatedFork(call: ToolCall, { runId }: Done): Promise<DataAnswer> {
  const found = await read({ ...call, arguments: readJson(JSON.stringify({ id: runId })) });
  const run = without(Object(found.body), ['input', 'result', 'stepCount']);
  return { about: 'A repeat: nothing was changed. The first call made this run.', data: { run } };
}

const changed = { toolset: 'runs', member: 'run' } as const;

/** 4.6 */
export const runControls: readonly Tool[] = [
  writeTool({
    ...changed,
    name: 'cancel_run',
    route: cancelRun,
    title: 'Cancel a run',
    description: 'Cancels an unfinished run and its unfinished children, for good.',
    annotations: { destructiveHint: true, idempotentHint: true, openWorldHint: true },
    about: () => 'The run is cancelled.',
  }),
  writeTool({
    ...changed,
    name: 'pause_run',
    route: pauseRun,
    title: 'Pause a run',
    description:
      'Pauses a run before its next step. During a pass it reads as `running` with `pausedBy` until the pass ends.',
    annotations: { idempotentHint: true },
    about: () => 'The run is paused, or will be before its next step.',
  }),
  writeTool({
    ...changed,
    name: 'resume_run',
    route: resumeRun,
    title: 'Resume a run',
    description: 'Resumes a paused run.',
    annotations: { idempotentHint: true, openWorldHint: true },
    about: () => 'The run is resumed.',
  }),
  writeTool({
    ...changed,
    name: 'replay_run',
    route: replayRun,
    title: 'Replay a run',
    description:
      'Starts an ended run again from its first step, as a new run, and answers the new one. Every step runs again. Pass a dedupeId.',
    annotations: { openWorldHint: true },
    about: () => 'The new run. wait_for_run waits for its end.',
    repeat: repeatedFork,
  }),
  writeTool({
    ...changed,
    name: 'retry_run_from_step',
    route: retryRunFromStep,
    title: 'Retry a run from a step',
    description:
      'Starts an ended run again from `step` on, as a new run that keeps the results of the earlier steps, and answers the new one. Pass a dedupeId.',
    annotations: { openWorldHint: true },
    about: () => 'The new run. wait_for_run waits for its end.',
    repeat: repeatedFork,
  }),
];
