import { describe, expect, it } from 'vitest';
import { choosesProject, type Deed, type KeyKind, kindOfKey, namesPerson, refusalOf } from './permissions.ts';

const refusals = (kind: KeyKind, isSuspended = false): (string | undefined)[] =>
  (['write', 'start', 'manage'] satisfies Deed[]).map((deed) => refusalOf({ kind, isSuspended }, deed));

describe('permissions', () => {
  it('of a public key are to read', () => {
    expect(refusals('PUBLIC')).toEqual(['needs a secret key', 'needs a secret key', 'needs the operator key']);
  });

  it('of secret and platform keys are to write in their project', () => {
    for (const kind of ['SECRET', 'PLATFORM'] as const) {
      expect(refusals(kind)).toEqual([undefined, undefined, 'needs the operator key']);
    }
  });

  it('of the operator are all', () => {
    expect(refusals('OPERATOR')).toEqual([undefined, undefined, undefined]);
  });

  it('end at a suspended project for what starts runs', () => {
    expect(refusals('SECRET', true)).toEqual([undefined, 'the project is suspended', 'needs the operator key']);
  });

  it('follow the beginning of a key', () => {
    expect(['hf_pk_a', ' hf_sk_a', 'hf_plat_a', 'hf_op_a', 'hf_xx_a', 'secret'].map(kindOfKey)).toEqual([
      'PUBLIC',
      'SECRET',
      'PLATFORM',
      'OPERATOR',
      undefined,
      undefined,
    ]);
  });

  it('let platform and operator keys choose a project, and platform keys name a person', () => {
    const kinds = ['PUBLIC', 'SECRET', 'PLATFORM', 'OPERATOR'] as const;
    expect(kinds.filter(choosesProject)).toEqual(['PLATFORM', 'OPERATOR']);
    expect(kinds.filter(namesPerson)).toEqual(['PLATFORM']);
  });
});
