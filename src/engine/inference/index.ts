export {
  type KeySource,
  keySources,
  noAccessReason,
  notConfiguredText,
  type ProviderAccess,
  resolveAccess,
} from './access.ts';
export { checkProvider, type ProviderCheck } from './check/checkProvider.ts';
export { enqueueCalls, isCacheable, type NewCall } from './enqueueCalls.ts';
export { listProviderKeys, removeProviderKey, type ShownProviderKey, setProviderKey } from './keys/providerKeys.ts';
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
export type {
  EmbedRequest,
  InferRequest,
  Json,
  JsonSchema,
  Message,
  MessagePart,
  PartSource,
  Price,
  TextRequest,
  Tool,
  ToolChoice,
} from './request/inferRequest.ts';
export { type ParsedRequest, parseInferRequest, RequestError } from './request/parseInferRequest.ts';
export { openRequest, type RequestOwner, sealRequest } from './request/sealRequest.ts';
export { keyIdSql, laneIdSql, ownerSql, settingsOwner } from './sql/keySql.ts';
export { type LaneState, laneLimits, readLaneStates, readRunLanes } from './state/laneState.ts';
