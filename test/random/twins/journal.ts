/** A run of a world as both tell it: without ids, and with times relative to the begin. */
export interface RunTold {
  workflow: string;
  status: string;
  attempt: number;
  triggerKind: string;
  eventName: string;
  input: unknown;
  tags: unknown;
  session: unknown;
  /** The numbers of its parent, and of the run whose failure it handles. */
  parent: number | undefined;
  parentStep: string | undefined;
  onFailureOf: number | undefined;
  result: unknown;
  error: unknown;
  createdInMs: number;
  endedInMs: number | undefined;
  steps: unknown[];
  logs: unknown[];
  approvals: unknown[];
}

/** A world as both tell it, in the order of its runs. */
export interface WorldTold {
  runs: RunTold[];
  events: unknown[];
  webhooks: number;
  scores: number;
}

/** What a move saw: how many runs it woke, or that there was no candidate. */
export type Seen = string;

/**
 * Replaces ids in a value: those of runs by their numbers, others by a word. Drops stacks, which
 * name the callers of a world.
 */
export function withoutIds<T>(value: T, runIds: readonly string[]): T {
  if (value === undefined) return value;
  const text = JSON.stringify(value, (key, each: unknown) => (key === 'stack' ? undefined : each))
    .replace(/run_\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      const number = runIds.indexOf(id);
      return number < 0 ? 'some id' : `run ${number}`;
    })
    .replace(/(?:event|delivery|score|approval)_\d+/g, 'some id');
  return JSON.parse(text);
}

/** An error without its stack. */
export const told = (error: unknown): unknown => {
  if (typeof error !== 'object' || error === null) return undefined;
  const { name, message }: { name?: unknown; message?: unknown } = error;
  return { ...(name !== undefined && { name }), message };
};
