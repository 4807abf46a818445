import type { Credentials } from '../data/credentials.ts';

const place = 'holdfast.session';
const channelName = 'holdfast.session';
/** How long other tabs may take to answer. */
const patienceMs = 250;

type Message = { ask: true } | { key: Credentials };

/** Keeps a key for this tab, if the person wants that. It survives a reload, not the tab. */
export function keepKey(credentials: Credentials): void {
  try {
    sessionStorage.setItem(place, JSON.stringify(credentials));
  } catch {
    // Without storage, the key lives in memory only.
  }
}

export function keptKey(): Credentials | undefined {
  try {
    return readCredentials(JSON.parse(sessionStorage.getItem(place) ?? 'null'));
  } catch {
    return undefined;
  }
}

export function forgetKey(): void {
  try {
    sessionStorage.removeItem(place);
  } catch {
    // There was none.
  }
}

function readCredentials(value: unknown): Credentials | undefined {
  if (typeof value !== 'object' || value === null || !('key' in value) || typeof value.key !== 'string')
    return undefined;
  const text = (name: 'project' | 'actor'): string | undefined => {
    const found = (value as Record<string, unknown>)[name];
    return typeof found === 'string' ? found : undefined;
  };
  return { key: value.key, project: text('project'), actor: text('actor') };
}

/** Asks other tabs of this browser for a key that they keep. */
export function askOtherTabs(): Promise<Credentials | undefined> {
  if (typeof BroadcastChannel === 'undefined') return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(channelName);
    const finish = (credentials: Credentials | undefined): void => {
      clearTimeout(timer);
      channel.close();
      resolve(credentials);
    };
    const timer = setTimeout(() => finish(undefined), patienceMs);
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      const found = 'key' in data ? readCredentials(data.key) : undefined;
      if (found) finish(found);
    };
    channel.postMessage({ ask: true } satisfies Message);
  });
}

let answering: BroadcastChannel | undefined;

/** Answers tabs that ask, with the key that this one keeps. */
export function onAsked(key: () => Credentials | undefined): void {
  if (typeof BroadcastChannel === 'undefined') return;
  answering = new BroadcastChannel(channelName);
  answering.onmessage = ({ data }: MessageEvent<Message>) => {
    const credentials = 'ask' in data ? key() : undefined;
    if (credentials) answering?.postMessage({ key: credentials } satisfies Message);
  };
}
