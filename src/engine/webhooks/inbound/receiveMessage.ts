import type { EngineContext } from '../../context.ts';
import { newId } from '../../ids.ts';
import { onCurrentSnapshot } from '../../registry/index.ts';
import { type SignatureFault, signatureFault } from '../../signing/index.ts';
import type { UnverifiedStatus } from './admissionStatus.ts';
import { deliverSoon } from './deliverMessage.ts';
import { slackChallenge } from './handshakes.ts';
import { type InboundMessage, readPayload } from './message.ts';
import { byName, envelopeOf, storedHeaders } from './messageHeaders.ts';
import { findMessageSource, type MessageSource, type SourceQuestion, secretsOf } from './messageSource.ts';
import { eventOf, planMessage } from './planMessage.ts';
import { type Outcome, outcomeOf, recordInvalid, recordMessage, recordRefused } from './recordMessages.ts';

/** The answer to a message (rulings 9). */
export type Receipt =
  | ({ kind: 'accepted'; deliveryId: string } & Outcome)
  | { kind: 'invalid'; deliveryId: string; reason: string }
  /** `deliveryId`: undefined if the message was only counted. */
  | { kind: 'refused'; status: UnverifiedStatus; failureReason?: SignatureFault; deliveryId: string | undefined }
  /** A handshake, which is no delivery. */
  | { kind: 'challenge'; challenge: string }
  /** The source is unknown or disabled. Nothing was recorded. */
  | { kind: 'unknown' };

/** How long a message is retried whose source changes meanwhile. */
const timeoutMs = 15_000;

/**
 * Admits the message of a source (6.1, rulings 9). The promise resolves after the commit of all
 * that the receipt names.
 *
 * A decision may use a copy of the source that is some seconds old. The write of a verified message
 * checks the version of the copy. A refusal has no such write, so it stands only if the copy was
 * read after the message had arrived.
 */
export async function receiveMessage(
  ctx: EngineContext,
  asked: SourceQuestion,
  message: InboundMessage,
): Promise<Receipt> {
  const arrivedAtMs = performance.now();
  const arrival = { message, headers: byName(message.headers), id: newId() };
  let { sinceMs } = asked;
  for (;;) {
    const source = await findMessageSource(ctx, { ...asked, sinceMs });
    const receipt = await decide(ctx, source, arrival);
    const isCurrent = sinceMs !== undefined && sinceMs >= arrivedAtMs;
    if (receipt instanceof Refused) {
      if (isCurrent) return receipt.carryOut();
      sinceMs = arrivedAtMs;
    } else if (receipt !== 'stale') return receipt;
    else {
      if (performance.now() > arrivedAtMs + timeoutMs)
        throw new Error('a webhook source changes faster than it can be read');
      sinceMs = performance.now();
    }
  }
}

/** A decision that only stands on a current copy of the source. */
class Refused {
  readonly carryOut: () => Promise<Receipt>;

  constructor(carryOut: () => Promise<Receipt>) {
    this.carryOut = carryOut;
  }
}

interface Arrival {
  id: string;
  message: InboundMessage;
  headers: ReadonlyMap<string, string>;
}

async function decide(
  ctx: EngineContext,
  source: MessageSource | undefined,
  arrival: Arrival,
): Promise<Receipt | Refused | 'stale'> {
  if (!source) return new Refused(async () => ({ kind: 'unknown' }));
  const refuse = (status: UnverifiedStatus, failureReason?: SignatureFault): Refused =>
    new Refused(() => refused(ctx, source, arrival, { status, ...(failureReason && { failureReason }) }));
  const { body } = arrival.message;
  if (!body) return refuse('too_large');
  const secrets = secretsOf(ctx, source);
  if (!secrets) return refuse('misconfigured');
  const fault = signatureFault(
    { scheme: source.scheme, isSlack: source.handshake === 'slack' },
    {
      header: (name) => arrival.headers.get(name),
      body,
      secrets,
      now: ctx.clock.now(),
      toleranceMs: ctx.settings.signatureToleranceMs,
    },
  );
  return fault ? refuse('unauthorized', fault) : accept(ctx, source, { ...arrival, body });
}

async function refused(
  ctx: EngineContext,
  { id: sourceId }: MessageSource,
  { id, message }: Arrival,
  reason: { status: UnverifiedStatus; failureReason?: SignatureFault },
): Promise<Receipt> {
  const requestHeaders = storedHeaders(message.headers);
  const { status, failureReason } = reason;
  const outcome = await recordRefused(ctx, { id, sourceId, status, failureReason, requestHeaders });
  if (outcome === 'gone') return { kind: 'unknown' };
  return { kind: 'refused', ...reason, deliveryId: outcome === 'recorded' ? id : undefined };
}

/** The message is verified. */
async function accept(
  ctx: EngineContext,
  source: MessageSource,
  { id, message, headers, body }: Arrival & { body: Uint8Array },
): Promise<Receipt | 'stale'> {
  const payload = readPayload(ctx, body);
  const verified = { id, source, requestHeaders: storedHeaders(message.headers), body };
  if ('reason' in payload) {
    const isRecorded = await recordInvalid(ctx, verified);
    return isRecorded ? { kind: 'invalid', deliveryId: id, reason: payload.reason } : 'stale';
  }
  const challenge = slackChallenge(source, payload.value);
  if (challenge !== undefined) return { kind: 'challenge', challenge };
  const mapped = { source, data: payload.data, envelope: envelopeOf(source, headers) };
  const event = eventOf(ctx, mapped);
  let isPlannedAgain = false;
  const recorded = await onCurrentSnapshot(ctx, source.projectId, async (snapshot) => {
    const intake = await planMessage(ctx, snapshot, { ...mapped, event });
    const result = await recordMessage(ctx, { ...verified, intake });
    if (result.kind !== 'stale' || isPlannedAgain) return result;
    isPlannedAgain = true;
    return 'stale';
  });
  if (recorded.kind === 'stale') return 'stale';
  await deliverSoon(ctx, recorded);
  return { kind: 'accepted', deliveryId: id, ...outcomeOf(recorded) };
}
