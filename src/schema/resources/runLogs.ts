import { rootScope } from '@holdfast/sdk/protocol';
import { invalid } from '../../engine/errors.ts';
import { type JsonDocument, readJson } from '../../engine/json/index.ts';
import { pageSize } from '../../engine/paging/index.ts';
import type { LogFrameRow } from '../../engine/runs/index.ts';
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
  /** The `seq` of the last line, if more follow. */
  nextFrom: number | null;
}

export const LogPageType = builder.objectRef<LogPage>('RunLogPage').implement({
  fields: (t) => ({
    nodes: t.field({ type: [LogLineType], resolve: ({ nodes }) => nodes }),
    nextFrom: t.exposeInt('nextFrom', {
      nullable: true,
      description: 'The `from` of the next page; null on the last page. A page may have fewer lines than `limit`.',
    }),
  }),
});

export interface LogPageArgs {
  from?: number | null | undefined;
  limit?: number | null | undefined;
}

/** Throws `invalid` if an argument is out of range. */
export async function readLogPage({ loaders }: SchemaContext, runId: string, args: LogPageArgs): Promise<LogPage> {
  const key = { runId, from: fromSeq(args.from), limit: pageSize(args.limit, 'limit') };
  const rows = (await loaders.logs.load(key)) ?? [];
  const last = rows.at(-1);
  return { nodes: rows.map(toLogLine), nextFrom: last?.hasNext ? last.seq : null };
}

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

/** The `seq` after which a page of logs begins. Throws `invalid`. */
function fromSeq(from: number | null | undefined): number {
  if (from === null || from === undefined) return 0;
  if (!Number.isInteger(from) || from < 0) throw invalid('from must be an integer of at least 0');
  return from;
}
