import type { Frame } from '../bus.ts';
import type { EngineContext } from '../context.ts';
import { type RawJson, readJson } from '../json/index.ts';
import { clampLimit, type FramesQuery, readPage } from './readFrames.ts';

/** A log line of a run (2.6). */
export interface LogLine {
  seq: number;
  ts: Date;
  level: string;
  message: string;
  fields: RawJson | undefined;
  scope: string;
  attempt: number;
}

/**
 * Log lines after `from`, oldest first; they count by the `seq` of all frames. A page ends early where its lines are
 * megabytes. Throws like `readFrames`.
 */
export async function readLogs(ctx: EngineContext, { limit, ...position }: FramesQuery): Promise<LogLine[]> {
  const frames = await readPage(ctx, position, { kind: 'log', limit: clampLimit(limit) });
  return frames.map(toLogLine);
}

function toLogLine({ seq, ts, payload }: Frame): LogLine {
  const document = readJson(payload);
  const { level, message, scope, attempt } = asRecord(document.value);
  return {
    seq,
    ts,
    level: String(level),
    message: String(message),
    fields: document.raw('fields'),
    scope: String(scope),
    attempt: Number(attempt),
  };
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
