import type { EngineContext } from '../../src/engine/context.ts';
import { readFramePage } from '../../src/engine/timeline/sql/readFramePage.ts';

interface FramePage {
  projectId: string;
  runId: string;
  from?: number;
  limit?: number;
}

/** Frames of a run's journal, oldest first. */
export const readFrames = ({ db }: EngineContext, { from = 0, limit = 1000, ...run }: FramePage) =>
  readFramePage(db, { ...run, from, limit, maxBytes: 16 * 1024 * 1024 });
