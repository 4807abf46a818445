import { useMemo, useState } from 'react';
import { useRead } from '../../data/queries.ts';
import { type Read, serviceNow } from '../../design/index.ts';
import { simulationDocument } from './simulationDocument.ts';
import type { Simulation } from './simulationFigures.ts';
import { ceilingOf, definitionOf, type Policies } from './simulationPolicies.ts';
import { isChanged } from './simulationTried.ts';

export interface Simulations {
  /** Under the policies in force. */
  now: Simulation;
  tried: Simulation;
}

interface SimulationOptions {
  app: string;
  workflow: string;
  pastMs: number;
  tried: Policies;
  force: Policies;
  /** Whether any policy is tried otherwise than it is in force. */
  isTrying: boolean;
}

/**
 * Simulates a time under the policies in force and under those that are tried: one request at a
 * time, and each once. The time ends when the page was opened, or with `again`.
 */
export function useSimulation({ app, workflow, pastMs, tried, force, isTrying }: SimulationOptions): {
  read: Read<Simulations>;
  isLoading: boolean;
  again: () => void;
} {
  const [untilMs, setUntilMs] = useState(serviceNow);
  const of = { app, workflow, since: textOf(untilMs - pastMs), until: textOf(untilMs) };
  const options = { isFixed: true, hasPayloads: true };
  const now = useRead(simulationDocument, of, options);
  const policies = isTrying && { flowControl: definitionOf(tried) };
  const ceiling = isChanged('ceiling', tried, force) && { concurrencyCeiling: ceilingOf(tried) };
  const isNowKnown = now.data !== undefined && !now.isOld;
  const other = useRead(simulationDocument, { ...of, ...policies, ...ceiling }, { ...options, isEnabled: isNowKnown });
  const trouble = now.trouble ?? other.trouble;
  const isOld = now.isOld || other.isOld;
  const [one, two] = [now.data?.simulateFlow, other.data?.simulateFlow];
  const data = useMemo(() => one && two && { now: one, tried: two }, [one, two]);
  return {
    read: {
      data,
      trouble,
      isOld,
      retry: () => (now.trouble || !isNowKnown ? now.retry() : other.retry()),
    },
    isLoading: (isOld || data === undefined) && trouble === undefined,
    again: () => setUntilMs(serviceNow()),
  };
}

const textOf = (ms: number): string => new Date(ms).toISOString();
