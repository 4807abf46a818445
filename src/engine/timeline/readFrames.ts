import type { Frame } from '../bus.ts';
import type { EngineContext } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { isTerminal, type RunStatus } from '../runs/index.ts';
import { findRunStatus } from './sql/findRunStatus.ts';
import { readFramePage } from './sql/readFramePage.ts';

export interface RunPosition {
  projectId: string;
  runId: string;
  /** The last `seq` seen; 0, the default, is the start. */
  from?: number | undefined;
}

export interface FramesQuery extends RunPosition {
  /** 1 to 1000 (more is clamped), 100 by default. */
  limit?: number | undefined;
}

const defaultLimit = 100;
const maxLimit = 1000;
/** A page ends early, with the frame that crosses this. A run's frames may hold a megabyte each. */
const maxBytes = 16 * 1024 * 1024;

/** Frames after `from`, oldest first. Throws `notFound` for a run that is not the project's, `invalid` naming the field. */
export async function readFrames(ctx: EngineContext, { limit, ...position }: FramesQuery): Promise<Frame[]> {
  return readPage(ctx, position, { kind: null, limit: clampLimit(limit) });
}

/** One page, of all kinds or of one, held to the project. */
export async function readPage(
  ctx: EngineContext,
  { projectId, runId, from }: RunPosition,
  { kind, limit }: { kind: Frame['kind'] | null; limit: number },
): Promise<Frame[]> {
  const after = checkFrom(from);
  if (!isId(runId)) throw notFound('run not found');
  const frames = await readFramePage(ctx.db, { projectId, runId, from: after, kind, limit, maxBytes });
  // Only an empty page can be that of a run which is unknown here.
  if (frames.length === 0) await currentStatus(ctx, { projectId, runId });
  return frames;
}

/**
 * Whether nothing is left to stream after `from`: the run has ended and its last frame was seen (rulings 7: a reconnect
 * then gets `204`). Throws like `readFrames`.
 */
export async function hasTimelineEnded(ctx: EngineContext, position: RunPosition): Promise<boolean> {
  checkFrom(position.from);
  // In this order: frames are committed with the status, so an ended run has them all.
  if (!isTerminal(await currentStatus(ctx, position))) return false;
  return (await readFrames(ctx, { ...position, limit: 1 })).length === 0;
}

/** Throws `notFound` for a run that is not the project's. */
export async function currentStatus(ctx: EngineContext, { projectId, runId }: RunPosition): Promise<RunStatus> {
  const [run] = isId(runId) ? await findRunStatus(ctx.db, { projectId, runId }) : [];
  if (!run) throw notFound('run not found');
  return run.status;
}

export function checkFrom(from: number | undefined): number {
  if (from === undefined) return 0;
  if (!Number.isSafeInteger(from) || from < 0) throw invalid('from: must be an integer from 0');
  return from;
}

export function clampLimit(limit: number | undefined): number {
  if (limit === undefined) return defaultLimit;
  if (!Number.isInteger(limit) || limit < 1) throw invalid(`limit: must be an integer from 1 to ${maxLimit}`);
  return Math.min(limit, maxLimit);
}
