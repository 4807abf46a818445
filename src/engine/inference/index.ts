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
} from './inferRequest.ts';
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
export { type CheckedObject, checkObject, maxAnswerDepth } from './output/checkObject.ts';
export { checkToolInputs, problemsText } from './output/checkToolInputs.ts';
export { mayReask, reaskRequest } from './output/reaskRequest.ts';
export { maxSchemaBytes, schemaProblem } from './output/schemaShape.ts';
export type { Problem } from './output/validate.ts';
