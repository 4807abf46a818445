import type { FlowControl, Holdfast } from '@holdfast/sdk';
import type { GateLedger } from './gateLedger.ts';

/**
 * Workflows with one policy each, by name. Each starts on an event with its own name, which has `n`
 * and `key`.
 */
export const gates = {
  narrow: { concurrency: { limit: 2, key: 'key' } },
  quiet: { debounce: { periodMs: 600, key: 'key' } },
  gather: { batch: { maxSize: 5, timeoutMs: 600, key: 'key' } },
  alone: { singleton: { mode: 'skip', key: 'key' } },
  newest: { singleton: { key: 'key' } },
  once: { idempotency: { key: 'key' } },
  paced: { throttle: { limit: 4, perMs: 1_000, key: 'key' } },
  shed: { rateLimit: { limit: 3, perMs: 3_000, key: 'key' } },
  capped: { cap: { maxTokens: 50 } },
  thrifty: { budget: { maxTokens: 100, windowMs: 1_000 } },
  fed: { tokenThrottle: { tokens: 10, perMs: 500, key: 'key' } },
} as const satisfies Record<string, FlowControl>;

export type GateName = keyof typeof gates;

export const gateNames = Object.keys(gates) as readonly GateName[];

/** The data of such an event. */
export interface GateData {
  n: number;
  key: string;
}

/** Long enough for bodies to overlap. */
const bodyMs = 40;

/**
 * The tokens of each counted call of a run, in order. The call that reaches the cap is the last
 * one.
 */
export const calls = { capped: [20, 20, 20], thrifty: [20, 20], fed: [60] } as const;

/** Defines the workflows. Their result is exactly their input. */
export function defineGates(hf: Holdfast, ledger: GateLedger): void {
  const { narrow, alone, newest, gather, quiet, once, paced, shed } = gates;
  hf.workflow({ id: 'narrow', triggers: [{ event: 'narrow' }], ...narrow }, async ({ event, step, run }) => {
    const { n, key } = event.data as GateData;
    const hold = () => ledger.hold({ run, scope: `narrow ${key}`, limit: narrow.concurrency.limit, forMs: bodyMs });
    await step.run('hold', hold);
    await step.sleep('give back', 50);
    await step.run('hold again', hold);
    return n;
  });
  hf.workflow({ id: 'alone', triggers: [{ event: 'alone' }], ...alone }, async ({ event, step, run }) => {
    const { n, key } = event.data as GateData;
    await step.run('take', () => ledger.take({ run, scope: `alone ${key}` }));
    await step.sleep('keep', 150);
    await step.run('take again', () => ledger.take({ run, scope: `alone ${key}` }));
    return n;
  });
  // A runner may begin a step of a run that is being displaced, so its observation proves no
  // violation.
  hf.workflow({ id: 'newest', triggers: [{ event: 'newest' }], ...newest }, async ({ event, step }) => {
    await step.run('take', () => 'taken');
    await step.sleep('keep', 150);
    return step.run('take again', () => (event.data as GateData).n);
  });
  hf.workflow({ id: 'gather', triggers: [{ event: 'gather' }], ...gather }, async ({ events, step }) =>
    step.run('note', () => events.map(({ data }) => (data as GateData).n)),
  );
  defineSpenders(hf);
  for (const [id, policy] of Object.entries({ quiet, once, paced, shed })) {
    hf.workflow({ id, triggers: [{ event: id }], ...policy }, async ({ event, step }) =>
      step.run('note', () => (event.data as GateData).n),
    );
  }
}

/** The run is parked between two calls, so that it can be paused or killed with its spend. */
const breathMs = 100;

function defineSpenders(hf: Holdfast): void {
  const { capped, thrifty, fed } = gates;
  hf.workflow({ id: 'capped', triggers: [{ event: 'capped' }], ...capped }, async ({ step }) => {
    // The last call exceeds the cap.
    for (const tokensIn of [...calls.capped, 20]) {
      await step.ai.wrap('call', ({ report }) => report({ model: 'm', tokensIn }));
      await step.sleep('breathe', breathMs);
    }
  });
  hf.workflow({ id: 'thrifty', triggers: [{ event: 'thrifty' }], ...thrifty }, async ({ event, step }) => {
    for (const tokensIn of calls.thrifty) {
      await step.ai.wrap('call', ({ report }) => report({ model: 'm', tokensIn }));
      await step.sleep('breathe', breathMs);
    }
    return (event.data as GateData).n;
  });
  hf.workflow({ id: 'fed', triggers: [{ event: 'fed' }], ...fed }, async ({ event, step }) => {
    for (const tokensIn of calls.fed) await step.ai.wrap('call', ({ report }) => report({ model: 'm', tokensIn }));
    return (event.data as GateData).n;
  });
}
