import { statement, uuid } from '../../../../db/index.ts';

/**
 * The given runs that exist. A run that claimed a key may have been withheld, or may still be
 * buffered.
 */
export const findExisting = statement<{ id: string }>('findExisting').reads({
  params: { runIds: uuid.list },
  text: 'select id from run where id = any($runIds)',
});
