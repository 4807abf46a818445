import { text, uuid } from '../db/index.ts';
import type { Candidate, PlannedStart } from './gate.ts';
import { type ScopeKey, searchable } from './scope.ts';

/**
 * The scope of starts that share a buffer. The pin is part of it, because starts for different
 * runners cannot share a run.
 */
export interface BufferScope {
  projectId: string;
  app: string;
  workflow: string;
  key: ScopeKey;
  /** The pinned runner, `searchable`; empty for anycast. */
  runner: string;
}

const bufferScopeOf = ({ projectId, app, workflow, runner }: PlannedStart, key: ScopeKey): BufferScope => ({
  projectId,
  app,
  workflow,
  key,
  runner: searchable(runner ?? ''),
});

/** A unique name of the scope. */
export const nameOfScope = ({ projectId, app, workflow, key, runner }: BufferScope): string =>
  JSON.stringify([projectId, app, workflow, key, runner]);

/** Starts of one scope, in order of arrival. */
export interface ScopeGroup<Policy> {
  scope: BufferScope;
  name: string;
  asking: { candidate: Candidate; policy: Policy }[];
}

/** The scopes of a set of starts, sorted, because all transactions lock buffers in this order. */
export function groupByScope<Policy extends { scope: ScopeKey }>(
  asking: readonly { candidate: Candidate; policy: Policy }[],
): ScopeGroup<Policy>[] {
  const groups = new Map<string, ScopeGroup<Policy>>();
  for (const each of asking) {
    const scope = bufferScopeOf(each.candidate.run, each.policy.scope);
    const name = nameOfScope(scope);
    const group = groups.get(name);
    if (group) group.asking.push(each);
    else groups.set(name, { scope, name, asking: [each] });
  }
  return [...groups.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

interface InScope {
  scope: BufferScope;
}

/** The columns of a scope in each row of a set. */
export const scopeColumns = {
  projectId: uuid.of(({ scope }: InScope) => scope.projectId),
  app: text.of(({ scope }: InScope) => scope.app),
  workflow: text.of(({ scope }: InScope) => scope.workflow),
  key: text.of(({ scope }: InScope) => scope.key),
  runner: text.of(({ scope }: InScope) => scope.runner),
};

/**
 * The own fields of a start, without its payload. Its run is built from them when the buffer is
 * flushed.
 */
export type BufferedStart = Pick<
  PlannedStart,
  | 'triggerKind'
  | 'eventName'
  | 'eventId'
  | 'dedupeId'
  | 'session'
  | 'runner'
  | 'depth'
  | 'tags'
  | 'envelope'
  | 'startedBy'
  | 'notBefore'
  | 'ttlMs'
>;

/** The stored form of a start: JSON text. */
export const startText = (run: PlannedStart): string => JSON.stringify(fieldsOf(run));

/** Parses the text of `startText`. */
export function readStart(text: string): BufferedStart {
  const { notBefore, ...start }: Omit<BufferedStart, 'notBefore'> & { notBefore?: string } = JSON.parse(text);
  return fieldsOf({ ...start, notBefore: notBefore === undefined ? undefined : new Date(notBefore) });
}

const fieldsOf = (start: BufferedStart): BufferedStart => ({
  triggerKind: start.triggerKind,
  eventName: start.eventName,
  eventId: start.eventId,
  dedupeId: start.dedupeId,
  session: start.session,
  runner: start.runner,
  depth: start.depth,
  tags: start.tags,
  envelope: start.envelope,
  startedBy: start.startedBy,
  notBefore: start.notBefore,
  ttlMs: start.ttlMs,
});
