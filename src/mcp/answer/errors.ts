import type { CallToolResult } from '@modelcontextprotocol/server';
import type { EngineContext } from '../../engine/context.ts';
import { internalError } from '../../engine/errors.ts';
import { newId } from '../../engine/ids.ts';
import { noteOutage, shownError } from '../../engine/outages.ts';
import { errorCodes } from '../../schema/index.ts';

/** A failed call. */
export interface Failed {
  result: CallToolResult;
  /** Whether the failure is unexpected. It is logged, and its text is hidden. */
  isFault: boolean;
}

/** What the caller of a tool sees of a failure: the reason that REST gives. */
export function toErrorResult(engine: EngineContext, thrown: unknown, about: Readonly<Record<string, string>>): Failed {
  const shown = shownError(thrown);
  if (!shown) {
    engine.log.error({ err: thrown, requestId: newId(), ...about }, 'call of a tool failed');
    return { result: errorResult(internalError, 'INTERNAL'), isFault: true };
  }
  noteOutage(engine, thrown);
  return { result: errorResult(shown.message, errorCodes[shown.kind], hints[shown.kind]), isFault: false };
}

const hints: Readonly<Partial<Record<keyof typeof errorCodes, string>>> = {
  busy: 'Try again in a few seconds, or after the time that the reason names.',
  noRunner: 'list_runners shows who serves the app.',
};

function errorResult(error: string, code: string, hint?: string): CallToolResult {
  const texts = hint === undefined ? [error] : [error, hint];
  return {
    content: texts.map((text) => ({ type: 'text', text })),
    structuredContent: { error, code },
    isError: true,
  };
}
