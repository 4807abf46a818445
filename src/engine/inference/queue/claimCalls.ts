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
  /** Whether another process has locked keys with due calls. */
  isContended: boolean;
  /** False if others found the process dead. It must register anew. */
  isAlive: boolean;
  /** Where the next claim continues, so that keys and lanes take turns. */
  nextAfter: string;
  /** The ms until a hold ends or a call is due; undefined: neither in the visited places. */
  nextInMs: number | undefined;
}

const firstId = '00000000-0000-0000-0000-000000000000';

/** Sorts before all places of the queue. */
export const firstPlace = [firstId, firstId, firstId].join('/');

/**
 * Leases due calls. Keys take turns, and the projects of a key. Keys are locked by one statement,
 * and their leases counted by the next: so the limits hold for processes together. A claim waits
 * for no lock: keys and calls that another transaction has locked are left out.
 */
export function claimCalls(ctx: EngineContext, question: ClaimQuestion): Promise<Claim> {
  const { processId, room } = question;
  const limit = ctx.settings.limits.inferenceConcurrency;
  return ctx.db.transaction(async (tx) => {
    const { places, isContended, hasLooks, nextAfter, nextInMs } = await findPlaces(ctx, tx, question);
    const hasAny = places.length > 0 || hasLooks;
    const rows = hasAny ? await leaseCalls(tx, { processId, room, limit, places, now: ctx.clock.sql() }) : [];
    return {
      calls: rows.flatMap(toCall),
      hasMore: isContended || nextAfter !== undefined || rows.some((row) => row.hasMore),
      isContended,
      isAlive: rows.every((row) => row.isAlive),
      nextAfter: nextAfter ?? firstPlace,
      nextInMs,
    };
  });
}

interface Found {
  places: Place[];
  isContended: boolean;
  hasLooks: boolean;
  nextAfter: string | undefined;
  nextInMs: number | undefined;
}

/**
 * Locks the keys of places with due calls. A claim that continues another one, and reaches the last
 * place, goes on at the first, and ends the round.
 */
async function findPlaces(ctx: EngineContext, tx: Transaction, { after, ...question }: ClaimQuestion): Promise<Found> {
  const { processId, registers } = question;
  const limit = ctx.settings.limits.inferenceConcurrency;
  const findAfter = async (place: string): Promise<Found> => {
    const [afterKey = firstId, afterLane = firstId, afterProject = firstId] = place.split('/');
    const ask = { processId, registers, limit, afterKey, afterLane, afterProject };
    const [found] = await lockDueKeys(tx, { ...ask, now: ctx.clock.sql() });
    if (!found) throw new Error('a claim found no answer');
    const { nextAfter, nextInMs } = found;
    return { ...found, nextAfter: nextAfter ? placeText(nextAfter) : undefined, nextInMs: nextInMs ?? undefined };
  };
  const found = await findAfter(after);
  if (found.nextAfter !== undefined || after === firstPlace) return found;
  const first = await findAfter(firstPlace);
  const places = new Map([...found.places, ...first.places].map((place) => [placeText(place), place]));
  return {
    places: [...places.values()],
    isContended: found.isContended || first.isContended,
    hasLooks: first.hasLooks,
    nextAfter: undefined,
    nextInMs: earliest(found.nextInMs, first.nextInMs),
  };
}

const earliest = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined ? other : Math.min(one, other ?? one);

const placeText = ({ keyId, laneId, projectId }: Place): string => [keyId, laneId, projectId].join('/');

function toCall({ runId, ownerId, maxTokens, lastOutcome, isAlive: _, hasMore: __, ...row }: LeasedRow): LeasedCall[] {
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
