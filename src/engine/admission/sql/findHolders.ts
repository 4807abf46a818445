import { statement } from '../../db/index.ts';

interface Params {
  places: readonly { projectId: string; digest: string }[];
}

interface Row {
  digest: string;
  project_id: string;
  run_id: string;
}

/** The unfinished runs that take `singleton` places. */
export const findHolders = statement<Params, Row>({
  name: 'findHolders',
  writes: false,
  text: `
    select w.singleton::text as digest, w.project_id, w.run_id
    from unnest($1::uuid[], $2::bigint[]) as p(project_id, digest)
    cross join lateral (
      select singleton, project_id, run_id from run_work
      where run_work.project_id = p.project_id and run_work.singleton = p.digest
    ) w
  `,
  values: ({ places }) => [places.map((each) => each.projectId), places.map((each) => each.digest)],
});
