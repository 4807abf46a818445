import { getApproval, listApprovals } from '../../rest/index.ts';
import { listTool } from '../catalog/listTool.ts';
import { placeOf, placesIn } from '../catalog/places.ts';
import { oneTool } from '../catalog/routeTool.ts';
import type { Tool } from '../declare/tool.ts';

const annotations = { readOnlyHint: true } as const;

export const approvalReads: readonly Tool[] = [
  listTool({
    name: 'list_approvals',
    toolset: 'approvals',
    route: listApprovals,
    member: 'approvals',
    title: 'List approvals',
    description: 'Approvals, newest first, also decided ones. `pending` and `escalated` are open.',
    annotations,
    placeOf: (path, { id }) => placeOf('approvalId', id, path),
  }),
  oneTool({
    name: 'get_approval',
    toolset: 'approvals',
    route: getApproval,
    title: 'Get an approval',
    description: 'One approval: what a run asks to do, its risk, its deadline, and the decision.',
    annotations,
    about: () => 'One approval.',
    placeOf: placesIn('approvalId'),
  }),
];
