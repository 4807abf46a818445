import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

export interface AnswerBodyOptions {
  encoding: string | string[] | undefined;
  /** After decompression. */
  maxBytes: number;
  /** The connection, which is paused while nobody reads. */
  flow: { pause(): void; resume(): void };
  onTooLarge: () => void;
  onUnreadable: (error: Error) => void;
}

/** Bytes that wait for their reader before the connection is paused. */
const bufferedBytes = 16 * 1024;

/**
 * The body of an answer, as a stream of bytes. Its size is bounded after decompression, so that a
 * small answer cannot expand without limit. Requests ask for none, but a proxy may compress.
 */
export class AnswerBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #options: AnswerBodyOptions;
  readonly #decoder: Transform | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #bytes = 0;
  #isClosed = false;

  constructor(options: AnswerBodyOptions) {
    this.#options = options;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => options.flow.resume(),
        // The reader has seen enough. The exchange ends the connection.
        cancel: () => {
          this.#isClosed = true;
          this.#decoder?.destroy();
        },
      },
      { highWaterMark: bufferedBytes, size: (chunk) => chunk?.byteLength ?? 0 },
    );
    this.#decoder = decoderOf(options.encoding);
    this.#decoder?.on('data', (chunk: Buffer) => this.#deliver(chunk));
    this.#decoder?.on('end', () => this.end());
    this.#decoder?.on('error', (error) => options.onUnreadable(error));
  }

  /** Takes bytes of the connection. */
  write(chunk: Buffer): void {
    if (this.#isClosed) return;
    if (!this.#decoder) this.#deliver(chunk);
    else if (!this.#decoder.write(chunk)) {
      this.#options.flow.pause();
      this.#decoder.once('drain', () => this.#options.flow.resume());
    }
  }

  /** The connection has delivered everything. */
  finish(): void {
    if (this.#decoder) this.#decoder.end();
    else this.end();
  }

  /** Ends the body here. */
  end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#controller?.close();
    this.#decoder?.destroy();
  }

  fail(error: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#controller?.error(error);
    this.#decoder?.destroy();
  }

  /** The text up to a size. The rest is not read. */
  async text(maxBytes: number): Promise<string> {
    const decoder = new TextDecoder();
    const reader = this.stream.getReader();
    const parts: string[] = [];
    let bytes = 0;
    while (bytes < maxBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(decoder.decode(value.subarray(0, maxBytes - bytes), { stream: true }));
      bytes += value.byteLength;
    }
    return parts.join('') + decoder.decode();
  }

  #deliver(chunk: Uint8Array): void {
    if (this.#isClosed) return;
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#options.maxBytes) {
      this.#options.onTooLarge();
      return;
    }
    this.#controller?.enqueue(chunk);
    // A decoder that is not paused is bounded by the size of the answer.
    if (!this.#decoder && (this.#controller?.desiredSize ?? 0) <= 0) this.#options.flow.pause();
  }
}

function decoderOf(encoding: string | string[] | undefined): Transform | undefined {
  switch (String(encoding ?? '').toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
