import { rowset, statement, text, uuid } from '../../db/index.ts';
import type { DedupeKey } from '../gate.ts';

/** A key whose start was withheld, and the run that a repeat is to name. */
export interface MovedKey extends DedupeKey {
  projectId: string;
  /** The run that claimed the key, and that will not exist. */
  refId: string;
  runId: string;
}

/** Lets keys that this transaction claimed refer to another run: an existing or a future one. */
export const moveKeys = statement<never>('moveKeys').writes({
  params: { keys: rowset({ projectId: uuid, scope: text, key: text, refId: uuid, runId: uuid }) },
  text: `
    update dedupe_key d set ref_id = k.run_id
    from $keys as k
    where d.project_id = k.project_id and d.scope = k.scope and d.key = k.key and d.ref_id = k.ref_id
  `,
});
