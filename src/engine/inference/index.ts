export { type CacheRef, forgetCached, keepCached, maxCachedBytes, readCached } from './cache/cachedAnswers.ts';
export { type CacheQuestion, cacheKeyOf } from './cache/cacheKey.ts';
export { enqueueCalls, isCacheable, type NewCall } from './enqueueCalls.ts';
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
