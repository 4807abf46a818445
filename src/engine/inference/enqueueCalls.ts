import type { EngineContext } from '../context.ts';
import type { Transaction, TripPart } from '../db/index.ts';
import { newId } from '../ids.ts';
import { reservationOf } from './ledger/reservation.ts';
import { priceOf } from './price.ts';
import type { LeasedCall } from './queue/leasedCall.ts';
import { type BegunCall, reserveSeats } from './queue/seats.ts';
import type { InferRequest } from './request/inferRequest.ts';
import { sealRequest } from './request/sealRequest.ts';
import { insertCalls, type SeatedRow } from './sql/insertCalls.ts';
import { lockSeats } from './sql/lockSeats.ts';

/** A model call that a step waits for. */
export interface NewCall {
  stepIndex: number;
  attempt: number;
  request: InferRequest;
  /** The `data` of the opcode, as it arrived. */
  text: string;
}

/** The calls of one answer (4.10 `Infer`), and the lease under which it arrived. */
export interface NewCalls {
  projectId: string;
  app: string;
  workflow: string;
  runId: string;
  dispatcherId: string;
  /** Of the run's lease. */
  claimNo: number;
  /** The lane of the run. */
  laneId: number;
  calls: readonly NewCall[];
}

/**
 * Enqueues the calls of one answer. The transaction also records their steps, and has locked the
 * run. Requests are sealed, because no table or backup may hold a prompt.
 */
export async function enqueueCalls(ctx: EngineContext, tx: Transaction, made: NewCalls): Promise<void> {
  if (made.calls.length === 0) return;
  await insertCalls(tx, insertion(ctx, made, { calls: rowsOf(ctx, made), followsCommit: false }));
  tx.afterCommit(() => ctx.bus.emit('inference.due', {}));
}

/** The statements that record calls, and what follows in this process. */
export interface CallsPlan {
  /** Comes before the commit of the steps, in one transaction. */
  lock: TripPart<{ id: string }>;
  /** Follows it, and writes nothing if the commit did not. */
  insert: TripPart<SeatedRow>;
  /** They were committed. */
  recorded(seated: readonly SeatedRow[]): void;
  /** They were not, or nobody knows (`isUncertain`). */
  failed(isUncertain: boolean): void;
}

/**
 * Plans calls that are sent by this process at once, if it calls models and nothing is to be
 * decided before. The others are enqueued. `isCapped`: the run's spend is limited, so each send
 * waits for a look at what was spent (`beginSend`).
 */
export function planCalls(ctx: EngineContext, made: NewCalls, { isCapped }: { isCapped: boolean }): CallsPlan {
  const { projectId, runId, dispatcherId, claimNo: runClaimNo } = made;
  const rows = rowsOf(ctx, made);
  const simple = isCapped ? [] : rows.filter(({ attempt, looksUp }) => attempt === 1 && !looksUp);
  const providers = simple.map(({ provider }) => provider);
  const seats = reserveSeats(ctx, { projectId, providers });
  const processId = seats?.processId;
  const seated = new Set(seats ? simple : []);
  const calls = rows.map((row) => ({ ...row, hasSeat: seated.has(row) }));
  return {
    lock: lockSeats.part({
      ...{ projectId, runId, dispatcherId, runClaimNo, processId, registers: seats?.registers ?? false },
      providers: seats ? [...new Set(providers)] : [],
      now: ctx.clock.sql(),
    }),
    insert: insertCalls.part(insertion(ctx, made, { calls, processId, followsCommit: true })),
    recorded: (leased) => {
      seats?.begin(leased.flatMap((row) => begun(made, rows, row)));
      if (leased.length < rows.length) ctx.bus.emit('inference.due', {});
    },
    failed: (isUncertain) => seats?.cancel(isUncertain),
  };
}

type NewRow = ReturnType<typeof rowsOf>[number];

function rowsOf(ctx: EngineContext, { projectId, runId, calls }: NewCalls) {
  const { prices } = ctx.settings.inference;
  return calls.map(({ stepIndex, attempt, request, text }) => {
    const requestBytes = Buffer.byteLength(text);
    const maxTokens = request.kind === 'text' ? request.maxTokens : undefined;
    const reserved = reservationOf({ maxTokens, requestBytes }, priceOf(request, prices));
    return {
      stepIndex,
      attempt,
      provider: request.provider,
      model: request.model,
      request: sealRequest(ctx, { projectId, runId, stepIndex }, text),
      requestBytes,
      maxTokens,
      looksUp: isCacheable(request),
      idempotencyKey: newId(),
      hasSeat: false,
      reservedTokens: reserved.tokens,
      reservedCost: reserved.cost,
    };
  });
}

interface Insertion {
  calls: readonly NewRow[];
  processId?: string | undefined;
  followsCommit: boolean;
}

function insertion(ctx: EngineContext, { projectId, runId }: NewCalls, made: Insertion) {
  const { deadlineMs } = ctx.settings.inference;
  const limit = ctx.settings.limits.inferenceConcurrency;
  return { projectId, runId, deadlineMs, limit, ...made, now: ctx.clock.sql() };
}

/** A call as its claim would have returned it (`claimCalls`), after its `beginSend`. */
function begun(
  { projectId, runId, app, workflow, laneId: runLaneId }: NewCalls,
  rows: readonly NewRow[],
  row: SeatedRow,
): BegunCall[] {
  const made = rows.find(({ stepIndex }) => stepIndex === row.stepIndex);
  if (!made) return [];
  const { stepIndex, attempt, provider, model, request, requestBytes, maxTokens } = made;
  const { keyId, laneId, ownerId, idempotencyKey, deadlineAt, startedAt } = row;
  const call: LeasedCall = {
    ...{ projectId, runId, app, workflow, runLaneId, stepIndex, attempt, provider, model, keyId, laneId },
    ...{ request, requestBytes, maxTokens, idempotencyKey, deadlineAt },
    ...{ claimNo: 1, looksUp: false, sends: 0, failures: 0, reasked: 0, afterUnknown: false },
    keyFrom: ownerId === null ? 'settings' : 'project',
  };
  return [{ call, send: { number: 1, idempotencyKey, startedAt } }];
}

/** The highest temperature at which equal requests may share an answer (8). */
const cacheTemperature = 0.2;

/** Whether the cache may answer a request (8). */
export const isCacheable = (request: InferRequest): boolean =>
  request.kind === 'text' &&
  request.cache !== false &&
  (request.tools ?? []).length === 0 &&
  request.temperature !== undefined &&
  request.temperature <= cacheTemperature;
