import { text, uuid } from '../db/index.ts';
import { type ScopeKey, searchable } from '../flow/index.ts';
import type { NewRun } from '../ingest/index.ts';
import type { Candidate } from './candidate.ts';

/**
 * What starts that are buffered together have in common. A pin belongs to it: what goes to
 * different runners cannot go together.
 */
export interface BufferScope {
  projectId: string;
  app: string;
  workflow: string;
  key: ScopeKey;
  /** The pinned runner, `searchable`; empty for anycast. */
  runner: string;
}

export const bufferScopeOf = ({ projectId, app, workflow, runner }: NewRun, key: ScopeKey): BufferScope => ({
  projectId,
  app,
  workflow,
  key,
  runner: searchable(runner ?? ''),
});

/** Tells scopes apart. */
export const nameOfScope = ({ projectId, app, workflow, key, runner }: BufferScope): string =>
  JSON.stringify([projectId, app, workflow, key, runner]);

/** Starts of one scope, as they came. */
export interface ScopeGroup<Policy> {
  scope: BufferScope;
  name: string;
  asking: { candidate: Candidate; policy: Policy }[];
}

/** The scopes of a set of starts, in the one order in which everybody locks their buffers. */
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

interface Scoped {
  scope: BufferScope;
}

/** The columns that a scope fills in each row of a set. */
export const scopeColumns = {
  projectId: uuid.of(({ scope }: Scoped) => scope.projectId),
  app: text.of(({ scope }: Scoped) => scope.app),
  workflow: text.of(({ scope }: Scoped) => scope.workflow),
  key: text.of(({ scope }: Scoped) => scope.key),
  runner: text.of(({ scope }: Scoped) => scope.runner),
};
