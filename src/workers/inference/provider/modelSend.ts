import type { Json } from '../../../engine/inference/index.ts';
import type { Send } from './adapter.ts';
import type { AnswerBody } from './answerBody.ts';
import type { Exchange } from './exchange.ts';
import { isObject } from './frame.ts';

/** The bytes of an error's body that are read. */
const maxErrorBytes = 64 * 1024;

/** Fields of the body that a request's own options do not change. */
const reserved = ['model', 'stream'] as const;

/** The end of a send that a library does not need to read. */
class NotAStream extends Error {
  override readonly name = 'NotAStream';
}

/**
 * Sends for a library, once. Answers that are no stream are kept here instead, because the library
 * would refuse them, or put the whole request into its error.
 */
export class ModelSend {
  /** The body of an answer that is no success. */
  errorBody: string | undefined;
  /** A successful answer that is one JSON document. */
  document: string | undefined;
  readonly #exchange: Exchange;
  readonly #options: { readonly [key: string]: Json };
  readonly #idempotencyKey: string;

  constructor(exchange: Exchange, idempotencyKey: string, options: { readonly [key: string]: Json } = {}) {
    this.#exchange = exchange;
    this.#idempotencyKey = idempotencyKey;
    this.#options = options;
  }

  /** The options that were ignored, as warnings. */
  get warnings(): string[] {
    return reserved.filter((field) => field in this.#options).map((field) => `ignored: options.${field}`);
  }

  readonly send: Send = async (url, { headers, body }) => {
    const answer = await this.#exchange.send({ url, headers: this.#headersOf(headers), body: this.#bodyOf(body) });
    const { status = 0, headers: answered } = this.#exchange;
    if (status < 200 || status > 299) {
      this.errorBody = await answer.text(maxErrorBytes).catch(() => '');
      throw new NotAStream();
    }
    const isStream = String(answered['content-type'] ?? '').includes('text/event-stream');
    return responseOf(isStream ? answer.stream : await this.#wholeBody(answer));
  };

  /** Answers a library that reads the document. Nothing is sent. */
  readonly replay: Send = async () => new Response(this.document, { headers: { 'content-type': 'application/json' } });

  /** Some servers do not name the type of a stream, so the first character decides. */
  async #wholeBody(answer: AnswerBody): Promise<string> {
    const text = await answer.text(Number.POSITIVE_INFINITY);
    if (!text.trimStart().startsWith('{')) return text;
    this.document = text;
    throw new NotAStream();
  }

  #headersOf(headers: Headers): Record<string, string> {
    return {
      ...Object.fromEntries(headers),
      'user-agent': 'holdfast',
      'accept-encoding': 'identity',
      'idempotency-key': this.#idempotencyKey,
    };
  }

  /** The request with its own options, which go to the provider as they are. */
  #bodyOf(body: string): string {
    const given = Object.entries(this.#options).filter(([field]) => !reserved.some((each) => each === field));
    if (given.length === 0) return body;
    const composed: unknown = JSON.parse(body);
    if (!isObject(composed)) return body;
    const merged = { ...composed, ...Object.fromEntries(given) };
    // Without it, nothing would be known of the tokens.
    if (isObject(composed['stream_options']) && isObject(merged['stream_options'])) {
      merged['stream_options'] = { ...merged['stream_options'], ...composed['stream_options'] };
    }
    return JSON.stringify(merged);
  }
}

const responseOf = (body: ReadableStream<Uint8Array> | string): Response =>
  new Response(body, { headers: { 'content-type': 'text/event-stream' } });
