import type { EngineContext } from '../../context.ts';
import { countOpenApprovals } from '../sql/countOpenApprovals.ts';

/** Open approvals that are counted at most. */
const maxCounted = 10_000;
/** Risks that are told at most. A step declares any text. */
const maxRisks = 100;

export interface OpenApprovals {
  open: number;
  /** Whether more are open than were counted. */
  isCapped: boolean;
  /** The most frequent risks first. */
  byRisk: { risk: string; count: number }[];
}

/** Counts the open approvals of a project. */
export async function countApprovals({ db }: EngineContext, projectId: string): Promise<OpenApprovals> {
  const risks = await countOpenApprovals(db, { projectId, limit: maxCounted + 1 });
  const found = risks.reduce((sum, { count }) => sum + count, 0);
  const open = Math.min(found, maxCounted);
  return { open, isCapped: found > maxCounted, byRisk: risks.slice(0, maxRisks) };
}
