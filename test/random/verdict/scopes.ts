import type { RunRecord } from './runRecord.ts';

/** The scope of a policy with or without a key, for a run of a storm. */
export function scopeOf({ workflow, key }: Pick<RunRecord, 'workflow' | 'key'>, path: string | undefined): string {
  return path === undefined || key === null ? workflow : `${workflow} ${key}`;
}
