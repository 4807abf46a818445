import { aiSpend, listApps, listControlActions, listRunBuckets, listSessions } from '../../rest/index.ts';
import { listTool } from '../catalog/listTool.ts';
import { oneTool } from '../catalog/routeTool.ts';
import type { Tool } from '../declare/tool.ts';

const annotations = { readOnlyHint: true } as const;
const toolset = 'insights';

export const insightReads: readonly Tool[] = [
  listTool({
    name: 'get_run_timeseries',
    toolset,
    route: listRunBuckets,
    member: 'buckets',
    title: 'Count runs over time',
    description: 'Counts of runs by status and their durations, in buckets of time, oldest first.',
    annotations,
    order: { by: ['bucket'], dir: 'asc' },
  }),
  oneTool({
    name: 'get_ai_spend',
    toolset,
    route: aiSpend,
    title: 'Get the spend of models',
    description:
      'Tokens and cost of AI steps: in all, over time, by model, by workflow. A larger `bucket` makes `byHour` shorter.',
    annotations,
    about: () => 'The spend of AI steps. Costs are in US dollars.',
  }),
  listTool({
    name: 'list_sessions',
    toolset,
    route: listSessions,
    member: 'sessions',
    title: 'List sessions',
    description: 'Conversations, the most recently active first: the latest 500.',
    annotations,
    order: { by: ['lastRunAt', 'session'], dir: 'desc', limit: 500 },
  }),
  listTool({
    name: 'list_control_actions',
    toolset,
    route: listControlActions,
    member: 'actions',
    title: 'List the audit log',
    description: 'Who cancelled, paused, replayed, decided or changed what, newest first.',
    annotations,
  }),
  listTool({
    name: 'list_apps',
    toolset,
    route: listApps,
    member: 'apps',
    title: 'List apps',
    description: 'Apps by name.',
    annotations,
  }),
];
