import { bigint, rowset, statement, uuid } from '../../../../db/index.ts';

interface Row {
  digest: string;
  projectId: string;
  runId: string;
}

/** The holders of singletons. */
export const findHolders = statement<Row>('findHolders').reads({
  params: { singletons: rowset({ projectId: uuid, digest: bigint }) },
  text: `
    select w.singleton::text as digest, w.project_id, w.run_id
    from $singletons as p
    cross join lateral (
      select singleton, project_id, run_id from run_work
      where run_work.project_id = p.project_id and run_work.singleton = p.digest
    ) w
  `,
});
