import type { Holdfast } from '@holdfast/sdk';

/** The observations of the runners, which survive the deaths of the service. */
export interface FlowLedger {
  /** By run and step: how often the body was entered. */
  entered: Map<string, number>;
  /** Steps whose saved result a handler received. */
  acknowledged: Set<string>;
  violations: string[];
}

/** The result of each run, whatever happens to the service. */
export const expectedResult = (n: number): unknown => ({
  n,
  loaded: `loaded ${n}`,
  doubled: [`left ${n}`, `right ${n}`],
  child: `child of ${n}`,
});

/** Workflows whose steps depend only on their input. */
export function defineFlows(hf: Holdfast, ledger: FlowLedger): void {
  const enter = (step: string): string => {
    if (ledger.acknowledged.has(step)) ledger.violations.push(`${step} ran again after its result had been handed out`);
    ledger.entered.set(step, (ledger.entered.get(step) ?? 0) + 1);
    return step;
  };
  const take = async (step: string, result: Promise<string>): Promise<string> => {
    const known = await result;
    if (known !== step) ledger.violations.push(`${step} gave back ${known}`);
    ledger.acknowledged.add(step);
    return known;
  };
  const child = hf.workflow({ id: 'child' }, async ({ event, step }) => {
    const { n } = event.data as { n: number };
    return take(
      `child of ${n}`,
      step.run('answer', () => enter(`child of ${n}`)),
    );
  });
  hf.workflow({ id: 'heard', triggers: [{ event: 'told' }] }, async ({ event }) => (event.data as { n: number }).n);
  hf.workflow({ id: 'flow', triggers: [{ event: 'begin' }] }, async ({ event, step }) => {
    const { n } = event.data as { n: number };
    const loaded = await take(
      `loaded ${n}`,
      step.run('load', () => enter(`loaded ${n}`)),
    );
    await step.sleep('nap', 50 + (n % 5) * 100);
    const doubled = await Promise.all(
      ['left', 'right'].map((side) =>
        take(
          `${side} ${n}`,
          step.run(side, () => enter(`${side} ${n}`)),
        ),
      ),
    );
    await step.waitForEvent('go', { event: 'go', if: `event.data.n == ${n}` });
    const answer = await step.runWorkflow('call', child, { data: { n } });
    await step.emit('tell', { name: 'told', data: { n } });
    return { n, loaded, doubled, child: answer };
  });
}
