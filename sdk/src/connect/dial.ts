import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { reasonIn } from '../errorReason.ts';

/** The little of a WebSocket that a session needs. */
export interface Socket {
  send(text: string): void;
  close(code: number, reason: string): void;
  /** Drops the connection without a closing handshake. */
  terminate(): void;
  /**
   * Grows with all that comes over it: with every frame, and where the runtime tells, with every
   * byte, halves of frames too.
   */
  readonly heard: number;
}

export interface SocketEvents {
  opened(): void;
  received(text: string): void;
  /**
   * The end of every socket, called once. `status` is the HTTP status of an upgrade that was
   * refused.
   */
  ended(end: { code: number; reason: string; status?: number }): void;
}

const upgradeTimeoutMs = 10_000;

/**
 * What is read of the answer to a refused upgrade, and how long that may take: the service's own
 * are short.
 */
const refusalBytes = 4096;
const refusalTimeoutMs = 2_000;

/** The code that stands for "no close frame came" (RFC 6455). */
const abnormal = 1006;

export interface DialOptions {
  readonly url: string;
  /** Say who dials. */
  readonly credentials: Readonly<Record<string, string>>;
  /** What it takes of one frame. */
  readonly maxRequestBytes: number;
}

export function dial({ url, credentials, maxRequestBytes }: DialOptions, events: SocketEvents): Socket {
  const socket = new WebSocket(url, {
    headers: credentials,
    perMessageDeflate: false,
    handshakeTimeout: upgradeTimeoutMs,
    maxPayload: maxRequestBytes,
  });
  /** The connection beneath, once the upgrade is through. Not every runtime shows it. */
  let connection: { readonly bytesRead: number } | undefined;
  socket.on('upgrade', (response) => {
    connection = response.socket;
  });
  let frames = 0;
  socket.on('ping', () => {
    frames += 1;
  });
  let end: Parameters<SocketEvents['ended']>[0] | undefined;
  socket.on('open', () => events.opened());
  socket.on('message', (data) => {
    frames += 1;
    events.received(data.toString());
  });
  socket.on('unexpected-response', (_request, response) => {
    const status = response.statusCode ?? 0;
    void reasonOf(response).then((reason) => {
      end = { code: abnormal, reason: `HTTP ${status}${reason === undefined ? '' : `: ${reason}`}`, status };
      socket.terminate();
    });
  });
  // An error is always followed by a close.
  socket.on('error', (error) => {
    end ??= { code: abnormal, reason: error.message };
  });
  socket.on('close', (code, reason) => events.ended(end ?? { code, reason: reason.toString() }));
  return {
    send: (text) => socket.send(text),
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
    get heard() {
      return frames + (connection?.bytesRead ?? 0);
    },
  };
}

/** What the service says for its refusal; undefined where that cannot be read. */
async function reasonOf(response: IncomingMessage): Promise<string | undefined> {
  const timer = setTimeout(() => response.destroy(), refusalTimeoutMs);
  let text = '';
  try {
    for await (const chunk of response) {
      text += chunk;
      if (text.length > refusalBytes) return undefined;
    }
    return reasonIn(text);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
