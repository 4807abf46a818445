import { flag, type Infer, object, oneOf, readBy, text, textUpTo } from '../../router/searchFields.ts';
import { flowPartFields } from '../flow/flowSearch.ts';

const workflowSearch = object({
  tab: oneOf(['overview', 'flow', 'simulate', 'runners', 'definition']),
  /** The version whose definition is shown; the newest without it. */
  version: text,
  /** The definition shows as what it changed. */
  changes: flag,
  /** The policies that the simulation tries, as `simulationTried.ts` reads them. */
  try: textUpTo(10_000),
  /** The time whose starts are simulated; the last hour without it. */
  past: oneOf(['6h', '24h']),
  ...flowPartFields,
});

export type WorkflowSearch = Infer<typeof workflowSearch>;
export const readWorkflowSearch = readBy(workflowSearch);
