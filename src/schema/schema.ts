import './root.ts';
import './scalars.ts';
import './projects.ts';
import './registry.ts';
import './workflows.ts';
import './flowState.ts';
import './events.ts';
import './eventIngested.ts';
import './runs.ts';
import './runStats.ts';
import './aiSpend.ts';
import './sessions.ts';
import './runControls.ts';
import './bulkRuns.ts';
import './controlActions.ts';
import './approvals.ts';
import './decideApproval.ts';
import './approvalChanged.ts';
import './runStatusChanged.ts';
import './frames.ts';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { builder } from './builder.ts';
import { metered } from './metered.ts';

/** The one interface of the service: REST and MCP run documents on it in-process. */
export const schema = metered(builder.toSchema());

/** The schema as text, sorted, so that it changes only when the interface does. */
export const printSortedSchema = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
