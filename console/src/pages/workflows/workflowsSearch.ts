import { type Infer, object, readBy, text } from '../../router/searchFields.ts';

const workflowsSearch = object({ app: text, find: text });

export type WorkflowsSearch = Infer<typeof workflowsSearch>;
export const readWorkflowsSearch = readBy(workflowsSearch);
