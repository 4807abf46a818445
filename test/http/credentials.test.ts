import { expect, test } from 'vitest';
import { credentialsOf } from '../../src/http/index.ts';

/** Node's decoding of a header's bytes. */
const received = (bytes: Buffer): string => bytes.toString('latin1');

test.each(['ada@example.com', 'Zoë Ångström', 'Łukasz', '田中', '😀'])('%s is read from UTF-8', (name) => {
  const value = received(Buffer.from(name, 'utf8'));
  expect(credentialsOf({ headers: { 'x-service-actor': value, 'x-service-project': value } })).toEqual({
    authorization: undefined,
    actor: name,
    project: name,
  });
});

test('bytes that are not UTF-8 are read as Latin-1', () => {
  const value = received(Buffer.from('Zoë Ångström', 'latin1'));
  expect(credentialsOf({ headers: { 'x-service-actor': value } }).actor).toBe('Zoë Ångström');
});

test('headers that were not sent are undefined, and the key is passed on as it is', () => {
  expect(credentialsOf({ headers: { authorization: 'Bearer x' } })).toEqual({
    authorization: 'Bearer x',
    actor: undefined,
    project: undefined,
  });
});
