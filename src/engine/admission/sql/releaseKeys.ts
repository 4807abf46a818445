import { statement } from '../../db/index.ts';

/** Gives up keys that were claimed in this transaction, by what claimed them: nothing came of it after all. */
export const releaseKeys = statement<
  { keys: readonly { projectId: string; scope: string; key: string; refId: string }[] },
  never
>({
  name: 'releaseKeys',
  writes: true,
  text: `
    delete from dedupe_key d
    using unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[]) as k(project_id, scope, key, ref_id)
    where d.project_id = k.project_id and d.scope = k.scope and d.key = k.key and d.ref_id = k.ref_id
  `,
  values: ({ keys }) => [
    keys.map((each) => each.projectId),
    keys.map((each) => each.scope),
    keys.map((each) => each.key),
    keys.map((each) => each.refId),
  ],
});
