import { describe, expect, it, test } from 'vitest';
import { Holdfast } from '../../sdk/src/index.ts';
import { parseFlowControl } from '../../src/engine/registry/parseFlowControl.ts';

const hf = new Holdfast({ apiKey: 'k' });
let count = 0;
const define = (policies: object) => hf.workflow({ id: `w${++count}`, ...policies }, () => null);

const policies = {
  concurrency: { limit: 1 },
  throttle: { limit: 1, perMs: 1 },
  rateLimit: { limit: 1, perMs: 1 },
  debounce: { periodMs: 1 },
  batch: { maxSize: 1, timeoutMs: 1 },
  singleton: {},
  idempotency: {},
  tokenThrottle: { tokens: 1, perMs: 1 },
};

describe('the key of a policy', () => {
  test.each(['a', 'a.b', 'customer.id', '0', '__proto__', 'a b.c-d', '\u{1f600}', 'x'.repeat(1000)])(
    'may be %j',
    (key) => {
      for (const [name, policy] of Object.entries(policies)) {
        const given = { [name]: { ...policy, key } };
        expect(() => define(given)).not.toThrow();
        expect(() => parseFlowControl(given, 'w')).not.toThrow();
      }
    },
  );

  test.each(['', '.', 'a.', '.a', 'a..b', 'x'.repeat(1001), 'a\0', 'a.\ud800', '\udc00b', 5, ['a']])(
    'is refused where the workflow is defined, as the service would refuse it: %j',
    (key) => {
      for (const [name, policy] of Object.entries(policies)) {
        const given = { [name]: { ...policy, key } };
        expect(() => define(given), name).toThrow(TypeError);
        expect(() => parseFlowControl(given, 'w'), name).toThrow();
      }
    },
  );

  it('is refused where it is null: in code that is a mistake, though the service takes it for absent', () => {
    for (const [name, policy] of Object.entries(policies)) {
      expect(() => define({ [name]: { ...policy, key: null } }), name).toThrow(TypeError);
    }
  });

  it('is named in the error, with its workflow and its policy', () => {
    expect(() => hf.workflow({ id: 'pack', throttle: { limit: 1, perMs: 1, key: 'a..b' } }, () => null)).toThrow(
      /workflow "pack": the key of throttle .* it is "a\.\.b"/,
    );
  });
});
