import { sendEvent, triggerWorkflow } from '../../rest/index.ts';
import type { Tool } from '../declare/tool.ts';
import { writeTool } from '../writes/writeTool.ts';

/** 4.2, 4.3. Their `dedupeId` is that of REST, so the engine drops repeats. */
export const starts: readonly Tool[] = [
  writeTool({
    name: 'trigger_workflow',
    toolset: 'workflows',
    route: triggerWorkflow,
    title: 'Start a run',
    description:
      'Starts one run of a workflow. The answer has its `runId`, or says which policy withheld it. Pass a dedupeId: a repeat within 24 hours starts nothing, and names the run as `existingRunId`.',
    annotations: { openWorldHint: true },
    about: ({ runId }) =>
      runId === undefined
        ? 'No run was started: the data says why.'
        : 'A run was started. wait_for_run waits for its end.',
  }),
  writeTool({
    name: 'send_event',
    toolset: 'events',
    route: sendEvent,
    title: 'Send an event',
    description:
      'Sends an event, which starts every workflow that it triggers and wakes the runs that wait for it. Pass a dedupeId: a repeat within 24 hours is dropped.',
    annotations: { openWorldHint: true },
    about: ({ deduped }) => (deduped === true ? 'A repeat: the event was dropped.' : 'The event was recorded.'),
  }),
];
