import type { Scene } from '../storm/process.ts';

/**
 * The history of a case in order, beyond the final rows. A run was queued (`began`). A dispatcher
 * executed it (`leased`) until it did not (`freed`). The run gave up its `singleton` (`left`),
 * ended (`ended`), and that was about to be committed (`told`). An event was recorded. A key of
 * `idempotency` was claimed for its subject. A start was buffered. A run became executable for the
 * first time (`readied`). A run spent tokens, and its commit began.
 */
export interface Entry {
  /** A run, an event or a buffer; for a key, its holder. */
  subject: string;
  what: 'began' | 'leased' | 'freed' | 'left' | 'ended' | 'told' | 'recorded' | 'claimed' | 'put' | 'readied' | 'spent';
  /** By the moved clock, in ms. */
  at: number;
  /** The begin of its transaction, by the same clock. */
  since: number;
  /** Its transaction. */
  tx: string;
  /** With its scope. For a buffered start, its marker (`runRecord.ts`); for a spend, its tokens. */
  key: string | null;
  /** For a buffer: its policy, its workflow, and its key if any. */
  scope: string | null;
  /** How long the key counts, in ms of the clock. */
  until: number | null;
}

/**
 * SQL: the triggers that keep this journal outside of the service. A rollback removes its entries.
 * Each change holds a lock until its commit, so the order of writes is that of the commits.
 */
export const journal = `
  create unlogged table moved.journal (
    id bigint generated always as identity, project_id uuid not null, subject uuid not null, what text not null,
    at timestamptz not null default moved.clock_timestamp(), tx xid8 not null default pg_current_xact_id(),
    since timestamptz not null default moved.now(), key text, scope text, until timestamptz
  );
  create index on moved.journal (project_id, id);
  create function moved.note_run() returns trigger language plpgsql as $body$
  begin
    if tg_op = 'INSERT' then
      insert into moved.journal (project_id, subject, what) values (new.project_id, new.run_id, 'began');
      if new.state in ('ready', 'gated') then
        insert into moved.journal (project_id, subject, what) values (new.project_id, new.run_id, 'readied');
      end if;
      if new.lease_id is not null then
        insert into moved.journal (project_id, subject, what) values (new.project_id, new.run_id, 'leased');
      end if;
    elsif tg_op = 'DELETE' then
      insert into moved.journal (project_id, subject, what) values (old.project_id, old.run_id, 'ended');
    elsif old.state = 'parked' and new.state = 'ready' then
      insert into moved.journal (project_id, subject, what) values (new.project_id, new.run_id, 'readied');
    elsif old.lease_id is not distinct from new.lease_id then
      insert into moved.journal (project_id, subject, what) values (new.project_id, new.run_id, 'left');
    else
      insert into moved.journal (project_id, subject, what)
      values (new.project_id, new.run_id, case when new.lease_id is null then 'freed' else 'leased' end);
    end if;
    return null;
  end $body$;
  create trigger note_made after insert or delete on public.run_work for each row execute function moved.note_run();
  create trigger note_change after update on public.run_work for each row
    when (old.lease_id is distinct from new.lease_id or (old.singleton is not null and new.singleton is null)
      or (old.state = 'parked' and new.state = 'ready' and new.claim_no = 0))
    execute function moved.note_run();
  create function moved.note_told() returns trigger language plpgsql as $body$
  begin
    insert into moved.journal (project_id, subject, what) values (old.project_id, old.run_id, 'told');
    return null;
  end $body$;
  create constraint trigger note_told after delete on public.run_work deferrable initially deferred for each row
    execute function moved.note_told();
  create function moved.note_event() returns trigger language plpgsql as $body$
  begin
    insert into moved.journal (project_id, subject, what) values (new.project_id, new.id, 'recorded');
    return null;
  end $body$;
  create trigger note_event after insert on public.event for each row execute function moved.note_event();
  create function moved.note_key() returns trigger language plpgsql as $body$
  begin
    insert into moved.journal (project_id, subject, what, key, until)
    values (new.project_id, new.ref_id, 'claimed', new.scope || ' ' || new.key, new.expires_at);
    return null;
  end $body$;
  create trigger note_key after insert or update on public.dedupe_key for each row
    when (new.scope like 'idempotency:%') execute function moved.note_key();
  create function moved.note_put() returns trigger language plpgsql as $body$
  begin
    insert into moved.journal (project_id, subject, what, key, scope)
    select project_id, id, 'put', coalesce(new.event_id::text, new.input ->> 'name', new.input ->> 'scheduledAt'),
      policy || ' ' || workflow || case when key = '' then '' else ' ' || substr(key, 2) end
    from public.flow_buffer where id = new.buffer_id;
    return null;
  end $body$;
  create trigger note_put after insert or update on public.flow_buffer_item for each row
    execute function moved.note_put();
  create function moved.note_spend() returns trigger language plpgsql as $body$
  begin
    insert into moved.journal (project_id, subject, what, key)
    values (new.project_id, new.run_id, 'spent', coalesce(new.tokens_in, 0) + coalesce(new.tokens_out, 0));
    return null;
  end $body$;
  create constraint trigger note_spend after insert on public.ai_usage deferrable initially deferred for each row
    execute function moved.note_spend();
`;

/** The journal of a project. */
export async function journalOf({ db, projectId }: Scene): Promise<Entry[]> {
  const { rows } = await db.query<Entry>({
    name: 'journalOfProject',
    text: `
      select subject, what, (extract(epoch from at) * 1000)::float8 as at,
        (extract(epoch from since) * 1000)::float8 as since, tx::text, key, scope,
        (extract(epoch from until) * 1000)::float8 as until
      from moved.journal where project_id = $1 order by id`,
    values: [projectId],
  });
  return rows;
}

/** When something first happened to each subject. */
export const firstTimes = (journal: readonly Entry[], what: Entry['what']): Map<string, number> =>
  new Map([...journal].reverse().flatMap((each) => (each.what === what ? [[each.subject, each.at] as const] : [])));
