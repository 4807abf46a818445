import { backoffs, type FlowControl, type StepManifestEntry } from '@holdfast/sdk/protocol';
import type { Definition, Trigger } from '../model/index.ts';
import type { WorkflowRow } from './sql/loadProject.ts';

/** A definition as it was stored. It was validated then, so only its shape is restored here. */
export function storedDefinition(row: WorkflowRow): Definition {
  return {
    name: row.name,
    app: row.app,
    version: row.version,
    retry: {
      maxAttempts: row.maxAttempts,
      backoff: backoffs.find((each) => each === row.backoff) ?? 'exponential',
      initialDelayMs: row.initialDelayMs,
      maxDelayMs: row.maxDelayMs,
    },
    onFailure: row.onFailure,
    triggers: (row.triggers as Trigger[] | null) ?? undefined,
    flowControl: (row.flowControl as FlowControl | null) ?? undefined,
    steps: (row.steps as StepManifestEntry[] | null) ?? undefined,
  };
}
