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
export { checkToolInputs } from './output/checkToolInputs.ts';
