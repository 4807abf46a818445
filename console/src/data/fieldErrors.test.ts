import { describe, expect, it } from 'vitest';
import { formErrors } from './fieldErrors.ts';
import { RequestError } from './requestError.ts';

const names = ['url', 'name', 'eventKinds'] as const;

describe('errors of a form', () => {
  it('stand at the field that the service names', () => {
    const error = new RequestError('BAD_USER_INPUT', 'url must not lead to a private address');
    expect(formErrors(error, names)).toEqual({ at: { url: error.message }, trouble: undefined });
  });

  it('stand above the form if they concern none of its fields', () => {
    const refused = formErrors(new RequestError('BAD_USER_INPUT', 'token must have 16 characters'), names);
    expect(refused).toMatchObject({ at: {}, trouble: { detail: 'token must have 16 characters' } });
    const taken = formErrors(new RequestError('CONFLICT', 'name is taken'), names);
    expect(taken).toMatchObject({ at: {}, trouble: { detail: 'name is taken' } });
  });

  it('are none before the first answer', () => {
    expect(formErrors(undefined, names)).toEqual({ at: {}, trouble: undefined });
  });
});
