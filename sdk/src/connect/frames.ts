import { asDeclared } from '../json/asDeclared.ts';
import type { ServiceFrame } from '../protocol.ts';

/**
 * Parses a frame of the service. A type of a later protocol is `unknown`; anything else is
 * `malformed`.
 */
export function parseFrame(text: string): ServiceFrame | { type: 'unknown' } | { type: 'malformed' } {
  const frame = parsed(text);
  if (!isRecord(frame) || typeof frame.type !== 'string') return { type: 'malformed' };
  const check = checks[frame.type];
  if (check === undefined) return { type: 'unknown' };
  return check(frame) ? asDeclared<ServiceFrame>(frame) : { type: 'malformed' };
}

type Fields = Record<string, unknown>;

const checks: Record<string, ((frame: Fields) => boolean) | undefined> = {
  ready: (frame) =>
    typeof frame.runnerId === 'string' &&
    typeof frame.heartbeatMs === 'number' &&
    (frame.accepts === undefined || Array.isArray(frame.accepts)) &&
    (frame.features === undefined || Array.isArray(frame.features)),
  invoke: (frame) => typeof frame.id === 'string' && isInvokeRequest(frame.request),
  continue: (frame) =>
    typeof frame.id === 'string' &&
    typeof frame.of === 'string' &&
    isRecord(frame.steps) &&
    Object.values(frame.steps).every(isRecord) &&
    (frame.ai === undefined || isRecord(frame.ai)),
  ping: () => true,
  cancel: (frame) => typeof frame.id === 'string',
  drain: () => true,
  error: (frame) => typeof frame.error === 'string',
};

export function isInvokeRequest(request: unknown): boolean {
  return (
    isRecord(request) &&
    isRecord(request.event) &&
    isRecord(request.steps) &&
    isRecord(request.ctx) &&
    typeof request.ctx.runId === 'string' &&
    typeof request.ctx.workflow === 'string'
  );
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
