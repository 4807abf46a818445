import { type Admission, admitTogether } from '../../admission/index.ts';
import { Batcher } from '../../batcher.ts';
import type { EngineContext } from '../../context.ts';
import { newId } from '../../ids.ts';
import type { Intake } from '../../ingest/index.ts';
import { perEngine } from '../../perEngine.ts';
import type { SignatureFault } from '../../signing/index.ts';
import type { UnverifiedStatus, VerifiedStatus } from './admissionStatus.ts';
import type { MessageSourceRow } from './sql/findMessageSources.ts';
import { recordUnverified } from './sql/recordUnverified.ts';
import { recordVerified } from './sql/recordVerified.ts';

/** A verified message that is about to be recorded. */
export interface VerifiedMessage {
  id: string;
  /** The source by which it was judged. */
  source: MessageSourceRow;
  requestHeaders: string;
  body: Uint8Array;
}

type WithIntake = VerifiedMessage & { intake: Intake };

/**
 * The outcome of a message. `stale`: nothing was written, because the decision used an old copy of
 * the registry or of the source.
 */
export type Recorded = Admission | { kind: 'stale' };

const limits = { maxItems: 200, maxInFlight: 2, maxQueued: 20_000 };
/** A larger message has a transaction of its own, so that no batch holds hundreds of them. */
const largeBytes = 64 * 1024;

/** Starts without gates need one statement, however many messages share a key. */
const batchersOf = perEngine((ctx) => {
  const flush = (messages: WithIntake[]) => recordTogether(ctx, messages);
  return { plain: new Batcher({ flush, ...limits }), gated: new Batcher({ flush, ...limits }) };
});

/**
 * Records a message, its attempt, its dedupe key, its event and the runs of the event in one
 * transaction, batched with others. The promise resolves after the commit.
 */
export async function recordMessage(ctx: EngineContext, message: WithIntake): Promise<Recorded> {
  const { plain, gated } = batchersOf(ctx);
  const { intake, body } = message;
  const settled =
    body.length > largeBytes
      ? (await recordTogether(ctx, [message]))[0]
      : await (intake.runs.some((run) => run.gates) ? gated : plain).add(message);
  if (!settled) throw new Error('a message has no outcome');
  if (settled.kind === 'failed') throw settled.reason;
  return settled;
}

const recordTogether = (ctx: EngineContext, messages: readonly WithIntake[]) =>
  admitTogether(
    ctx,
    messages.map(({ intake }) => intake),
    async (tx, admitted) => {
      const rows = admitted.flatMap(({ index, admission }) => {
        const message = messages[index];
        return message ? [rowOf(message, outcomeOf(admission))] : [];
      });
      const recorded = await recordVerified(tx, { messages: rows, now: ctx.clock.sql() });
      return recorded.length === rows.length;
    },
  );

/** The result of an admission, as deliveries and answers show it. */
export interface Outcome {
  status: VerifiedStatus;
  eventId: string | undefined;
  /** The first run that the event started. */
  runId: string | undefined;
}

export function outcomeOf(admission: Admission): Outcome {
  if (admission.kind === 'deduped') return { status: 'deduped', eventId: undefined, runId: undefined };
  const { event } = admission.intake;
  const runId = event?.triggered.find((each) => each.runId !== undefined)?.runId;
  return { status: 'ingested', eventId: event?.eventId, runId };
}

const rowOf = ({ id, source, requestHeaders, body }: VerifiedMessage, outcome: Outcome) => ({
  ...outcome,
  ...{ id, attemptId: newId(), sourceId: source.id, version: source.version, requestHeaders, body },
});

/** Records a verified message that becomes no event. False: its source has changed meanwhile. */
export async function recordInvalid(ctx: EngineContext, message: VerifiedMessage): Promise<boolean> {
  const outcome = { status: 'invalid', eventId: undefined, runId: undefined } as const;
  const recorded = await recordVerified(ctx.db, { messages: [rowOf(message, outcome)], now: ctx.clock.sql() });
  return recorded.length > 0;
}

export interface UnverifiedMessage {
  id: string;
  sourceId: string;
  status: UnverifiedStatus;
  failureReason: SignatureFault | undefined;
  requestHeaders: string;
}

/** Rows of unverified messages of a source in an hour, so that no stranger fills the disk. */
const maxPerHour = 100;

/** Whether a message was recorded, or only counted; `gone` if its source is gone or disabled. */
export type UnverifiedOutcome = 'recorded' | 'counted' | 'gone';

const unverifiedOf = perEngine((ctx) => {
  const flush = async (given: UnverifiedMessage[]): Promise<UnverifiedOutcome[]> => {
    const messages = given.map((each) => ({ ...each, attemptId: newId() }));
    const rows = await recordUnverified(ctx.db, { messages, maxPerHour, now: ctx.clock.sql() });
    const recorded = new Map(rows.map(({ id, isRecorded }) => [id, isRecorded]));
    return given.map(({ id }) => {
      const isRecorded = recorded.get(id);
      return isRecorded === undefined ? 'gone' : isRecorded ? 'recorded' : 'counted';
    });
  };
  return new Batcher({ flush, ...limits });
});

export const recordRefused = (ctx: EngineContext, message: UnverifiedMessage): Promise<UnverifiedOutcome> =>
  unverifiedOf(ctx).add(message);
