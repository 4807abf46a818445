import { statement, uuid } from '../../../../db/index.ts';

/**
 * Those of the runs that exist: the run for which a key was claimed may be withheld, or still in a
 * buffer.
 */
export const findExisting = statement<{ id: string }>('findExisting').reads({
  params: { runIds: uuid.list },
  text: 'select id from run where id = any($runIds)',
});
