import { rowset, statement, text, uuid } from '../../../../db/index.ts';

/** Releases keys that this transaction claimed for events or runs that it does not create. */
export const releaseKeys = statement<never>('releaseKeys').writes({
  params: { keys: rowset({ projectId: uuid, scope: text, key: text, refId: uuid }) },
  text: `
    delete from dedupe_key d
    using $keys as k
    where d.project_id = k.project_id and d.scope = k.scope and d.key = k.key and d.ref_id = k.ref_id
  `,
});
