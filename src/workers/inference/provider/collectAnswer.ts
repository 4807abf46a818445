import {
  type FinishReason,
  type Json,
  type MessagePart,
  maxAnswerDepth,
  type TextAnswer,
  type ToolCall,
} from '../../../engine/inference/index.ts';
import { nestingExceeds } from '../../../engine/json/index.ts';
import type { GenerateResult, StreamPart } from './adapter.ts';
import { isObject } from './frame.ts';
import { ownMetadata } from './prompt.ts';
import { TextPieces } from './textPieces.ts';

type Content = GenerateResult['content'][number];
type Metadata = { [key: string]: Json };

/** A text or a reasoning that is being read. */
interface OpenText {
  type: 'text' | 'reasoning';
  pieces: TextPieces;
  metadata: Metadata | undefined;
}

const maxModelName = 200;

/** Builds an answer from what a library reads of it, part by part, in their order. */
export class AnswerCollector {
  readonly #parts: (OpenText | MessagePart)[] = [];
  readonly #open = new Map<string, OpenText>();
  readonly #toolCalls: ToolCall[] = [];
  #model: string;
  #finishReason: FinishReason | undefined;

  constructor(model: string) {
    this.#model = model;
  }

  /** Takes a part of a stream that belongs to the answer. */
  take(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#start(part.type === 'text-start' ? 'text' : 'reasoning', part.id, part.providerMetadata);
        return;
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end':
        this.#continue(part);
        return;
      case 'response-metadata':
        this.named(part.modelId);
        return;
      case 'finish':
        this.finished(part.finishReason.unified);
        return;
      case 'tool-call':
      case 'tool-result':
      case 'file':
        this.takeWhole(part);
    }
  }

  /** Takes a complete part. */
  takeWhole(part: Content): void {
    const metadata = metadataOf(part.providerMetadata);
    const kept = metadata ? { metadata } : {};
    switch (part.type) {
      case 'text':
      case 'reasoning':
        this.#parts.push(textPart(part.type, part.text, metadata));
        return;
      case 'tool-call':
        this.#takeCall(part, metadata);
        return;
      case 'tool-result':
        this.#parts.push({
          type: 'tool_result',
          id: part.toolCallId,
          name: part.toolName,
          output: jsonOf(part.result),
          ...(part.isError ? { isError: true } : {}),
          ...kept,
        });
        return;
      case 'file':
        this.#parts.push({ type: 'file', mediaType: part.mediaType, data: base64Of(part.data), ...kept });
    }
  }

  named(model: string | undefined): void {
    if (model) this.#model = model.slice(0, maxModelName);
  }

  finished(reason: string): void {
    this.#finishReason = finishReasonOf(reason);
  }

  /** The answer, as far as it was read. */
  answer(): TextAnswer {
    const content = this.#parts.map((part): MessagePart => ('pieces' in part ? closed(part) : part));
    const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const hasCalls = this.#toolCalls.length > 0;
    return {
      kind: 'text',
      ...(texts.length > 0 ? { text: texts.join('') } : {}),
      ...(hasCalls ? { toolCalls: this.#toolCalls } : {}),
      content,
      model: this.#model,
      finishReason: this.#finishReason ?? 'other',
    };
  }

  #start(type: OpenText['type'], id: string, metadata: unknown): void {
    const open: OpenText = { type, pieces: new TextPieces(), metadata: metadataOf(metadata) };
    this.#parts.push(open);
    this.#open.set(`${type} ${id}`, open);
  }

  #continue(part: Extract<StreamPart, { type: `${'text' | 'reasoning'}-${'delta' | 'end'}` }>): void {
    const type = part.type.startsWith('text') ? 'text' : 'reasoning';
    const open = this.#open.get(`${type} ${part.id}`);
    if (!open) return;
    if ('delta' in part) open.pieces.add(part.delta);
    open.metadata = merged(open.metadata, metadataOf(part.providerMetadata));
  }

  #takeCall(call: Extract<Content, { type: 'tool-call' }>, metadata: Metadata | undefined): void {
    const { toolCallId: id, toolName: name, providerExecuted } = call;
    const { input, invalid } = inputOf(call.input);
    const own = providerExecuted ? { [ownMetadata]: { providerExecuted: true } } : undefined;
    const all = merged(metadata, own);
    // Providers take objects only, so an unreadable input goes back as an empty one.
    this.#parts.push({ type: 'tool_call', id, name, input: invalid ? {} : input, ...(all ? { metadata: all } : {}) });
    if (!providerExecuted) this.#toolCalls.push({ id, name, input, ...(invalid ? { invalid } : {}) });
  }
}

/** The libraries' words, as ours. Unknown ones are `other`. */
function finishReasonOf(reason: string): FinishReason {
  switch (reason) {
    case 'stop':
    case 'length':
    case 'tool-calls':
    case 'content-filter':
      return reason;
    default:
      return 'other';
  }
}

const closed = ({ type, pieces, metadata }: OpenText): MessagePart => textPart(type, pieces.toString(), metadata);

function textPart(type: OpenText['type'], text: string, metadata: Metadata | undefined): MessagePart {
  const kept = metadata ? { metadata } : {};
  return type === 'text' ? { type, text, ...kept } : { type, text, ...kept };
}

/** An input that cannot be read is handed over as text, and marked. */
function inputOf(text: string): { input: Json; invalid?: string } {
  if (nestingExceeds(text, maxAnswerDepth)) {
    return { input: text, invalid: `the input is nested deeper than ${maxAnswerDepth} levels` };
  }
  try {
    return { input: text.trim() === '' ? {} : JSON.parse(text) };
  } catch {
    return { input: text, invalid: 'the input is not JSON' };
  }
}

/** A copy as JSON: what comes from the network, and nothing that a library added. */
function jsonOf(value: unknown): Json {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

const base64Of = (data: string | Uint8Array): string =>
  typeof data === 'string' ? data : Buffer.from(data).toString('base64');

function metadataOf(given: unknown): Metadata | undefined {
  if (!isObject(given)) return undefined;
  const groups = Object.entries(given).filter(([, group]) => isObject(group) && Object.keys(group).length > 0);
  return groups.length > 0 ? JSON.parse(JSON.stringify(Object.fromEntries(groups))) : undefined;
}

/** The later report wins, field by field. */
function merged(earlier: Metadata | undefined, later: Metadata | undefined): Metadata | undefined {
  if (!earlier || !later) return later ?? earlier;
  const names = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const [before, after] = [earlier[name], later[name]];
      return [name, isObject(before) && isObject(after) ? { ...before, ...after } : jsonOf(after ?? before)];
    }),
  );
}
