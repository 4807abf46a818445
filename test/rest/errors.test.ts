import { expect, test } from 'vitest';
import { conflicts, errorKinds, HoldfastError } from '../../src/engine/errors.ts';
import { bodyTooLarge, statusOfKind } from '../../src/http/index.ts';
import { failureOf, unknownRoute, wrongMethod } from '../../src/rest/serve/errors.ts';

test('every kind of error has its status, and no other has one', () => {
  expect(Object.keys(statusOfKind).sort()).toEqual([...errorKinds].sort());
  expect(statusOfKind).toEqual({
    unauthenticated: 401,
    forbidden: 403,
    suspended: 403,
    invalid: 400,
    notFound: 404,
    conflict: 409,
    noRunner: 502,
    notConfigured: 501,
    busy: 503,
  });
});

test('every conflict reason reaches the caller as it stands in the contract', () => {
  for (const reason of Object.values(conflicts))
    expect(failureOf(new HoldfastError('conflict', reason))).toMatchObject({ status: 409, error: reason });
});

test('an unexpected error is masked, whatever its message', () => {
  for (const thrown of [new Error('relation "run" does not exist'), new TypeError('x'), 'text', undefined, null])
    expect(failureOf(thrown)).toEqual({ status: 500, error: 'internal error', headers: {}, isFault: true });
});

test('refusals before any rule is asked have the statuses and texts of the contract', () => {
  expect(failureOf(unknownRoute())).toMatchObject({ status: 404, error: 'not found' });
  expect(failureOf(bodyTooLarge())).toMatchObject({ status: 413, error: 'request body too large' });
  expect(failureOf(wrongMethod(['GET']))).toMatchObject({ status: 405, headers: { allow: 'GET' } });
});
