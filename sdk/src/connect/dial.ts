import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { reasonIn } from '../errorReason.ts';

/** The parts of a WebSocket that a session needs. */
export interface Socket {
  send(text: string): void;
  close(code: number, reason: string): void;
  /** Drops the connection without a closing handshake. */
  terminate(): void;
  /** Grows with every received frame. If the runtime reports bytes, it grows within frames, too. */
  readonly heard: number;
}

export interface SocketEvents {
  opened(): void;
  received(text: string): void;
  /** Called once at the end of every socket. `status` is the HTTP status of a refused upgrade. */
  ended(end: { code: number; reason: string; status?: number }): void;
}

const upgradeTimeoutMs = 10_000;

/** How much of a refusal is read, and for how long. The service's own refusals are short. */
const refusalBytes = 4096;
const refusalTimeoutMs = 2_000;

/** The close code for a missing close frame (RFC 6455). */
const abnormal = 1006;

export interface DialOptions {
  readonly url: string;
  /** The headers that identify the caller. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly maxRequestBytes: number;
}

export function dial({ url, credentials, maxRequestBytes }: DialOptions, events: SocketEvents): Socket {
  const socket = new WebSocket(url, {
    headers: credentials,
    perMessageDeflate: false,
    handshakeTimeout: upgradeTimeoutMs,
    maxPayload: maxRequestBytes,
  });
  /** The connection under the WebSocket, after the upgrade. Some runtimes do not expose it. */
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
  // A close follows every error.
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

/** The reason in a refusal's body; undefined if it cannot be read. */
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
