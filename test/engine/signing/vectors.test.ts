import { expect, it } from 'vitest';
import { signatureFault } from '../../../src/engine/signing/index.ts';
import { bytesOf, vectors } from '../../sdk/webhooks/vectors.ts';

/** The engine verifies signatures only: it does not know the bodies of other senders. */
const faultOf = (result: string): string | undefined =>
  result === 'valid' || result === 'invalid_body' ? undefined : result;

it.each(vectors)('a source judges the signature of a vector like the SDK: $scheme, $case', (vector) => {
  const headers = new Headers(vector.headers);
  const fault = signatureFault(
    { scheme: vector.scheme, isSlack: false },
    {
      header: (name) => headers.get(name)?.trim() || undefined,
      body: bytesOf(vector),
      secrets: vector.secrets,
      now: new Date(vector.now * 1000),
      toleranceMs: 300_000,
    },
  );
  expect(fault).toBe(faultOf(vector.result));
});
