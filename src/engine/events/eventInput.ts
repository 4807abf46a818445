import { invalid } from '../errors.ts';
import {
  hasControlCharacter,
  hasUnsupportedCharacter,
  hasUnsupportedCharacterInJson,
  type RawJson,
} from '../json/index.ts';
import { boundedText, parseTags, type Tags } from '../runs/index.ts';

/** The body of `POST /events` (4.3), unchecked. */
export interface EventInput {
  name?: unknown;
  app?: unknown;
  runner?: unknown;
  targetApp?: unknown;
  dedupeId?: unknown;
  data?: RawJson | undefined;
  tags?: unknown;
  session?: unknown;
}

/** A checked event. */
export interface ParsedEvent {
  name: string;
  app: string;
  runner: string | undefined;
  targetApp: string | undefined;
  dedupeId: string | undefined;
  data: RawJson | undefined;
  tags: Tags | undefined;
  session: string | undefined;
}

/** The app of an event that names none. */
export const defaultApp = 'default';
const unsupported = 'unsupported character in event';

/** Checks an event from a caller. Throws `invalid`, which names the field and the limit. */
export function parseEvent(input: EventInput): ParsedEvent {
  refuseUnsupported(input);
  const name = boundedText('name', input.name);
  if (name === undefined || name.trim() === '') throw invalid('name is required and must not be blank');
  return {
    name,
    app: boundedText('app', input.app) ?? defaultApp,
    runner: boundedText('runner', input.runner),
    targetApp: boundedText('targetApp', input.targetApp),
    dedupeId: boundedText('dedupeId', input.dedupeId),
    data: input.data,
    tags: parseTags(input.tags),
    session: boundedText('session', input.session),
  };
}

function refuseUnsupported({ name, data, ...others }: EventInput): void {
  if (typeof name === 'string' && hasControlCharacter(name)) throw invalid(unsupported);
  if (data && hasUnsupportedCharacterInJson(data)) throw invalid(unsupported);
  const { tags, ...texts } = others;
  for (const text of Object.values(texts)) {
    if (typeof text === 'string' && hasUnsupportedCharacter(text)) throw invalid(unsupported);
  }
  if (tags && typeof tags === 'object' && Object.entries(tags).flat().some(isUnsupported)) throw invalid(unsupported);
}

const isUnsupported = (text: unknown): boolean => typeof text === 'string' && hasUnsupportedCharacter(text);
