import { logLevels, rootScope } from '@holdfast/sdk/protocol';
import type { JsonDocument, RawJson } from '../json/index.ts';
import { maxInt32 } from '../settings.ts';
import { redactFields } from '../timeline/index.ts';
import type { LogRow } from './commit.ts';
import { isObject } from './readAnswer.ts';

const maxScope = 512;

/**
 * The log lines of an answer (4.10), redacted, each once. Entries that are no log lines are
 * skipped. `attemptOf` answers the attempt of a scope.
 */
export function readLogs(document: JsonDocument | undefined, attemptOf: (scope: string) => number): LogRow[] {
  const logs = document && isObject(document.value) ? document.value['logs'] : undefined;
  if (!Array.isArray(logs)) return [];
  const rows = new Map<string, LogRow>();
  for (const [position, line] of logs.entries()) {
    const row = readLine(line, document?.raw('logs', position, 'fields'), attemptOf);
    if (!row) continue;
    const key = `${row.attempt} ${row.index} ${row.scope}`;
    if (!rows.has(key)) rows.set(key, row);
  }
  return [...rows.values()];
}

function readLine(
  line: unknown,
  rawFields: RawJson | undefined,
  attemptOf: (scope: string) => number,
): LogRow | undefined {
  if (!isObject(line)) return undefined;
  const level = logLevels.find((each) => each === line['level']);
  const { message, fields, index } = line;
  if (!level || typeof message !== 'string' || !isIndex(index)) return undefined;
  const scope = storable(typeof line['scope'] === 'string' ? line['scope'] : rootScope);
  return {
    scope,
    attempt: attemptOf(scope),
    index,
    level,
    message,
    fields: isObject(fields) && rawFields ? redactFields(rawFields).text : undefined,
  };
}

const isIndex = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxInt32;

/** A scope is stored as `text`, which holds neither U+0000 nor half a surrogate pair. */
const storable = (scope: string): string => scope.slice(0, maxScope).replace(/\0|\p{Surrogate}/gu, '\uFFFD');
