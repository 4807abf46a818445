import { createHash } from 'node:crypto';
import type { InvokeFrame, InvokeRequest } from '@holdfast/sdk/protocol';
import { WebSocket } from 'ws';
import { preciseNow, type RunnerEntry } from '../../support/ledgers.ts';
import { done, found, opcode, type Said } from '../../workers/dispatcher/faulty/sayings.ts';

export const flow = { app: 'faults', name: 'flow' } as const;
const steps = ['first', 'second', 'third'] as const;

/**
 * Runners of one app, one at each address, that dial again whenever their connection is lost. They
 * execute three steps with a short sleep between the last two, and write down what they see.
 */
export class Fleet {
  readonly entries: RunnerEntry[] = [];
  readonly #secretKey: string;
  /** Over which connection each invoke came. */
  readonly #origins = new Map<string, string>();
  readonly #sockets = new Map<string, WebSocket>();
  #isClosed = false;
  #invokes = 0;

  constructor(baseUrls: readonly string[], secretKey: string) {
    this.#secretKey = secretKey;
    for (const baseUrl of baseUrls) this.#dial(baseUrl);
  }

  /** What runners saw, without the invokes that are told apart, and what came of them. */
  entriesBut(isLeftOut: (invoke: { at: number; baseUrl: string }) => boolean): RunnerEntry[] {
    const leftOut = new Set(
      this.entries.flatMap(({ kind, at, invokeId }) =>
        kind === 'invoke' && isLeftOut({ at, baseUrl: this.#origins.get(invokeId) ?? '' }) ? [invokeId] : [],
      ),
    );
    return this.entries.filter(({ invokeId }) => !leftOut.has(invokeId));
  }

  close(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets.values()) socket.terminate();
  }

  #dial(baseUrl: string): void {
    if (this.#isClosed) return;
    const headers = { authorization: `Bearer ${this.#secretKey}` };
    const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/connect`, { headers });
    this.#sockets.set(baseUrl, socket);
    const runner = `runner of ${new URL(baseUrl).port}`;
    const hello = { type: 'hello', app: flow.app, runner, maxInFlight: 200, workflows: [{ name: flow.name }] };
    socket.on('open', () => socket.send(JSON.stringify(hello)));
    socket.on('error', () => undefined);
    socket.on('close', () => setTimeout(() => this.#dial(baseUrl), redialMs));
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data));
      if (frame.type === 'ping') socket.send('{"type":"pong"}');
      // It keeps what it has in hand, and is closed once that is answered.
      if (frame.type === 'invoke') this.#answer(baseUrl, socket, frame);
    });
  }

  #answer(baseUrl: string, socket: WebSocket, { id, request }: InvokeFrame): void {
    const invokeId = `${id} ${++this.#invokes}`;
    const { runId } = request.ctx;
    this.#origins.set(invokeId, baseUrl);
    this.entries.push({ kind: 'invoke', at: preciseNow(), invokeId, runId, memo: memoOf(request) });
    const { status, body } = this.#execute(request, invokeId);
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(`{"type":"result","id":"${id}","status":${status},"body":${body}}`);
    this.entries.push({ kind: 'replied', at: preciseNow(), invokeId, runId, status });
  }

  #execute(request: InvokeRequest, invokeId: string): Said {
    const { runId } = request.ctx;
    for (const name of steps) {
      const stepId = idOf(name);
      if (name === 'third' && !request.steps[idOf('nap')]) return found(opcode('Sleep', 'nap', { sleepMs: 100 }));
      if (name === 'third' && 'pending' in (request.steps[idOf('nap')] ?? {})) return found();
      if (request.steps[stepId]) continue;
      this.entries.push({ kind: 'body', at: preciseNow(), invokeId, runId, stepId });
      return found(opcode('StepRun', name, { data: { name, runId } }));
    }
    return done(request.event.data);
  }
}

const redialMs = 100;
const idOf = (name: string): string => createHash('sha256').update(name).digest('hex');

const memoOf = ({ steps: memo }: InvokeRequest) =>
  Object.entries(memo)
    .filter(([, entry]) => !('pending' in entry))
    .map(([stepId, entry]) => ({ stepId, text: JSON.stringify(entry) }));
