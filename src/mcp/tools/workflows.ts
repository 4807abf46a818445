import { getFlowState, listRunners, listWorkflows } from '../../rest/index.ts';
import { listTool } from '../catalog/listTool.ts';
import { oneTool } from '../catalog/routeTool.ts';
import type { Tool } from '../declare/tool.ts';

const annotations = { readOnlyHint: true } as const;
const toolset = 'workflows';

export const workflowReads: readonly Tool[] = [
  listTool({
    name: 'list_workflows',
    toolset,
    route: listWorkflows,
    member: 'workflows',
    title: 'List workflows',
    description: 'Registered workflows by app and name: triggers, schedules, retries, flow control, steps.',
    annotations,
  }),
  oneTool({
    name: 'get_flow_state',
    toolset,
    route: getFlowState,
    title: 'Get the state of flow control',
    description: 'What flow control holds back now: slots, buffers, delayed starts, budgets, calls of models.',
    annotations,
    about: () => 'What flow control holds back now.',
  }),
  listTool({
    name: 'list_runners',
    toolset,
    route: listRunners,
    member: 'runners',
    title: 'List runners',
    description: 'Runners by app, live or not, with the workflows that they serve.',
    annotations,
  }),
];
