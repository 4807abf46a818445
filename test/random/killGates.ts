import type { FlowControl, Holdfast } from '@holdfast/sdk';
import type { GateLedger } from './killGateLedger.ts';

/** Workflows with one policy each, by name. Each starts by an event that is named like it, and that holds `n` and `key`. */
export const gates = {
  narrow: { concurrency: { limit: 2, key: 'key' } },
  quiet: { debounce: { periodMs: 600, key: 'key' } },
  gather: { batch: { maxSize: 5, timeoutMs: 600, key: 'key' } },
  alone: { singleton: { mode: 'skip', key: 'key' } },
  newest: { singleton: { key: 'key' } },
  once: { idempotency: { key: 'key' } },
  paced: { throttle: { limit: 4, perMs: 1_000, key: 'key' } },
  shed: { rateLimit: { limit: 3, perMs: 3_000, key: 'key' } },
} as const satisfies Record<string, FlowControl>;

export type GateName = keyof typeof gates;

export const gateNames = Object.keys(gates) as readonly GateName[];

/** What an event of theirs holds. */
export interface GateData {
  n: number;
  key: string;
}

/** Long enough for bodies to meet each other. */
const bodyMs = 40;

/** Defines the workflows. What they come to is all that they were given. */
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
  // A runner may be about to begin a step of a run that is being displaced: what it saw says nothing against the service.
  hf.workflow({ id: 'newest', triggers: [{ event: 'newest' }], ...newest }, async ({ event, step }) => {
    await step.run('take', () => 'taken');
    await step.sleep('keep', 150);
    return step.run('take again', () => (event.data as GateData).n);
  });
  hf.workflow({ id: 'gather', triggers: [{ event: 'gather' }], ...gather }, async ({ events, step }) =>
    step.run('note', () => events.map(({ data }) => (data as GateData).n)),
  );
  for (const [id, policy] of Object.entries({ quiet, once, paced, shed })) {
    hf.workflow({ id, triggers: [{ event: id }], ...policy }, async ({ event, step }) =>
      step.run('note', () => (event.data as GateData).n),
    );
  }
}
