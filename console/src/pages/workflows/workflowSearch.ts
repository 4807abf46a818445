import { flag, type Infer, object, oneOf, readBy, text } from '../../router/searchFields.ts';
import { flowPartFields } from '../flow/flowSearch.ts';

const workflowSearch = object({
  tab: oneOf(['overview', 'flow', 'runners', 'definition']),
  /** The version whose definition is shown; the newest without it. */
  version: text,
  /** The definition shows as what it changed. */
  changes: flag,
  ...flowPartFields,
});

export type WorkflowSearch = Infer<typeof workflowSearch>;
export const readWorkflowSearch = readBy(workflowSearch);
