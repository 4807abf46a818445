import type { Frame } from '../bus.ts';
import type { EngineContext } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { isTerminal, type RunStatus } from '../runs/index.ts';
import { frameHub } from './frameHub.ts';
import { endsRun } from './framePayload.ts';
import { type Journal, type JournalPage, JournalTail } from './journalTail.ts';
import { findRunStatus } from './sql/findRunStatus.ts';
import { readFramePage } from './sql/readFramePage.ts';

const pageFrames = 200;
const pageBytes = 1024 * 1024;

export interface TailPosition {
  projectId: string;
  runId: string;
  /** The last `seq` seen; 0, the default, is the start. */
  from?: number | undefined;
}

/**
 * Refuses a position that cannot be tailed. Throws `notFound` for a run of another project, and
 * `invalid` for a bad `from`.
 */
export async function checkPosition(ctx: EngineContext, position: TailPosition): Promise<void> {
  checkFrom(position.from);
  await currentStatus(ctx, position);
}

async function currentStatus(ctx: EngineContext, { projectId, runId }: TailPosition): Promise<RunStatus> {
  const [run] = isId(runId) ? await findRunStatus(ctx.db, { projectId, runId }) : [];
  if (!run) throw notFound('run not found');
  return run.status;
}

function checkFrom(from: number | undefined): number {
  if (from === undefined) return 0;
  if (!Number.isSafeInteger(from) || from < 0) throw invalid('from: must be an integer from 0');
  return from;
}

/** The journal of a run. The frame that ends the run is the last one. */
function journalOf(ctx: EngineContext, { projectId, runId }: Omit<TailPosition, 'from'>): Journal<Frame> {
  const readPage = async (from: number): Promise<JournalPage<Frame>> => {
    const bounds = { limit: pageFrames, maxBytes: pageBytes };
    const entries = await readFramePage(ctx.db, { projectId, runId, from, ...bounds });
    const size = entries.reduce((sum, { payload }) => sum + Buffer.byteLength(payload), 0);
    return { entries, isFull: entries.length === pageFrames || size >= pageBytes };
  };
  return {
    maxEntries: pageFrames,
    maxWeight: pageBytes,
    weigh: ({ payload }) => payload.length,
    follow: (reader) => frameHub(ctx).follow(runId, reader),
    check: () => currentStatus(ctx, { projectId, runId }),
    isEnd: endsRun,
    async read(from) {
      const page = await readPage(from);
      if (page.entries.length > 0 || !isTerminal(await currentStatus(ctx, { projectId, runId }))) return page;
      // The last frame was committed with the status, perhaps after the page was read.
      const last = await readPage(from);
      return { ...last, isLast: last.entries.length === 0 };
    },
  };
}

export interface RunTailQuery extends TailPosition {
  /** Ends the tail. */
  signal?: AbortSignal | undefined;
}

/**
 * The frames of a run after `from`: recorded frames first, then live ones, until the run has ended
 * (4.5). Delivers them in order, each once, without a gap, from all processes. A slow consumer
 * holds one page at most. Throws `invalid` for a bad `from`. The first step of the iteration throws
 * `notFound` for a run of another project. Ends quietly if the signal aborts, or the consumer
 * leaves.
 */
export function tailRun(ctx: EngineContext, { signal, ...position }: RunTailQuery): AsyncIterableIterator<Frame> {
  return new JournalTail(journalOf(ctx, position), { from: checkFrom(position.from), signal });
}
