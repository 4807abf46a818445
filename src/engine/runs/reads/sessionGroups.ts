import { noRuns, type RunStatus } from '../status.ts';
import type { PlacedSession } from './sessionKeys.ts';

/** The runs of a session that have the same app, workflow and status. */
export interface SessionGroup {
  session: string;
  app: string;
  workflow: string;
  status: RunStatus;
  runs: number;
  firstRunAt: Date;
  lastRunAt: Date;
  /** The greatest id. */
  newestId: string;
  /** In and out; null where no run called a model. */
  aiTokens: number | null;
  /** A decimal number in USD; null where no call was priced. */
  aiCost: string | null;
}

/** A session whose groups are being added up. */
interface Summing extends PlacedSession {
  byStatus: Record<RunStatus, number>;
  costs: string[];
}

/** Adds up groups to sessions. PostgreSQL takes longer for arrays and counts of each session. */
export function sessionsOf(groups: readonly SessionGroup[]): PlacedSession[] {
  const sessions = new Map<string, Summing>();
  for (const group of groups) {
    const summing = sessions.get(group.session);
    if (summing) add(summing, group);
    else sessions.set(group.session, begun(group));
  }
  return [...sessions.values()].map(({ costs, ...session }) => ({
    ...session,
    apps: session.apps.sort(),
    workflows: session.workflows.sort(),
    aiCost: costs.length === 0 ? null : exactSum(costs),
  }));
}

function begun({ session, app, workflow, status, runs, aiCost, ...group }: SessionGroup): Summing {
  const byStatus = { ...noRuns, [status]: runs };
  const costs = aiCost === null ? [] : [aiCost];
  return { session, runs, byStatus, apps: [app], workflows: [workflow], ...group, aiCost: null, costs };
}

function add(summing: Summing, { app, workflow, status, runs, aiCost, ...group }: SessionGroup): void {
  summing.runs += runs;
  summing.byStatus[status] += runs;
  if (!summing.apps.includes(app)) summing.apps.push(app);
  if (!summing.workflows.includes(workflow)) summing.workflows.push(workflow);
  if (group.firstRunAt < summing.firstRunAt) summing.firstRunAt = group.firstRunAt;
  if (group.lastRunAt > summing.lastRunAt) summing.lastRunAt = group.lastRunAt;
  if (group.newestId > summing.newestId) summing.newestId = group.newestId;
  if (group.aiTokens !== null) summing.aiTokens = (summing.aiTokens ?? 0) + group.aiTokens;
  if (aiCost !== null) summing.costs.push(aiCost);
}

/** The sum of decimal numbers, rounded once. Sums of doubles would show `0.30000000000000004`. */
function exactSum(decimals: readonly string[]): number {
  const [first = '0'] = decimals;
  if (decimals.length === 1) return Number(first);
  const places = Math.max(...decimals.map(placesOf));
  const digits = decimals.map((each) => BigInt(each.replace('.', '') + '0'.repeat(places - placesOf(each))));
  return Number(`${digits.reduce((sum, each) => sum + each)}e-${places}`);
}

function placesOf(decimal: string): number {
  const point = decimal.indexOf('.');
  return point < 0 ? 0 : decimal.length - point - 1;
}
