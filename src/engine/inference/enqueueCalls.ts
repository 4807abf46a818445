import type { EngineContext } from '../context.ts';
import type { Transaction } from '../db/index.ts';
import { newId } from '../ids.ts';
import type { InferRequest } from './request/inferRequest.ts';
import { sealRequest } from './request/sealRequest.ts';
import { insertCalls } from './sql/insertCalls.ts';

/** A model call that a step waits for. */
export interface NewCall {
  stepIndex: number;
  attempt: number;
  request: InferRequest;
  /** The `data` of the opcode, as it arrived. */
  text: string;
}

/**
 * Enqueues the calls of one answer (4.10 `Infer`). The transaction also records their steps, and
 * has locked the run. Requests are sealed, because no table or backup may hold a prompt.
 */
export async function enqueueCalls(
  ctx: EngineContext,
  tx: Transaction,
  { projectId, runId, calls }: { projectId: string; runId: string; calls: readonly NewCall[] },
): Promise<void> {
  if (calls.length === 0) return;
  await insertCalls(tx, {
    projectId,
    runId,
    deadlineMs: ctx.settings.inference.deadlineMs,
    now: ctx.clock.sql(),
    calls: calls.map(({ stepIndex, attempt, request, text }) => ({
      stepIndex,
      attempt,
      provider: request.provider,
      model: request.model,
      request: sealRequest(ctx, { projectId, runId, stepIndex }, text),
      requestBytes: Buffer.byteLength(text),
      maxTokens: request.kind === 'text' ? (request.maxTokens ?? null) : null,
      looksUp: isCacheable(request),
      idempotencyKey: newId(),
    })),
  });
  tx.afterCommit(() => ctx.bus.emit('inference.due', {}));
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
