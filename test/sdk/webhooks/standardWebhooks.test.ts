import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { verifyWebhook } from '../../../sdk/src/webhooks/index.ts';
import { bytesOf, vectors } from './vectors.ts';

afterEach(() => void vi.useRealTimers());

/** They have no clock of their own. */
const at = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: seconds * 1000 });

const libraries = [
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
] as const;

/** A body that is no webhook of the service is valid to them, if it is JSON. */
const judged = vectors.filter(({ scheme, result }) => scheme === 'standard' && result !== 'invalid_body');

describe.each(libraries)('the library %s', (_, Library) => {
  it('signs what the SDK accepts, also with another secret beside', async () => {
    const [vector] = judged;
    if (!vector) throw new Error('no vector');
    const body = bytesOf(vector).toString();
    const [secret = ''] = vector.secrets;
    const sentAt = new Date(vector.now * 1000);
    const former = 'whsec_ZWluIGFuZGVyZXMgR2VoZWltbmlz';
    const signatures = [former, secret].map((each) => new Library(each).sign('msg_1', sentAt, body));
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(vector.now),
      'webhook-signature': signatures.join(' '),
    };
    for (const each of [secret, former, [secret, former]])
      expect(await verifyWebhook(body, headers, each, { now: sentAt })).toEqual(JSON.parse(body));
  });

  it.each(judged)('judges a vector like the SDK: $case', (vector) => {
    at(vector.now);
    const { secrets, headers, result } = vector;
    const [secret = ''] = secrets;
    const verify = () => new Library(secret).verify(bytesOf(vector).toString(), headers);
    if (result === 'valid') expect(verify()).toEqual(JSON.parse(bytesOf(vector).toString()));
    else expect(verify).toThrow();
  });
});
