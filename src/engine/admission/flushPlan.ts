import { type BufferedStart, readStart } from '../flow/index.ts';
import { buildRuns, type Intake, type StartOf } from '../ingest/index.ts';
import { RawJson, stringifyRaw } from '../json/index.ts';
import { type Definition, type LaneMaker, type ProjectSnapshot, readEnvelope } from '../model/index.ts';
import { suspensionOf } from '../projects/index.ts';
import type { BufferedItem } from './sql/readBufferItems.ts';
import type { Flushed } from './sql/removeFlushed.ts';
import type { BufferPolicy, DueBuffer } from './sql/takeDueBuffers.ts';

/** A due buffer, and the plan of its flush. */
export interface FlushPlan {
  buffer: DueBuffer;
  intake: Intake;
  /** The recorded events whose starts go into the run. */
  eventIds: readonly string[];
  /** The items to remove once the intake is recorded. */
  flushed: Flushed;
  /** Whether no run may start now: the project is suspended, or the workflow is gone. */
  isRefused: boolean;
}

/**
 * Prepares the run of a buffer by the current definition. If the buffer holds more starts than one
 * run may have, the rest stays.
 */
export async function planFlush(
  ctx: { lanes: LaneMaker },
  snapshot: ProjectSnapshot,
  { policy, buffer, items }: { policy: BufferPolicy; buffer: DueBuffer; items: readonly BufferedItem[] },
): Promise<FlushPlan> {
  const definition = snapshot.workflow(buffer.app, buffer.workflow);
  const taken = items.slice(0, maxSizeOf(policy, definition));
  const isRefused = suspensionOf(snapshot) !== undefined || !definition;
  const start = policy === 'batch' ? batchedStart(taken, buffer.workflow) : lastStart(taken);
  const { projectId, version: registryVersion } = snapshot;
  const built = isRefused ? [] : await buildRuns(ctx, projectId, [definition], start);
  // Claimed keys of the starts refer to the buffer. Once it is split, its id could name a wrong
  // run.
  const isWhole = taken.length === items.length && taken[0]?.position === 0;
  const runs = isWhole ? built.map((run) => ({ ...run, runId: buffer.id })) : built;
  const intake: Intake = { projectId, registryVersion, event: undefined, runs };
  const eventIds = taken.flatMap((item) => readStart(item.start).eventId ?? []);
  return { buffer, intake, eventIds, flushed: flushedOf(buffer, items, taken), isRefused };
}

/** The limit of the current policy, even if the starts were buffered under another one. */
function maxSizeOf(policy: BufferPolicy, definition: Definition | undefined): number {
  return policy === 'batch' ? (definition?.flowControl?.batch?.maxSize ?? Number.POSITIVE_INFINITY) : 1;
}

/** The run has the fields of the first start, and the events of all. */
function batchedStart(items: readonly BufferedItem[], workflow: string): StartOf {
  const [first] = items;
  if (!first) throw new Error('a buffer is empty');
  const events = items.map(({ start, input, createdAt: ts }) => {
    const { eventId: id, eventName, envelope } = readStart(start);
    const { headers } = readEnvelope(envelope);
    return { id, name: eventName ?? workflow, data: RawJson.trusted(input), ts, ...(headers && { headers }) };
  });
  const starts = items.map(({ start }) => readStart(start));
  const startedBy = [...new Set(starts.flatMap((start) => start.startedBy ?? []))];
  return {
    ...startOf('batched', first),
    ...timesOf(starts),
    startedBy: startedBy.length > 0 ? startedBy : undefined,
    events: RawJson.trusted(stringifyRaw(events)),
  };
}

/**
 * A batch starts when the last of its starts may. It expires when all of them have, so a start
 * without a time to live keeps it.
 */
function timesOf(starts: readonly BufferedStart[]): Pick<BufferedStart, 'notBefore' | 'ttlMs'> {
  const times = starts.flatMap(({ notBefore }) => notBefore?.getTime() ?? []);
  const ttls = starts.map(({ ttlMs }) => ttlMs ?? Number.POSITIVE_INFINITY);
  const ttlMs = Math.max(...ttls);
  return {
    notBefore: times.length > 0 ? new Date(Math.max(...times)) : undefined,
    ttlMs: Number.isFinite(ttlMs) ? ttlMs : undefined,
  };
}

function lastStart(items: readonly BufferedItem[]): StartOf {
  const last = items.at(-1);
  if (!last) throw new Error('a buffer is empty');
  return startOf('debounced', last);
}

const startOf = (origin: 'debounced' | 'batched', { start, input, createdAt: receivedAt }: BufferedItem): StartOf => ({
  ...readStart(start),
  origin,
  receivedAt,
  input: RawJson.trusted(input),
});

function flushedOf(buffer: DueBuffer, items: readonly BufferedItem[], taken: readonly BufferedItem[]): Flushed {
  const bytes = taken.reduce((sum, { input }) => sum + Buffer.byteLength(input), 0);
  return {
    id: buffer.id,
    lastPosition: taken.at(-1)?.position ?? -1,
    itemsLeft: items.length - taken.length,
    bytesLeft: buffer.bytes - bytes,
  };
}
