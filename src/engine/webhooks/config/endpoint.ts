import type { EngineContext } from '../../context.ts';
import { invalid } from '../../errors.ts';
import type { LifecycleKind } from '../../lifecycle/index.ts';
import {
  checkEventKinds,
  checkUrl,
  type Given,
  optionalName,
  type Present,
  required,
  withoutNulls,
  withoutUndefined,
} from './fields.ts';
import type { EndpointScheme } from './schemes.ts';

/** The settings of an endpoint (2.11). */
export interface EndpointSettings {
  name: string | null;
  /** Null: it receives deliveries of all apps. */
  app: string | null;
  url: string;
  eventKinds: readonly LifecycleKind[];
  scheme: EndpointScheme;
  enabled: boolean;
}

export interface EndpointRow extends EndpointSettings {
  id: string;
  projectId: string;
  /** When the service disabled it. */
  disabledAt: Date | null;
  /** The end of a rotation's overlap, while it lasts. */
  previousSecretUntil: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** The settings as a caller gives them. */
export type EndpointInput = { [Name in keyof EndpointSettings]?: Given<EndpointSettings[Name]> };

/** Checks the settings that are given. Throws `invalid`. */
export function checkEndpoint(ctx: EngineContext, input: EndpointInput): Present<EndpointSettings> {
  const url = required('url', input.url);
  const eventKinds = required('eventKinds', input.eventKinds);
  return withoutUndefined({
    name: optionalName('name', input.name),
    app: optionalName('app', input.app),
    url: url === undefined ? url : checkUrl(ctx, url),
    eventKinds: eventKinds && checkEventKinds(eventKinds),
    scheme: required('scheme', input.scheme),
    enabled: required('enabled', input.enabled),
  });
}

/** The settings of a new endpoint. Throws `invalid`. */
export function completeEndpoint(ctx: EngineContext, input: EndpointInput): EndpointSettings {
  const { url, eventKinds, ...others } = checkEndpoint(ctx, withoutNulls(input));
  if (url === undefined) throw invalid('url is required');
  if (eventKinds === undefined) throw invalid('eventKinds is required');
  return { name: null, app: null, scheme: 'service', enabled: true, ...others, url, eventKinds };
}
