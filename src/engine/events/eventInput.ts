import type { EngineContext } from '../context.ts';
import { invalid } from '../errors.ts';
import { parseTiming, type StartTiming, type TimingInput } from '../ingest/index.ts';
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
  /** When its runs start, and how long their starts hold. Only of events that a caller sends. */
  timing?: StartTiming | undefined;
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

/** The body of a call that sends an event, unchecked. */
export interface SentInput extends EventInput, TimingInput {}

/** Checks an event that a caller sends, as `parseEvent` does. */
export const parseSent = (ctx: Pick<EngineContext, 'clock'>, input: SentInput): ParsedEvent => ({
  ...parseEvent(input),
  timing: parseTiming(ctx, input),
});

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
