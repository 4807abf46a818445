import type { EngineContext } from '../../context.ts';
import { beatTimes, type Vigil } from '../../vigil.ts';
import type { LeasedDelivery } from './claimDeliveries.ts';
import { beatSender } from './sql/beatSender.ts';
import { freeSenders } from './sql/freeSenders.ts';
import { lockSender, lockSilentSenders } from './sql/lockSenders.ts';
import { lookAtQueue, maxListed } from './sql/lookAtQueue.ts';
import { releaseDeliveries } from './sql/releaseDeliveries.ts';
import { releaseStrayDeliveries } from './sql/releaseStrayDeliveries.ts';

export interface QueueView {
  /** Whether a delivery is due that no sender attempts. */
  isDue: boolean;
  /** The ms until another one is due. */
  nextInMs: number | undefined;
  /** Whether another sender holds leases, so it may die. */
  hasOthers: boolean;
  /** Projects with an enabled endpoint. Undefined: not listed, or too many. */
  projectIds: ReadonlySet<string> | undefined;
  /** Endpoints to disable: the sender that saw their last failure died before it did. */
  failing: { projectId: string; endpointId: string }[];
}

/**
 * Reads whether there is anything to do. An idle sender asks nothing else. Endpoints are read only
 * if `listsProjects`.
 */
export async function viewQueue(
  ctx: EngineContext,
  { senderId, listsProjects }: { senderId: string; listsProjects: boolean },
): Promise<QueueView> {
  const { webhookDisableAfterMs: disableAfterMs } = ctx.settings;
  const [row] = await lookAtQueue(ctx.db, { senderId, listsProjects, disableAfterMs, now: ctx.clock.sql() });
  if (!row) throw new Error('a look at the deliveries was not answered');
  const { isDue, nextInMs, hasOthers, projectIds } = row;
  const isListed = listsProjects && projectIds.length <= maxListed;
  const failing = row.failing.map((each) => {
    const [projectId = '', endpointId = ''] = each.split('/');
    return { projectId, endpointId };
  });
  return {
    isDue,
    nextInMs: nextInMs ?? undefined,
    hasOthers,
    projectIds: isListed ? new Set(projectIds) : undefined,
    failing,
  };
}

export interface Tick {
  senderId: string;
  /** Whether it holds leases, so that it must renew its heartbeat. */
  beats: boolean;
  vigil: Vigil;
}

export interface Ticked {
  /** False: the sender is not registered, so none of its leases exist any more. */
  isAlive: boolean;
  /** Whether another sender holds leases. */
  hasOthers: boolean;
  /** Whether another sender is silent. */
  hasSilent: boolean;
  /** Whether a silent sender is surely dead, so that `rescueDeliveries` frees its leases. */
  mayRescue: boolean;
}

/** Renews the heartbeat of a sender with leases, and looks for senders that died. */
export async function tickSender(ctx: EngineContext, { senderId, beats, vigil }: Tick): Promise<Ticked> {
  const { silenceMs } = beatTimes;
  const [row] = await beatSender(ctx.db.urgent ?? ctx.db, { senderId, beats, silenceMs, now: ctx.clock.sql() });
  if (!row) throw new Error('a heartbeat was not answered');
  const { now, ...ticked } = row;
  return { ...ticked, mayRescue: vigil.look(now) && row.hasSilent };
}

/**
 * Frees the leases of senders that are silent. No attempt is recorded, so the receiver may get the
 * same delivery again. The senders are locked first, and their leases read then: a lease that was
 * being written is found, and no other follows.
 */
export function rescueDeliveries(ctx: EngineContext, senderId: string): Promise<number> {
  const { silenceMs } = beatTimes;
  return ctx.db.transaction(async (tx) => {
    const silent = await lockSilentSenders(tx, { senderId, silenceMs, now: ctx.clock.sql() });
    if (silent.length === 0) return 0;
    const freed = await freeSenders(tx, { senderIds: silent.map(({ id }) => id) });
    tx.afterCommit(() => {
      if (freed.length === 0) return;
      ctx.log.warn({ dead: silent.length, deliveries: freed.length }, 'found senders dead: freed their deliveries');
      ctx.bus.emit('delivery.due', {});
    });
    return freed.length;
  });
}

/** Removes a sender that stops, and frees what it still leases, also by a claim in progress. */
export function retireSender(ctx: EngineContext, senderId: string): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    await lockSender(tx, { senderId });
    const freed = await freeSenders(tx, { senderIds: [senderId] });
    if (freed.length > 0) tx.afterCommit(() => ctx.bus.emit('delivery.due', {}));
  });
}

type Lease = Pick<LeasedDelivery, 'deliveryId' | 'claimNo'>;

/** Frees deliveries that were leased, and not attempted. */
export async function releaseLeases(
  ctx: EngineContext,
  { senderId, leases }: { senderId: string; leases: readonly Lease[] },
): Promise<void> {
  if (leases.length === 0) return;
  const freed = await releaseDeliveries(ctx.db, { senderId, leases });
  if (freed.length > 0) ctx.bus.emit('delivery.due', {});
}

/**
 * Frees leases that a sender does not know: the answer of a claim was lost. It may know a former
 * lease of the same delivery. No claim may be in progress.
 */
export async function releaseStrays(
  ctx: EngineContext,
  { senderId, known }: { senderId: string; known: readonly Lease[] },
): Promise<number> {
  return (await releaseStrayDeliveries(ctx.db, { senderId, known })).length;
}
