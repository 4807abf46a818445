import './machinery/scalars.ts';
import './resources/projects.ts';
import './resources/serviceFacts.ts';
import './resources/providerKeys.ts';
import './resources/registry.ts';
import './resources/workflows.ts';
import './resources/workflowVersions.ts';
import './resources/events.ts';
import './resources/eventMatches.ts';
import './resources/runs.ts';
import './resources/stepLinks.ts';
import './resources/inferenceLanes.ts';
import './resources/flowDetails.ts';
import './resources/flowSimulation.ts';
import './resources/runWaits.ts';
import './resources/runDiagnosis.ts';
import './resources/runStats.ts';
import './resources/runLinks.ts';
import './resources/failureGroups.ts';
import './resources/aiSpend.ts';
import './resources/sessions.ts';
import './resources/runControls.ts';
import './resources/bulkRuns.ts';
import './resources/controlActions.ts';
import './resources/approvals.ts';
import './resources/decideApproval.ts';
import './resources/runStatusChanged.ts';
import './resources/frames.ts';
import './resources/webhookEndpoints.ts';
import './resources/webhookSources.ts';
import './resources/webhookDeliveries.ts';
import './resources/webhookDeliveryControls.ts';
import './resources/webhookEndpointStats.ts';
import './resources/webhookSourceDeliveries.ts';
import './resources/streamTickets.ts';
import './resources/suggestions.ts';
import './resources/nodes.ts';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { described } from './descriptions/index.ts';
import { builder } from './machinery/builder.ts';
import { metered } from './machinery/metered.ts';

/** The one interface of the service: REST and MCP run documents on it in-process. */
export const schema = metered(described(builder.toSchema()));

/** The schema as text, sorted, so that it changes only when the interface does. */
export const printSortedSchema = (): string => `${printSchema(lexicographicSortSchema(schema))}\n`;
