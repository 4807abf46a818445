import { rootScope } from '@holdfast/sdk/protocol';
import { invalid } from '../../engine/errors.ts';
import { type JsonDocument, readJson } from '../../engine/json/index.ts';
import { pageSize } from '../../engine/paging/index.ts';
import { checkLogFilter, type LogFilter, type LogFrameRow } from '../../engine/runs/index.ts';
import { builder } from '../machinery/builder.ts';
import type { SchemaContext } from '../machinery/context.ts';
import { LogLevelEnum } from '../machinery/enums.ts';

/** A log line whose payload is parsed once. */
export interface LogLine {
  frame: LogFrameRow;
  document: JsonDocument;
}

export const toLogLine = (frame: LogFrameRow): LogLine => ({ frame, document: readJson(frame.payload) });

/** 2.6 */
export const LogLineType = builder.objectRef<LogLine>('RunLog').implement({
  description: 'A log line of a handler or a step.',
  fields: (t) => ({
    seq: t.int({ resolve: ({ frame }) => frame.seq }),
    ts: t.field({ type: 'DateTime', resolve: ({ frame }) => frame.ts }),
    level: t.field({ type: LogLevelEnum, resolve: ({ document }) => logFields(document).level }),
    message: t.string({ resolve: ({ document }) => logFields(document).message }),
    fields: t.field({ type: 'JSON', nullable: true, resolve: ({ document }) => document.raw('fields') ?? null }),
    scope: t.string({
      description: 'The step; `@root` for the handler itself.',
      resolve: ({ document }) => logFields(document).scope,
    }),
    attempt: t.int({ resolve: ({ document }) => logFields(document).attempt }),
  }),
});

export interface LogPage {
  nodes: LogLine[];
  /** The `seq` at which a page from the start ended, if more follow. */
  nextFrom: number | null;
  /** The same of a page from the end. */
  nextBefore: number | null;
}

export const LogPageType = builder.objectRef<LogPage>('RunLogPage').implement({
  fields: (t) => ({
    nodes: t.field({ type: [LogLineType], resolve: ({ nodes }) => nodes }),
    nextFrom: t.exposeInt('nextFrom', {
      nullable: true,
      description: 'The `from` of the next page; null on the last page. A page may have fewer lines than `limit`.',
    }),
    nextBefore: t.exposeInt('nextBefore', {
      nullable: true,
      description:
        'The `before` of the page with older lines. Null at the beginning, and unless the page was read from the end.',
    }),
  }),
});

export interface LogPageArgs extends LogFilter {
  from?: number | null | undefined;
  before?: number | null | undefined;
  limit?: number | null | undefined;
  last?: number | null | undefined;
}

/** Throws `invalid` if an argument is out of range. */
export async function readLogPage({ loaders }: SchemaContext, runId: string, args: LogPageArgs): Promise<LogPage> {
  const { last, limit, levels, scope, q } = args;
  if (isGiven(last) && isGiven(limit)) throw invalid('use limit or last, not both');
  checkLogFilter({ q });
  const isLatest = isGiven(last) || (isGiven(args.before) && !isGiven(limit));
  const range = {
    from: seqOf(args.from, 'from') ?? 0,
    before: seqOf(args.before, 'before') ?? Number.MAX_SAFE_INTEGER,
  };
  const size = isLatest ? pageSize(last, 'last') : pageSize(limit, 'limit');
  const rows = (await loaders.runs.logs.load({ runId, ...range, isLatest, limit: size, levels, scope, q })) ?? [];
  const end = rows.at(-1);
  const next = end?.hasNext ? end.seq : null;
  const lines = rows.filter(({ isMatch }) => isMatch).map(toLogLine);
  return isLatest
    ? { nodes: lines.reverse(), nextFrom: null, nextBefore: next }
    : { nodes: lines, nextFrom: next, nextBefore: null };
}

const isGiven = (value: number | null | undefined): boolean => value !== null && value !== undefined;

interface LogFields {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  scope: string;
  attempt: number;
}

const levels = new Map<unknown, LogFields['level']>([
  ['debug', 'debug'],
  ['info', 'info'],
  ['warn', 'warn'],
  ['error', 'error'],
]);

/** Checks the fields of a log line, although the journal is our own. */
export function logFields({ value }: JsonDocument): LogFields {
  const line: Record<string, unknown> = { ...(typeof value === 'object' ? value : {}) };
  return {
    level: levels.get(line['level']) ?? 'info',
    message: String(line['message'] ?? ''),
    scope: typeof line['scope'] === 'string' ? line['scope'] : rootScope,
    attempt: typeof line['attempt'] === 'number' ? line['attempt'] : 1,
  };
}

/** A `seq` at which a page of logs begins or ends. Throws `invalid`. */
function seqOf(seq: number | null | undefined, name: string): number | undefined {
  if (seq === null || seq === undefined) return undefined;
  if (!Number.isInteger(seq) || seq < 0) throw invalid(`${name} must be an integer of at least 0`);
  return seq;
}
