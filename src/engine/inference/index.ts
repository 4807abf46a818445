export { beatTimes, Vigil } from '../vigil.ts';
export {
  keySources,
  noAccessReason,
  type ProviderAccess,
  resolveAccess,
} from './access.ts';
export { type CacheRef, forgetCached, keepCached, maxCachedBytes, readCached } from './cache/cachedAnswers.ts';
export { cacheKeyOf } from './cache/cacheKey.ts';
export { checkProvider, type ProviderCheck } from './check/checkProvider.ts';
export { enqueueCalls, isCacheable } from './enqueueCalls.ts';
export { failOverdueCalls } from './failOverdueCalls.ts';
export { forgetInference } from './forgetInference.ts';
export { listProviderKeys, removeProviderKey, type ShownProviderKey, setProviderKey } from './keys/providerKeys.ts';
export { beginSend, type SendStart } from './ledger/beginSend.ts';
export type { Reservation } from './ledger/reservation.ts';
export {
  type CallOutcome,
  type EndedSend,
  type Settled,
  type Settlement,
  settleCall,
} from './ledger/settleCall.ts';
export type { StepAi } from './ledger/stepJournal.ts';
export type {
  EmbedAnswer,
  FinishReason,
  ModelAnswer,
  Refusal,
  SendEnding,
  SendUsage,
  TextAnswer,
  ToolCall,
} from './modelAnswer.ts';
export { checkObject, maxAnswerDepth } from './output/checkObject.ts';
export { checkToolInputs } from './output/checkToolInputs.ts';
export { mayReask, reaskRequest } from './output/reaskRequest.ts';
export type { Problem } from './output/validate.ts';
export { costOf, priceOf, priceOfModel } from './price.ts';
export { type Claim, type ClaimQuestion, claimCalls, firstPlace } from './queue/claimCalls.ts';
export type { CallRef, LeasedCall } from './queue/leasedCall.ts';
export {
  findLostCalls,
  type QueueView,
  releaseCalls,
  releaseStrays,
  rescueCalls,
  rescueLongSilent,
  retireProcess,
  type Tick,
  type Ticked,
  tickProcess,
  unholdLook,
  viewCalls,
} from './queue/processes.ts';
export { relaneCalls } from './relaneCalls.ts';
export type {
  EmbedRequest,
  InferRequest,
  Json,
  JsonSchema,
  Message,
  MessagePart,
  Price,
  TextRequest,
  Tool,
  ToolChoice,
} from './request/inferRequest.ts';
export { type ParsedRequest, parseInferRequest, RequestError } from './request/parseInferRequest.ts';
export { openRequest, sealRequest } from './request/sealRequest.ts';
export { keyIdSql, laneIdSql, settingsOwner } from './sql/keySql.ts';
export { type LaneState, readLaneStates, readRunLanes, readStatesOf } from './state/laneState.ts';
export type { LaneRef } from './state/sql/findLanes.ts';
export { type InferenceTally, inferenceTally, maxNames, otherName } from './tally.ts';
