import { invalid } from '../../errors.ts';
import { parseName } from '../../registry/index.ts';
import {
  checkDedupeKey,
  checkExposeHeaders,
  type Given,
  optionalName,
  type Present,
  required,
  withoutNulls,
  withoutUndefined,
} from './fields.ts';
import type { Handshake, SourceScheme } from './schemes.ts';

/** The settings of a source (2.11). */
export interface SourceSettings {
  name: string | null;
  /** The app of its events. */
  app: string | null;
  eventName: string;
  targetApp: string | null;
  dedupeKey: string | null;
  scheme: SourceScheme;
  handshake: Handshake | null;
  /** In lower case. */
  exposeHeaders: readonly string[];
  enabled: boolean;
}

/** A source as people read it. */
export interface ShownSource extends SourceSettings {
  id: string;
  projectId: string;
  createdAt: Date;
  updatedAt: Date;
  /** Null if it has gone. */
  sealedToken: Buffer | null;
  /** The end of a rotation's overlap, while it lasts. */
  previousSecretUntil: Date | null;
}

/** The settings as a caller gives them. */
export type SourceInput = { [Name in keyof SourceSettings]?: Given<SourceSettings[Name]> };

/** Checks the settings that are given. Throws `invalid`. */
export function checkSource(input: SourceInput): Present<SourceSettings> {
  const eventName = required('eventName', input.eventName);
  const { exposeHeaders } = input;
  return withoutUndefined({
    name: optionalName('name', input.name),
    app: optionalName('app', input.app),
    eventName: eventName === undefined ? eventName : parseName(eventName, { field: 'eventName' }),
    targetApp: optionalName('targetApp', input.targetApp),
    dedupeKey: checkDedupeKey(input.dedupeKey),
    scheme: required('scheme', input.scheme),
    handshake: input.handshake,
    exposeHeaders: exposeHeaders === null ? [] : exposeHeaders && checkExposeHeaders(exposeHeaders),
    enabled: required('enabled', input.enabled),
  });
}

const unset = {
  name: null,
  app: null,
  targetApp: null,
  dedupeKey: null,
  scheme: 'service',
  handshake: null,
  exposeHeaders: [],
  enabled: true,
} as const;

/** The settings of a new source. Throws `invalid`. */
export function completeSource(input: SourceInput): SourceSettings {
  const { eventName, ...others } = checkSource(withoutNulls(input));
  if (eventName === undefined) throw invalid('eventName is required');
  return { ...unset, ...others, eventName };
}
