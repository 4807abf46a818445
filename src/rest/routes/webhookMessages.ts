import { internalError } from '../../engine/errors.ts';
import { Operation } from '../../engine/operation.ts';
import {
  confirmAddress,
  openInbox,
  questionOf,
  type Receipt,
  receiveMessage,
} from '../../engine/webhooks/inbound/index.ts';
import { HttpError, maxDiscardedBytes, presenceOf, readBytes, whenOver } from '../../http/index.ts';
import type { Answer, Headers } from '../declare/answer.ts';
import { text as textParameter } from '../declare/parameters.ts';
import { exceptionRoute, type RawCall, rawRoute } from '../declare/route.ts';
import { unknownRoute } from '../serve/errors.ts';

// The token in the path is a secret: nothing here may name it in a log, an error or a metric.

const path = '/webhooks/{token}';
const text = { type: 'string' } as const;

/** 4.8, rulings 9. The signature covers the bytes as sent, so they are read before any parser. */
export const receiveWebhook = rawRoute({
  method: 'POST',
  path,
  group: 'webhooks',
  summary: 'Receive a signed message of a webhook source, which becomes an event',
  failures: [401, 404, 413, 503],
  successes: [
    {
      status: 202,
      name: 'WebhookReceipt',
      meaning: 'The message is an event now, or repeats one.',
      schema: {
        type: 'object',
        required: ['deliveryId', 'status'],
        properties: {
          deliveryId: text,
          status: { type: 'string', enum: ['ingested', 'deduped'] },
          eventId: text,
          runId: text,
        },
      },
    },
    {
      status: 200,
      name: 'WebhookChallenge',
      meaning: 'The answer to a verified handshake, which is no event.',
      schema: { type: 'object', required: ['challenge'], properties: { challenge: text } },
    },
  ],
  async answer(call, service) {
    const receipt = await receive(call);
    service.metrics.countMessage(outcomeOf(receipt));
    return { ...answerTo(receipt), headers: restOf(call.request) };
  },
});

async function receive({ engine, path: { token = '' }, request, response, bodies }: RawCall): Promise<Receipt> {
  const inbox = await openInbox(engine, token, presenceOf(response));
  if (!inbox) return { kind: 'unknown' };
  const { projectId, question } = inbox;
  const body = await readBytes(request, bodies).catch(unlessTooLarge);
  const headers = pairs(request.rawHeaders);
  const operation = new Operation(engine, projectId);
  const forget = whenOver(response, () => operation.drop());
  return operation.run(() => receiveMessage(operation.engine, question, { headers, body })).finally(forget);
}

/** A body that is too large is recorded, too. */
function unlessTooLarge(error: unknown): undefined {
  if (error instanceof HttpError && error.status === 413) return undefined;
  throw error;
}

const pairs = (flat: readonly string[]): [string, string][] =>
  flat.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : []));

/** After the answer Node reads an unread body to its end. A huge rest is not worth that. */
const restOf = ({ headers }: RawCall['request']): Headers | undefined =>
  Number(headers['content-length'] ?? 0) > maxDiscardedBytes ? { connection: 'close' } : undefined;

function outcomeOf(receipt: Receipt) {
  switch (receipt.kind) {
    case 'accepted':
    case 'refused':
      return receipt.status;
    case 'invalid':
    case 'unknown':
      return receipt.kind;
    case 'challenge':
      return 'handshake';
  }
}

const statusOf = { unauthorized: 401, too_large: 413, misconfigured: 500 } as const;

const reasons = {
  missing_signature: 'the signature is missing',
  malformed_signature: 'the signature header is malformed',
  timestamp_out_of_tolerance: 'the timestamp is too far from the present',
  signature_mismatch: 'the signature does not match',
} as const;

function answerTo(receipt: Receipt): Answer {
  switch (receipt.kind) {
    case 'accepted': {
      const { deliveryId, status, eventId, runId } = receipt;
      return { status: 202, body: { deliveryId, status, eventId, runId } };
    }
    case 'challenge':
      return { status: 200, body: { challenge: receipt.challenge } };
    case 'invalid':
      return { status: 400, body: { error: receipt.reason, status: 'invalid', deliveryId: receipt.deliveryId } };
    case 'refused': {
      const { status, failureReason, deliveryId } = receipt;
      return { status: statusOf[status], body: { error: errorOf(receipt), status, failureReason, deliveryId } };
    }
    case 'unknown':
      throw unknownRoute();
  }
}

function errorOf({ status, failureReason }: Extract<Receipt, { kind: 'refused' }>): string {
  if (status === 'too_large') return 'request body too large';
  return failureReason ? reasons[failureReason] : internalError;
}

/** The handshake of Meta. A source that expects none answers like an unknown one. */
export const confirmWebhook = exceptionRoute({
  method: 'GET',
  path,
  scope: 'none',
  group: 'webhooks',
  summary: 'Confirm the address of a webhook source to a sender that asks with `hub.challenge`',
  failures: [401, 404, 503],
  parameters: {
    'hub.mode': textParameter('`subscribe`.'),
    'hub.verify_token': textParameter('The secret of the source.'),
    'hub.challenge': textParameter('The text to answer.'),
  },
  success: { status: 200, type: 'text/plain', schema: text },
  async answer({ engine, path: { token = '' }, query }, service) {
    const question = questionOf(token, { isGone: () => false });
    const confirmed = question
      ? await confirmAddress(engine, question, {
          mode: query.one('hub.mode'),
          verifyToken: query.one('hub.verify_token'),
          challenge: query.one('hub.challenge'),
        })
      : 'unknown';
    if (confirmed === 'unknown') throw unknownRoute();
    if (confirmed === 'unauthorized') throw new HttpError(401, 'the verify token does not match');
    if (confirmed === 'misconfigured') throw new HttpError(500, internalError);
    service.metrics.countMessage('handshake');
    return { status: 200, text: confirmed.challenge, type: 'text/plain; charset=utf-8' };
  },
});
