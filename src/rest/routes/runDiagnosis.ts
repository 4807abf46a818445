import { documentRoute } from '../declare/route.ts';
import { inferenceLane } from './flowState.ts';
import { errorDetail, runLog } from './runs.ts';

/** The fields that single causes have. A fragment on `ChildWait` uses the others itself. */
const leaves = /* GraphQL */ `
  fragment WaitFacts on RunWait { kind since until step { ...WaitingStep } }
  fragment WaitingStep on WaitingStep { name index attempt }
  fragment PausedWait on PausedWait { reason actor budget { ...SpentBudget } }
  fragment SpentBudget on SpentBudget { windowMs maxCost maxTokens }
  fragment DispatcherWait on DispatcherWait { alive }
  fragment RunnerWait on RunnerWait { lack app workflow runner registered live limit inUse ahead isMoreAhead }
  fragment TransportWait on TransportWait { failures maxFailures error { ...ErrorDetail } }
  fragment ApprovalWait on ApprovalWait { approvalId tool risk isEscalated onTimeout }
  fragment StartWait on StartWait { policy key }
  fragment ConcurrencyWait on ConcurrencyWait { key limit inUse holders ahead isMoreAhead }
  fragment CeilingWait on CeilingWait { limit inUse holders ahead isMoreAhead }
  fragment RetryWait on RetryWait { nextAttempt maxAttempts error { ...ErrorDetail } }
  fragment InferenceWait on InferenceWait { lane { ...InferenceLaneState } isInFlight isCapped nextSendAt }
  fragment EventWait on EventWait { eventName guard refused { ...RefusedEvent } }
  fragment RefusedEvent on RefusedEvent { id receivedAt }
  ${inferenceLane}
  ${errorDetail}`;

const leaf = `...WaitFacts ...PausedWait ...DispatcherWait ...RunnerWait ...TransportWait ...ApprovalWait ...StartWait
    ...ConcurrencyWait ...CeilingWait ...RetryWait ...InferenceWait ...EventWait`;

/** A cause with all of its fields. A sleep has no more than all causes have. */
const cause = `${leaf} ...ChildWait`;

const causes = /* GraphQL */ `
  fragment ChildWait on ChildWait { childRunId childStatus path because { ${leaf} } }
  ${leaves}`;

export const listWaiting = documentRoute({
  method: 'GET',
  path: '/runs/{id}/waiting',
  scope: 'read',
  group: 'runs',
  summary: 'All that must happen before a run moves, the most important cause first',
  document: /* GraphQL */ `
    query ListWaiting($id: ID!) { run(id: $id) { waiting { ${cause} } } }
    ${causes}`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 200, at: ['run', 'waiting'], missing: 'run not found' },
});

export const getDiagnosis = documentRoute({
  method: 'GET',
  path: '/runs/{id}/diagnosis',
  scope: 'read',
  group: 'runs',
  summary: 'Why a run failed, was cancelled or does not move, and what could be done',
  document: /* GraphQL */ `
    query GetDiagnosis($id: ID!) { run(id: $id) { diagnosis { ...RunDiagnosis } } }
    fragment RunDiagnosis on RunDiagnosis {
      status verdict summary
      causes { ${cause} }
      failure { ...RunFailure }
      cancellation { ...RunCancellation }
      next { ...NextCall }
    }
    fragment RunFailure on RunFailure {
      kind
      step { ...FailedStep }
      maxAttempts
      error { ...ErrorDetail }
      childRunId approvalId
      logs { ...RunLog }
      alike { ...AlikeFailures }
    }
    fragment FailedStep on FailedStep { name index attempts startedAt endedAt }
    fragment AlikeFailures on AlikeFailures { count isMore first last runIds }
    fragment RunCancellation on RunCancellation { by actor eventId runId }
    fragment NextCall on NextCall { action arguments why }
    ${runLog}
    ${causes}`,
  variables: ({ path }) => ({ id: path.id }),
  success: { status: 200, at: ['run', 'diagnosis'], missing: 'run not found' },
});
