import {
  checkToolInputs,
  type EmbedRequest,
  type InferRequest,
  type SendEnding,
  type TextRequest,
} from '../../../engine/inference/index.ts';
import { embeddingModel, languageModel, type StreamPart } from './adapter.ts';
import { callOptions, warningText } from './callOptions.ts';
import { AnswerCollector } from './collectAnswer.ts';
import { conclude, type Reading } from './conclude.ts';
import { type Connections, commonConnections } from './connections.ts';
import { readEmbeddings } from './embeddings.ts';
import { Exchange } from './exchange.ts';
import { isObject, textOf } from './frame.ts';
import type { CallLimits } from './limits.ts';
import { ModelSend } from './modelSend.ts';
import { type ProviderAccess, type Route, routeOf } from './route.ts';
import { UnusableRequest } from './unusableRequest.ts';
import { WireWatch } from './wireWatch.ts';

/** One send of a model request. */
export interface ModelCall {
  request: InferRequest;
  access: ProviderAccess;
  idempotencyKey: string;
  limits: CallLimits;
  /** Ends the call at once. */
  signal: AbortSignal;
  /** Default: those of the process. */
  connections?: Pick<Connections, 'dispatch'>;
  /** For `Retry-After` as a date. Default: the system's. */
  now?: () => Date;
}

/** A call that is under way, and what is known of it. */
interface Send {
  exchange: Exchange;
  sender: ModelSend;
  watch: WireWatch;
  warnings: string[];
}

/**
 * Sends a request to its provider, once. Resolves in every case. The provider may have executed the
 * request unless the outcome is `refused`.
 */
export async function callModel(call: ModelCall): Promise<SendEnding> {
  const { request, limits, signal, connections = commonConnections(), now = () => new Date() } = call;
  const exchange = new Exchange({ connections, limits, signal });
  const sender = new ModelSend(exchange, call.idempotencyKey, { ...presets(call), ...request.options });
  const send: Send = { exchange, sender, watch: new WireWatch(), warnings: sender.warnings };
  let reading: Reading;
  try {
    reading = { answer: await readAnswer(call, send) };
  } catch (error) {
    reading = { error };
  }
  exchange.complete();
  const hidden = { request, apiKey: call.access.apiKey };
  return conclude({ ...send, hidden, errorBody: sender.errorBody, reading, now: now() });
}

/** Vectors as base64 take a third of the bytes. Compatible servers may not know the field. */
function presets({ request, access }: ModelCall): TextRequest['options'] {
  return request.kind === 'embed' && !access.baseUrl ? { encoding_format: 'base64' } : {};
}

function readAnswer({ request, access }: ModelCall, send: Send): Promise<Reading['answer']> {
  const route = routeOf(access);
  if (request.kind === 'embed') return readVectors(request, access, send);
  return readText(request, { access, route }, send);
}

async function readText(
  request: TextRequest,
  { access, route }: { access: ProviderAccess; route: Route },
  send: Send,
): Promise<Reading['answer']> {
  const { sender, warnings } = send;
  const collector = new AnswerCollector(request.model);
  const options = callOptions(request, route.wire, warnings);
  const { exchange } = send;
  try {
    const opened = languageModel(access, request.model, sender.send);
    const { stream } = await opened.model.doStream({ ...options, ...opened.options });
    for await (const part of stream) takePart(part, collector, send);
  } catch (error) {
    if (sender.document === undefined) {
      send.watch.noteThrown(error);
      throw error;
    }
    await readDocument(sender.document, { request, access, options, collector }, send);
  }
  // The body failed after a library had read enough of it.
  if (exchange.failure && !send.watch.isComplete) throw exchange.failure;
  const answer = collector.answer();
  if (!answer.toolCalls) return answer;
  return { ...answer, toolCalls: checkToolInputs(request.tools ?? [], answer.toolCalls) };
}

function takePart(part: StreamPart, collector: AnswerCollector, { watch, exchange, warnings }: Send): void {
  switch (part.type) {
    case 'stream-start':
      warnings.push(...part.warnings.map(warningText));
      return;
    case 'raw':
      watch.note(part.rawValue);
      if (watch.error) throw new Error('the provider reported an error');
      // The connection may stay open after the last word.
      if (watch.isComplete) exchange.complete();
      return;
    case 'error':
      // A frame of a kind that the library does not know is left out; other frames complete the
      // answer. A frame that is no JSON has no type.
      if (!isKnownToUs(part.error)) throw new Error('the answer is unreadable');
      warnings.push('a part of the answer was of an unknown kind');
      return;
    default:
      collector.take(part);
  }
}

/** Whether a library could parse a frame, and only missed what it is. */
const isKnownToUs = (error: unknown): boolean => isObject(error) && textOf(error['name']) === 'AI_TypeValidationError';

/** Reads an answer that is one document: the server did not stream. */
async function readDocument(
  document: string,
  { request, access, options, collector }: DocumentReading,
  { sender, watch, warnings }: Send,
): Promise<void> {
  watch.noteWhole(JSON.parse(document));
  if (watch.error) throw new Error('the provider reported an error');
  const opened = languageModel(access, request.model, sender.replay);
  const result = await opened.model.doGenerate({ ...options, ...opened.options });
  warnings.push(...result.warnings.map(warningText));
  for (const part of result.content) collector.takeWhole(part);
  collector.named(result.response?.modelId);
  collector.finished(result.finishReason.unified);
}

interface DocumentReading {
  request: TextRequest;
  access: ProviderAccess;
  options: ReturnType<typeof callOptions>;
  collector: AnswerCollector;
}

/** Reads vectors. The library composes the request; its reader would take numbers only. */
async function readVectors(request: EmbedRequest, access: ProviderAccess, send: Send): Promise<Reading['answer']> {
  const { sender, watch } = send;
  const opened = embeddingModel(access, request.model, sender.send);
  if (!opened) throw new UnusableRequest(`${access.provider} has no embeddings`);
  const { values, dimensions } = request;
  const options = dimensions === undefined ? {} : { dimensions };
  try {
    await opened.model.doEmbed({
      values,
      providerOptions: { openai: options, compatible: options },
      ...opened.options,
    });
  } catch (error) {
    if (sender.document === undefined) throw error;
  }
  const document: unknown = JSON.parse(sender.document ?? '');
  watch.noteWhole(document);
  if (watch.error) throw new Error('the provider reported an error');
  return readEmbeddings(document, request);
}
