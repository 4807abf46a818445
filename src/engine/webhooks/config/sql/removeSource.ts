import { statement, uuid } from '../../../db/index.ts';

/** Deletes a source. The messages that it recorded stay. */
export const removeSource = statement<{ id: string }>('removeSource').writes({
  params: { id: uuid },
  text: `
    delete from webhook_source
    where id = $id
    returning id`,
});
