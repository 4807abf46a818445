import type {
  CreateWebhookEndpointInput,
  UpdateWebhookEndpointInput,
  WebhookEndpointScheme,
  WebhookEventKind,
} from '../../data/generated/graphql.ts';

export const eventKinds: readonly WebhookEventKind[] = [
  'RUN_SUCCEEDED',
  'RUN_FAILED',
  'RUN_CANCELLED',
  'STEP_SUCCEEDED',
  'STEP_FAILED',
  'STEP_SKIPPED',
];

/** What a person has typed. */
export interface EndpointDraft {
  url: string;
  name: string;
  app: string;
  eventKinds: readonly WebhookEventKind[];
  scheme: WebhookEndpointScheme;
  enabled: boolean;
  /** A secret that the person brings; only for a new endpoint. */
  secret: string;
}

export const endpointFieldNames = ['url', 'name', 'app', 'eventKinds', 'scheme', 'secret'] as const;

/** The draft of a new endpoint. Ended runs are what most receivers want to know. */
export const newEndpoint: EndpointDraft = {
  url: '',
  name: '',
  app: '',
  eventKinds: ['RUN_SUCCEEDED', 'RUN_FAILED', 'RUN_CANCELLED'],
  scheme: 'SERVICE',
  enabled: true,
  secret: '',
};

interface Known extends Pick<EndpointDraft, 'url' | 'eventKinds' | 'scheme' | 'enabled'> {
  name?: string | null | undefined;
  app?: string | null | undefined;
}

export const draftOf = ({ url, name, app, eventKinds: kinds, scheme, enabled }: Known): EndpointDraft => ({
  ...{ url, eventKinds: kinds, scheme, enabled, secret: '' },
  ...{ name: name ?? '', app: app ?? '' },
});

/** The input that creates it. Empty fields are absent. */
export function createInput(draft: EndpointDraft): CreateWebhookEndpointInput {
  const { url, eventKinds: kinds, scheme, enabled } = draft;
  const name = draft.name.trim();
  const app = draft.app.trim();
  return {
    ...{ url: url.trim(), eventKinds: [...kinds], scheme, enabled },
    ...(name && { name }),
    ...(app && { app }),
    ...(draft.secret && { secret: draft.secret }),
  };
}

/** The input that changes what differs. An emptied name or app is cleared by null. */
export function updateInput(id: string, before: EndpointDraft, after: EndpointDraft): UpdateWebhookEndpointInput {
  const text = (value: string): string | null => value.trim() || null;
  return {
    id,
    ...(after.url.trim() !== before.url && { url: after.url.trim() }),
    ...(text(after.name) !== text(before.name) && { name: text(after.name) }),
    ...(text(after.app) !== text(before.app) && { app: text(after.app) }),
    ...(kindsOf(after) !== kindsOf(before) && { eventKinds: [...after.eventKinds] }),
    ...(after.scheme !== before.scheme && { scheme: after.scheme }),
    ...(after.enabled !== before.enabled && { enabled: after.enabled }),
  };
}

const kindsOf = ({ eventKinds: kinds }: EndpointDraft): string => [...kinds].sort().join(' ');
