import type { LogLevel } from '@holdfast/sdk/protocol';
import { isLongerThan, maxNameLength } from '../../codePoints.ts';
import type { EngineContext } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { hasUnsupportedCharacter } from '../../json/index.ts';
import { anySize } from '../../paging/index.ts';
import { type FoundLogRow, selectLatestRunLogs, selectRunLogs } from '../sql/selectRunLogs.ts';
import { contentPattern } from './contentPattern.ts';

export interface LogFilter {
  /** Any if absent or empty. */
  levels?: readonly LogLevel[] | null | undefined;
  /** The step; `@root` for the handler itself. */
  scope?: string | null | undefined;
  /** A part of the message or of the fields. */
  q?: string | null | undefined;
}

export interface LogQuery extends LogFilter {
  /** Lines after this `seq`, and before that one. */
  from: number;
  before: number;
  /** Whether the page ends with the last of these lines. Otherwise it begins with the first. */
  isLatest: boolean;
  /** At least 1. */
  limit: number;
}

/** Lines that one statement looks through for a filter, of all its runs together. */
export const searchedLines = 20_000;
/** Bytes of these lines as stored. */
const searchedBytes = 32 * 1024 * 1024;

/** Throws `invalid` if a filter cannot be. */
export function checkLogFilter({ q }: LogFilter): void {
  if (q && isLongerThan(q, maxNameLength)) throw invalid(`q may be at most ${maxNameLength} characters long`);
}

/**
 * Pages of log lines of runs (2.6), in the order in which they were read: newest first for the
 * latest. A page with a filter ends after so many lines were looked through, too: its last row then
 * tells where, and need not match. A search waits for its turn, and throws `busy` if none comes.
 */
export async function readLogs(
  { db, settings, longReads }: Pick<EngineContext, 'db' | 'settings' | 'longReads'>,
  runIds: readonly string[],
  { levels, scope, q, isLatest, limit, from, before }: LogQuery,
  maxBytes: number,
): Promise<FoundLogRow[]> {
  // PostgreSQL refuses U+0000, and no stored text contains it.
  if ([scope, q].some((part) => part && hasUnsupportedCharacter(part))) return [];
  const isFiltered = Boolean(levels?.length || scope || q);
  const lines = Math.max(limit + 1, Math.floor(searchedLines / runIds.length));
  const select = isLatest ? selectLatestRunLogs : selectRunLogs;
  const params = {
    ...{ runIds, from, before, limit, maxBytes, pageBytes: settings.limits.pageMaxBytes },
    levels: levels?.length ? `${levelSql}"(?:${levels.join('|')})"` : null,
    scope: scope || null,
    part: q ? `%${q.replace(/[\\%_]/g, '\\$&')}%` : null,
    content: q ? contentSql(q) : null,
    scanned: isFiltered ? lines : limit + 1,
    scannedBytes: isFiltered ? Math.floor(searchedBytes / runIds.length) : anySize,
  };
  return isFiltered ? longReads.take(() => select(db, params)) : select(db, params);
}

// The payload of a log frame begins with its level and its message (`timeline/framePayload.ts`).

const levelSql = '^\\{"level" ?: ?';
/** A character of a JSON string, or one escape. */
const characterSql = '(?:[^"\\\\]|\\\\[^u]|\\\\u[0-9a-f]{4})';

/** Finds a text in the message, or in the fields behind it. The names of the line do not count. */
function contentSql(q: string): string {
  const wanted = contentPattern(q);
  // A raw quote ends the message.
  const inMessage = wanted.replaceAll('(?:"|', '(?:');
  const inFields = `${characterSql}*", ?"fields" ?: ?.*${wanted}.*, ?"scope" ?: ?"`;
  return `${levelSql}"[a-z]+", ?"message" ?: ?"${characterSql}*(?:${inMessage}|${inFields})`;
}
