import type { Dispatcher } from 'undici';
import type { AnswerHeaders, ReadAnswer } from './answer.ts';

/** The end of a request. */
export type Ending =
  | { kind: 'answered'; answer: ReadAnswer }
  /** The time limit ended it, perhaps while the body was read. */
  | { kind: 'timeout'; answer: ReadAnswer | undefined }
  | { kind: 'failed'; error: Error; answer: ReadAnswer | undefined };

/** The bytes of a body that are read. The rest of the answer is not awaited. */
export const maxBodyBytes = 16 * 1024;

/** Answers of the kind 1xx before the actual one. */
const maxInformational = 20;

/** The reason of an end that is ours. One for all: a trace of calls for each would cost much. */
const enough = new Error('the exchange has ended');

/**
 * One request and its answer, with bounds for all that the receiver sends. The whole exchange has
 * one time limit, which includes the connection.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #end: (ending: Ending) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #hasEnded = false;
  #informational = 0;
  #statusCode: number | undefined;
  #headers: AnswerHeaders = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(timeoutMs: number, end: (ending: Ending) => void) {
    this.#end = end;
    this.#timer = setTimeout(() => this.#finish({ kind: 'timeout', answer: this.#answer() }), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The connection took too long.
    if (this.#hasEnded) controller.abort(enough);
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: AnswerHeaders): void {
    if (statusCode >= 200) {
      this.#statusCode = statusCode;
      this.#headers = headers;
      return;
    }
    this.#informational += 1;
    if (this.#informational <= maxInformational) return;
    this.#fail(new Error('too many informational answers'));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#hasEnded) return;
    // A copy: a small part must not keep the whole buffer of the connection.
    this.#chunks.push(Buffer.from(chunk.subarray(0, maxBodyBytes - this.#bytes)));
    this.#bytes += chunk.length;
    if (this.#bytes >= maxBodyBytes) this.#succeed();
  }

  onResponseEnd(): void {
    this.#succeed();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  /** Ends the exchange because it cannot start. */
  refuse(error: Error): void {
    this.#fail(error);
  }

  #succeed(): void {
    const answer = this.#answer();
    if (answer) this.#finish({ kind: 'answered', answer });
    else this.#fail(new Error('no answer'));
  }

  #fail(error: Error): void {
    this.#finish({ kind: 'failed', error, answer: this.#answer() });
  }

  #answer(): ReadAnswer | undefined {
    if (this.#statusCode === undefined) return undefined;
    return { statusCode: this.#statusCode, headers: this.#headers, body: Buffer.concat(this.#chunks) };
  }

  #finish(ending: Ending): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#chunks = [];
    // Without effect if the answer has been read to its end.
    this.#controller?.abort(enough);
    this.#controller = undefined;
    // By then, the connection can take the next request.
    setImmediate(this.#end, ending);
  }
}
