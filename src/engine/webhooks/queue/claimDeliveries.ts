import type { EngineContext } from '../../context.ts';
import type { Transaction } from '../../db/index.ts';
import type { EndpointScheme } from '../config/index.ts';
import type { DeliveryKind } from '../deliveries/index.ts';
import { type LeasedRow, leaseDeliveries } from './sql/leaseDeliveries.ts';
import { lockDueLanes } from './sql/lockDueLanes.ts';

/** A delivery that this sender may attempt once. */
export interface LeasedDelivery {
  deliveryId: string;
  /** With the sender's id, the fence of its outcome. */
  claimNo: number;
  lane: string;
  projectId: string;
  app: string;
  /** Undefined for a custom send. */
  endpointId: string | undefined;
  url: string;
  eventKind: DeliveryKind;
  /** Undefined for a custom send, which is not signed. */
  scheme: EndpointScheme | undefined;
  /** The number of this attempt, from 1, over all budgets. */
  attempt: number;
  /** The attempts of the present budget that have ended. */
  spent: number;
  /** Why no request is to be made. */
  skip: 'deleted' | 'disabled' | undefined;
}

/** What a claim found in one lane. */
export interface ClaimedLane {
  lane: string;
  /** Failures in a row. */
  failures: number;
  /** Whether its ceiling, or the room of the claim, may have left due deliveries. */
  hasMore: boolean;
  deliveries: LeasedDelivery[];
}

export interface Claim {
  lanes: ClaimedLane[];
  /** Where the next claim continues, so that endpoints take turns. */
  nextAfter: string;
  /** Whether another lane may have due deliveries, or another sender has locked one. */
  hasMore: boolean;
  /** Whether another sender has locked lanes with due deliveries. */
  isContended: boolean;
  /** False if others found the sender dead. It must register anew. */
  isAlive: boolean;
}

/** How much one sender may lease of one lane. */
export interface LaneLimits {
  /** Deliveries that it may lease beyond the ceiling while no other sender has leases there. */
  ahead: number;
}

export interface ClaimQuestion extends LaneLimits {
  senderId: string;
  /** Whether the sender has no leases, so its heartbeat may be old. */
  registers: boolean;
  /** The number of deliveries to lease at most. */
  room: number;
  /** `nextAfter` of the last claim. */
  after: string;
  /** Lanes to leave out. */
  except: readonly string[];
}

/** Sorts before the ids of all lanes. */
export const firstLane = '00000000-0000-0000-0000-000000000000';

const maxLanes = 100;

/**
 * Leases due deliveries. Lanes take turns, and share the room evenly. The lanes are locked by one
 * statement, and their leases counted by the next: so the ceiling holds for senders together.
 */
export function claimDeliveries(ctx: EngineContext, question: ClaimQuestion): Promise<Claim> {
  const { senderId, registers, room, after, except } = question;
  return ctx.db.transaction(async (tx) => {
    const wanted = Math.min(maxLanes, room);
    const now = ctx.clock.sql();
    const [found] = await lockDueLanes(tx, { senderId, registers, after, maxLanes: wanted, except, now });
    if (!found) throw new Error('a claim found no answer');
    const { laneIds, nextAfter, hasMore } = found;
    const isContended = laneIds.length < found.found;
    // If there are more lanes than one claim takes, each gets a single delivery at its turn.
    const perLane = found.found >= wanted ? 1 : Math.max(1, Math.floor(room / laneIds.length));
    const { lanes, isAlive } = await leaseIn(ctx, tx, { ...question, laneIds, perLane });
    return {
      lanes,
      nextAfter: nextAfter ?? (hasMore ? firstLane : after),
      hasMore: hasMore || isContended || lanes.some((lane) => lane.hasMore && lane.deliveries.length > 0),
      isContended,
      isAlive,
    };
  });
}

interface LeaseQuestion extends LaneLimits {
  senderId: string;
  laneIds: readonly string[];
  perLane: number;
}

/** Leases deliveries of lanes that the transaction has locked. */
export async function leaseIn(
  ctx: EngineContext,
  tx: Transaction,
  { senderId, laneIds, perLane, ahead }: LeaseQuestion,
): Promise<{ lanes: ClaimedLane[]; isAlive: boolean }> {
  if (laneIds.length === 0) return { lanes: [], isAlive: true };
  const ceiling = ctx.settings.limits.webhookEndpointConcurrency;
  const rows = await leaseDeliveries(tx, { senderId, laneIds, perLane, ahead, ceiling, now: ctx.clock.sql() });
  const byLane = new Map<string, LeasedRow[]>();
  for (const row of rows) {
    const known = byLane.get(row.lane);
    if (known) known.push(row);
    else byLane.set(row.lane, [row]);
  }
  return { lanes: [...byLane.values()].flatMap(toLane), isAlive: rows.every((row) => row.isAlive) };
}

function toLane(rows: readonly LeasedRow[]): ClaimedLane[] {
  const [first] = rows;
  if (!first) return [];
  const deliveries = rows.flatMap(toDelivery);
  return [{ lane: first.lane, failures: first.failures, deliveries, hasMore: deliveries.length >= first.asked }];
}

function toDelivery({ deliveryId, endpointId, scheme, skip, ...row }: LeasedRow): LeasedDelivery[] {
  if (deliveryId === null) return [];
  const { claimNo, lane, projectId, app, url, eventKind, attempt, spent } = row;
  const known = { deliveryId, claimNo, lane, projectId, app, url, eventKind, attempt, spent };
  return [{ ...known, endpointId: endpointId ?? undefined, scheme: scheme ?? undefined, skip: skip ?? undefined }];
}
