import type { EngineContext } from '../../context.ts';
import type { Transaction } from '../../db/index.ts';
import { type LeasedRow, leaseCalls } from '../sql/leaseCalls.ts';
import { lockDueKeys, type Place } from '../sql/lockDueKeys.ts';
import type { LeasedCall } from './leasedCall.ts';

export interface ClaimQuestion {
  processId: string;
  /** Whether the process has no calls, so its heartbeat may be old. */
  registers: boolean;
  /** The number of calls to lease at most. */
  room: number;
  /** `nextAfter` of the last claim; at first `firstPlace`. */
  after: string;
}

export interface Claim {
  calls: LeasedCall[];
  /** Whether another claim may lease more at once. */
  hasMore: boolean;
  /** Whether another process has locked keys with due calls, or due looks into the cache. */
  isContended: boolean;
  /** False if others found the process dead. It must register anew. */
  isAlive: boolean;
  /** Where the next claim continues, so that keys, lanes and the projects of looks take turns. */
  nextAfter: string;
  /** The ms until a hold ends or a call is due; undefined: neither in the visited places. */
  nextInMs: number | undefined;
}

const firstId = '00000000-0000-0000-0000-000000000000';

/** Sorts before all places of the queue, and before all projects with looks into the cache. */
export const firstPlace = [firstId, firstId, firstId, firstId].join('/');

/**
 * Leases due calls. Keys take turns, and the projects of a key. Keys are locked by one statement,
 * and their leases counted by the next: so the limits hold for processes together. A claim waits
 * for no lock: keys and calls that another transaction has locked are left out.
 */
export function claimCalls(ctx: EngineContext, question: ClaimQuestion): Promise<Claim> {
  const { processId, room } = question;
  const limit = ctx.settings.limits.inferenceConcurrency;
  const { place, lookAfter } = readAfter(question.after);
  return ctx.db.transaction(async (tx) => {
    const found = await findPlaces(ctx, tx, { ...question, after: place });
    const { places, hasLooks, nextAfter, nextInMs } = found;
    const lease = { processId, room, limit, places, lookAfter, now: ctx.clock.sql() };
    const rows = places.length > 0 || hasLooks ? await leaseCalls(tx, lease) : [];
    const isContended = found.isContended || rows.some((row) => row.isRivaled);
    return {
      calls: rows.flatMap(toCall),
      hasMore: isContended || nextAfter !== undefined || rows.some((row) => row.hasMore),
      isContended,
      isAlive: rows.every((row) => row.isAlive),
      nextAfter: [placeText(nextAfter ?? first), rows[0]?.nextLookAfter ?? firstId].join('/'),
      nextInMs,
    };
  });
}

const first: Place = { keyId: firstId, laneId: firstId, projectId: firstId };

function readAfter(after: string): { place: Place; lookAfter: string } {
  const [keyId = firstId, laneId = firstId, projectId = firstId, lookAfter = firstId] = after.split('/');
  return { place: { keyId, laneId, projectId }, lookAfter };
}

interface Found {
  places: Place[];
  isContended: boolean;
  hasLooks: boolean;
  nextAfter: Place | undefined;
  nextInMs: number | undefined;
}

/**
 * Locks the keys of places with due calls. A claim that continues another one, and reaches the last
 * place, goes on at the first, and ends the round.
 */
async function findPlaces(
  ctx: EngineContext,
  tx: Transaction,
  { after, processId, registers }: Omit<ClaimQuestion, 'after'> & { after: Place },
): Promise<Found> {
  const limit = ctx.settings.limits.inferenceConcurrency;
  const findAfter = async ({ keyId: afterKey, laneId: afterLane, projectId: afterProject }: Place): Promise<Found> => {
    const ask = { processId, registers, limit, afterKey, afterLane, afterProject };
    const [found] = await lockDueKeys(tx, { ...ask, now: ctx.clock.sql() });
    if (!found) throw new Error('a claim found no answer');
    return { ...found, nextAfter: found.nextAfter ?? undefined, nextInMs: found.nextInMs ?? undefined };
  };
  const found = await findAfter(after);
  if (found.nextAfter !== undefined || placeText(after) === placeText(first)) return found;
  const again = await findAfter(first);
  const places = new Map([...found.places, ...again.places].map((place) => [placeText(place), place]));
  return {
    places: [...places.values()],
    isContended: found.isContended || again.isContended,
    hasLooks: again.hasLooks,
    nextAfter: undefined,
    nextInMs: earliest(found.nextInMs, again.nextInMs),
  };
}

const earliest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : Math.min(one, other ?? one);

const placeText = ({ keyId, laneId, projectId }: Place): string => [keyId, laneId, projectId].join('/');

function toCall({
  runId,
  ownerId,
  maxTokens,
  lastOutcome,
  isAlive: _,
  hasMore: __,
  isRivaled: ___,
  nextLookAfter: ____,
  ...row
}: LeasedRow): LeasedCall[] {
  if (runId === null) return [];
  return [
    {
      ...row,
      runId,
      keyFrom: ownerId === null ? 'settings' : 'project',
      maxTokens: maxTokens ?? undefined,
      afterUnknown: lastOutcome === 'unknown',
    },
  ];
}
