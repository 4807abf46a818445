import type { Route } from '../declare/route.ts';
import { checkProvider } from './aiProviders.ts';
import { aiSpend } from './aiSpend.ts';
import { decideApproval, getApproval, listApprovals } from './approvals.ts';
import { listControlActions } from './controlActions.ts';
import { getEvent, listEvents, sendEvent, sendEvents, streamEvents } from './events.ts';
import { exceptions } from './exceptions.ts';
import { getFlowState } from './flowState.ts';
import { listApps, listRunners } from './registry.ts';
import {
  bulkCancelRuns,
  bulkReplayRuns,
  cancelRun,
  pauseRun,
  replayRun,
  resumeRun,
  retryRunFromStep,
} from './runControl.ts';
import { getDiagnosis, listWaiting } from './runDiagnosis.ts';
import { getRunStats, listRunBuckets } from './runStats.ts';
import { streamRun, streamRuns } from './runStreams.ts';
import { getRun, listLogs, listRuns, listSteps } from './runs.ts';
import { listSessions } from './sessions.ts';
import { createStreamTicket } from './streamTickets.ts';
import {
  getWebhookDelivery,
  getWebhookEndpointStats,
  listWebhookDeliveries,
  redeliverWebhook,
  streamWebhookDeliveries,
} from './webhookDeliveries.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  updateWebhookEndpoint,
} from './webhookEndpoints.ts';
import { getSourceDelivery, listSourceDeliveries, replaySourceDelivery } from './webhookSourceDeliveries.ts';
import {
  createWebhookSource,
  deleteWebhookSource,
  getWebhookSource,
  listWebhookSources,
  updateWebhookSource,
} from './webhookSources.ts';
import { listWorkflows, restoreWorkflow, retireWorkflow, triggerWorkflow } from './workflows.ts';

/** Every route of REST, in the order of the contract (4.1). */
export const routes: readonly Route[] = [
  listWorkflows,
  triggerWorkflow,
  retireWorkflow,
  restoreWorkflow,
  listApps,
  listRunners,
  getFlowState,
  sendEvent,
  sendEvents,
  listEvents,
  getEvent,
  streamEvents,
  listRuns,
  getRun,
  listSteps,
  listLogs,
  listWaiting,
  getDiagnosis,
  streamRun,
  streamRuns,
  getRunStats,
  listRunBuckets,
  aiSpend,
  checkProvider,
  listSessions,
  cancelRun,
  pauseRun,
  resumeRun,
  replayRun,
  retryRunFromStep,
  bulkReplayRuns,
  bulkCancelRuns,
  listControlActions,
  listApprovals,
  getApproval,
  decideApproval,
  listWebhookEndpoints,
  createWebhookEndpoint,
  getWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookSources,
  createWebhookSource,
  getWebhookSource,
  updateWebhookSource,
  deleteWebhookSource,
  listWebhookDeliveries,
  getWebhookDelivery,
  streamWebhookDeliveries,
  redeliverWebhook,
  getWebhookEndpointStats,
  listSourceDeliveries,
  getSourceDelivery,
  replaySourceDelivery,
  createStreamTicket,
  ...exceptions,
];

// Each route by its name, for surfaces that run the same documents.
export { checkProvider } from './aiProviders.ts';
export { aiSpend } from './aiSpend.ts';
export { decideApproval, getApproval, listApprovals } from './approvals.ts';
export { listControlActions } from './controlActions.ts';
export { getEvent, listEvents, sendEvent, streamEvents } from './events.ts';
export { getFlowState } from './flowState.ts';
export { listApps, listRunners } from './registry.ts';
export {
  bulkCancelRuns,
  bulkReplayRuns,
  cancelRun,
  pauseRun,
  replayRun,
  resumeRun,
  retryRunFromStep,
} from './runControl.ts';
export { getDiagnosis, listWaiting } from './runDiagnosis.ts';
export { getRunStats, listRunBuckets } from './runStats.ts';
export { streamRun, streamRuns } from './runStreams.ts';
export { getRun, listLogs, listRuns, listSteps } from './runs.ts';
export { listSessions } from './sessions.ts';
export {
  getWebhookDelivery,
  getWebhookEndpointStats,
  listWebhookDeliveries,
  redeliverWebhook,
  streamWebhookDeliveries,
} from './webhookDeliveries.ts';
export {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  updateWebhookEndpoint,
} from './webhookEndpoints.ts';
export { getSourceDelivery, listSourceDeliveries, replaySourceDelivery } from './webhookSourceDeliveries.ts';
export {
  createWebhookSource,
  deleteWebhookSource,
  getWebhookSource,
  listWebhookSources,
  updateWebhookSource,
} from './webhookSources.ts';
export { listWorkflows, restoreWorkflow, retireWorkflow, triggerWorkflow } from './workflows.ts';
