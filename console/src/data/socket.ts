import { type Client, createClient } from 'graphql-ws';
import { onCredentialsChange, presentCredentials, refuseKey, socketPayloadOf } from './credentials.ts';

/** The state of live updates: `interrupted` shows the bar. */
export type LiveState = 'idle' | 'live' | 'interrupted';

let client: Client | undefined;
let state: LiveState = 'idle';
const stateListeners = new Set<() => void>();
const returnListeners = new Set<() => void>();

export const liveState = (): LiveState => state;

export function onLiveState(listener: () => void): () => void {
  stateListeners.add(listener);
  return () => stateListeners.delete(listener);
}

/** Registers what to do after a lost connection has come back: changes may have been missed. */
export function onReturn(listener: () => void): () => void {
  returnListeners.add(listener);
  return () => returnListeners.delete(listener);
}

/** The one socket of this tab. It opens with the first subscription. */
export function socket(): Client {
  client ??= openSocket();
  return client;
}

/** Closes the socket. The next subscription opens another with the present key. */
export function closeSocket(): void {
  const closing = client;
  client = undefined;
  void closing?.dispose();
  setState('idle');
}

onCredentialsChange(closeSocket);

const unauthenticated = 4401;
/** Codes after which another try cannot help. */
const final = new Set([unauthenticated, 4403, 4004, 4005, 4400, 4500]);

function openSocket(): Client {
  const sent = presentCredentials();
  const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`;
  const opened = createClient({
    url,
    lazy: true,
    lazyCloseTimeout: 10_000,
    keepAlive: 15_000,
    connectionParams: () => (sent ? socketPayloadOf(sent) : {}),
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: (event) => !final.has(codeOf(event)),
    retryWait: (tries) => {
      const waitMs = Math.min(15_000, 300 * 2 ** tries) * (0.5 + Math.random());
      return new Promise((resolve) => setTimeout(resolve, waitMs));
    },
    onNonLazyError: () => {},
    on: {
      connected: (_socket, _payload, wasRetry) => {
        setState('live');
        if (wasRetry) for (const each of returnListeners) each();
      },
      closed: (event) => {
        if (client !== opened) return;
        const code = codeOf(event);
        if (code === unauthenticated && sent) refuseKey(sent.key, 'The service no longer accepts the key.');
        // A lazy close, because nobody subscribes, is no trouble.
        setState(code === 1000 ? 'idle' : 'interrupted');
      },
    },
  });
  return opened;
}

const codeOf = (event: unknown): number =>
  typeof event === 'object' && event !== null && 'code' in event && typeof event.code === 'number' ? event.code : 0;

function setState(next: LiveState): void {
  if (state === next) return;
  state = next;
  for (const each of stateListeners) each();
}
