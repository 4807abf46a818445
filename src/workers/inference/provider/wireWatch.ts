import type { SendUsage } from '../../../engine/inference/index.ts';
import { type Fields, fieldsOf, isObject, textOf } from './frame.ts';
import { mergeUsage, readUsage } from './usage.ts';

/** An error that a provider reported, in its own words. */
export interface ProviderError {
  type?: string | undefined;
  code?: string | undefined;
  message?: string | undefined;
}

/**
 * Reads the frames of an answer beside the library, for what the library reports only at the end:
 * tokens so far, whether the answer is complete, and the error that ended it.
 */
export class WireWatch {
  usage: SendUsage = {};
  error: ProviderError | undefined;
  /** The provider's last word was read. */
  isComplete = false;
  /** The model began to answer. */
  hasOutput = false;
  #hasFinished = false;

  /** The stream has ended in order. Chat completions end without a last word. */
  get isFinished(): boolean {
    return this.isComplete || this.#hasFinished;
  }

  /** Takes a frame of a stream. */
  note(frame: unknown): void {
    if (!isObject(frame)) return;
    const type = textOf(frame['type']) ?? '';
    if (isErrorFrame(frame, type)) this.#fail(frame);
    else if (type.startsWith('response.')) this.#noteResponses(type, frame);
    else if (Array.isArray(frame['choices'])) this.#noteChat(frame);
    else this.#noteMessages(type, frame);
  }

  /** Takes a whole answer that is not a stream. */
  noteWhole(answer: unknown): void {
    if (!isObject(answer)) return;
    const status = answer['status'];
    if (isErrorFrame(answer, textOf(answer['type']) ?? '') || status === 'failed') this.#fail(answer);
    else if (['content', 'output', 'choices', 'data'].some((field) => Array.isArray(answer[field]))) {
      this.hasOutput = true;
      this.isComplete = true;
    }
    this.#count(answer['usage']);
  }

  /** Takes the error of a library that ended before it gave a frame. It quotes the frame. */
  noteThrown(error: unknown): void {
    const quoted = textOf(isObject(error) ? error['responseBody'] : undefined);
    const frame: unknown = quoted === undefined ? undefined : parsed(quoted);
    this.note(frame);
    const { type, code, message } = readError(frame) ?? {};
    if (message !== undefined && (type !== undefined || code !== undefined)) this.error ??= { type, code, message };
  }

  #noteMessages(type: string, frame: Fields): void {
    switch (type) {
      case 'message_start': {
        // The output counted here is that of a beginning.
        const { tokensOut: _, ...usage } = readUsage(fieldsOf(frame['message'])['usage']);
        this.usage = mergeUsage(this.usage, usage);
        return;
      }
      case 'message_delta':
        this.#countDelta(fieldsOf(frame['usage']));
        return;
      case 'message_stop':
        this.isComplete = true;
        return;
      case 'content_block_start':
        this.hasOutput = true;
    }
  }

  /** The parts of a later report may be absent: those of the first one stay. */
  #countDelta(usage: Fields): void {
    const { tokensIn, ...rest } = readUsage(usage);
    this.usage = mergeUsage(this.usage, rest);
    if (tokensIn !== undefined && tokensIn > (this.usage.tokensIn ?? 0)) this.usage.tokensIn = tokensIn;
  }

  #noteResponses(type: string, frame: Fields): void {
    if (type.startsWith('response.output') || type.startsWith('response.reasoning')) this.hasOutput = true;
    const response = fieldsOf(frame['response']);
    this.#count(response['usage']);
    if (type === 'response.failed') this.#fail(response);
    if (type === 'response.completed' || type === 'response.incomplete') this.isComplete = true;
  }

  #noteChat(frame: Fields): void {
    const [first] = Array.isArray(frame['choices']) ? frame['choices'] : [];
    const choice = fieldsOf(first);
    if (isObject(choice['delta'])) this.hasOutput = true;
    if (textOf(choice['finish_reason'])) this.#hasFinished = true;
    this.#count(frame['usage']);
    if (this.#hasFinished && isObject(frame['usage'])) this.isComplete = true;
  }

  #count(usage: unknown): void {
    if (isObject(usage)) this.usage = mergeUsage(this.usage, readUsage(usage));
  }

  #fail(frame: Fields): void {
    this.error ??= readError(frame) ?? {};
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isErrorFrame(frame: Fields, type: string): boolean {
  if (type === 'error') return true;
  return type === '' && frame['error'] !== undefined && frame['error'] !== null;
}

/** The error in a body or a frame, in any of the known shapes. */
export function readError(value: unknown): ProviderError | undefined {
  const body = fieldsOf(Array.isArray(value) ? value[0] : value);
  const inner = body['error'] ?? body['detail'] ?? body;
  if (typeof inner === 'string') return { message: inner };
  if (!isObject(inner)) return undefined;
  const message = textOf(inner['message']) ?? textOf(inner['detail']);
  const code = inner['code'];
  const type = textOf(inner['type']) ?? textOf(inner['status']);
  return {
    type: type === 'error' ? undefined : type,
    code: typeof code === 'number' ? String(code) : textOf(code),
    message,
  };
}
