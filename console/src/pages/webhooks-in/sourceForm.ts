import type {
  CreateWebhookSourceInput,
  UpdateWebhookSourceInput,
  WebhookHandshake,
  WebhookSourceScheme,
} from '../../data/generated/graphql.ts';

/** What a person has typed. */
export interface SourceDraft {
  name: string;
  eventName: string;
  scheme: WebhookSourceScheme;
  app: string;
  targetApp: string;
  dedupeKey: string;
  /** Names of headers, separated by commas. */
  exposeHeaders: string;
  handshake: WebhookHandshake | '';
  enabled: boolean;
  /** A secret that the sender made; only for a new source. */
  secret: string;
}

export const sourceFieldNames = [
  ...(['name', 'eventName', 'scheme', 'app', 'targetApp', 'dedupeKey', 'exposeHeaders'] as const),
  ...(['handshake', 'secret'] as const),
] as const;

export const newSource: SourceDraft = {
  ...{ name: '', eventName: '', scheme: 'SERVICE', app: '', targetApp: '', dedupeKey: '' },
  ...{ exposeHeaders: '', handshake: '', enabled: true, secret: '' },
};

interface Known {
  name?: string | null | undefined;
  eventName: string;
  scheme: WebhookSourceScheme;
  app?: string | null | undefined;
  targetApp?: string | null | undefined;
  dedupeKey?: string | null | undefined;
  exposeHeaders: readonly string[];
  handshake?: WebhookHandshake | null | undefined;
  enabled: boolean;
}

export const draftOf = (known: Known): SourceDraft => ({
  ...{ eventName: known.eventName, scheme: known.scheme, app: known.app ?? '', enabled: known.enabled, secret: '' },
  ...{ name: known.name ?? '', targetApp: known.targetApp ?? '', dedupeKey: known.dedupeKey ?? '' },
  ...{ exposeHeaders: known.exposeHeaders.join(', '), handshake: known.handshake ?? '' },
});

const textOf = (text: string): string | null => text.trim() || null;
const headersOf = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

/** The input that creates it. Empty fields are absent. */
export function createInput(draft: SourceDraft): CreateWebhookSourceInput {
  const texts = Object.fromEntries(
    (['name', 'app', 'targetApp', 'dedupeKey'] as const).flatMap((key) => {
      const value = textOf(draft[key]);
      return value === null ? [] : [[key, value]];
    }),
  );
  const headers = headersOf(draft.exposeHeaders);
  return {
    ...texts,
    ...{ eventName: draft.eventName.trim(), scheme: draft.scheme, enabled: draft.enabled },
    ...(headers.length > 0 && { exposeHeaders: headers }),
    ...(draft.handshake && { handshake: draft.handshake }),
    ...(draft.secret && { secret: draft.secret }),
  };
}

/** The input that changes what differs. Emptied optional fields are cleared by null. */
export function updateInput(id: string, before: SourceDraft, after: SourceDraft): UpdateWebhookSourceInput {
  const changed = (key: keyof SourceDraft): boolean => String(after[key]).trim() !== String(before[key]).trim();
  const headers = headersOf(after.exposeHeaders);
  return {
    id,
    ...(changed('name') && { name: textOf(after.name) }),
    ...(changed('eventName') && { eventName: after.eventName.trim() }),
    ...(changed('app') && { app: textOf(after.app) }),
    ...(changed('targetApp') && { targetApp: textOf(after.targetApp) }),
    ...(changed('dedupeKey') && { dedupeKey: textOf(after.dedupeKey) }),
    ...(changed('scheme') && { scheme: after.scheme }),
    ...(changed('handshake') && { handshake: after.handshake || null }),
    ...(changed('enabled') && { enabled: after.enabled }),
    ...(headers.join() !== headersOf(before.exposeHeaders).join() && { exposeHeaders: headers }),
  };
}
