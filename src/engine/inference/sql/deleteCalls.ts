import { int, rowset, statement, uuid } from '../../db/index.ts';
import { isOrphanSql } from './orphanSql.ts';

const calls = rowset({ runId: uuid, stepIndex: int });

/** Deletes calls whose steps settle, and their sealed requests with them. They are locked. */
export const deleteCalls = statement<never>('deleteCalls').writes({
  params: { calls },
  text: `
    delete from inference_call c using $calls as k
    where c.run_id = k.run_id and c.step_index = k.step_index
  `,
});

/**
 * Deletes those of the calls whose step does not wait. The transaction has locked their runs. A
 * call that another process claimed meanwhile is deleted, too.
 */
export const dropOrphans = statement<{ runId: string }>('dropOrphans').writes({
  params: { calls },
  text: `
    delete from inference_call c using $calls as k
    where c.run_id = k.run_id and c.step_index = k.step_index and ${isOrphanSql('c')}
    returning c.run_id
  `,
});
