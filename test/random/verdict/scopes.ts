import type { RunRecord } from './runRecord.ts';

/** The scope of a policy with that key, or without one, in which a run of a storm counts. */
export function scopeOf({ workflow, key }: Pick<RunRecord, 'workflow' | 'key'>, path: string | undefined): string {
  return path === undefined || key === null ? workflow : `${workflow} ${key}`;
}
