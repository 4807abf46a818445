import type { Scene } from './process.ts';

/**
 * What a run goes through that no row tells afterwards, in the order in which it happened: it was queued (`began`), a dispatcher
 * executed it (`leased`) until it did not (`freed`), it gave its `singleton` place away (`left`), it was over (`ended`).
 */
export interface Entry {
  runId: string;
  what: 'began' | 'leased' | 'freed' | 'left' | 'ended';
  /** By the moved clock, in ms. */
  at: number;
}

/**
 * SQL: triggers that keep this journal, outside of the service. What is undone with its transaction is not in it. Who takes
 * something does so under a lock that he keeps until he commits, so that the order of writing is as good as that of commits.
 */
export const journal = `
  create unlogged table moved.journal (
    id bigint generated always as identity, project_id uuid not null, run_id uuid not null, what text not null,
    at timestamptz not null default moved.clock_timestamp()
  );
  create index on moved.journal (project_id, id);
  create function moved.note() returns trigger language plpgsql as $body$
  begin
    if tg_op = 'INSERT' then
      insert into moved.journal (project_id, run_id, what) values (new.project_id, new.run_id, 'began');
      if new.lease_id is not null then
        insert into moved.journal (project_id, run_id, what) values (new.project_id, new.run_id, 'leased');
      end if;
    elsif tg_op = 'DELETE' then
      insert into moved.journal (project_id, run_id, what) values (old.project_id, old.run_id, 'ended');
    elsif old.lease_id is not distinct from new.lease_id then
      insert into moved.journal (project_id, run_id, what) values (new.project_id, new.run_id, 'left');
    else
      insert into moved.journal (project_id, run_id, what)
      values (new.project_id, new.run_id, case when new.lease_id is null then 'freed' else 'leased' end);
    end if;
    return null;
  end $body$;
  create trigger note_made after insert or delete on public.run_work for each row execute function moved.note();
  create trigger note_change after update on public.run_work for each row
    when (old.lease_id is distinct from new.lease_id or (old.singleton is not null and new.singleton is null))
    execute function moved.note();
`;

/** The journal of a project. */
export async function journalOf({ db, projectId }: Scene): Promise<Entry[]> {
  const { rows } = await db.query<Entry>({
    name: 'journalOfProject',
    text: `
      select run_id as "runId", what, (extract(epoch from at) * 1000)::float8 as at
      from moved.journal where project_id = $1 order by id`,
    values: [projectId],
  });
  return rows;
}
