import { statement } from '../../db/index.ts';

export interface SealedSecretBatch {
  projectId: string;
  secrets: readonly { kind: string; name: string; sealed: Buffer }[];
  now: Date | null;
}

/** Stores secrets, in place of older ones of the same kind and name. Returns nothing when the project is unknown. */
export const putSealedSecrets = statement<SealedSecretBatch, { kind: string; name: string }>({
  name: 'putSealedSecrets',
  writes: true,
  text: `
    insert into sealed_secret (project_id, kind, name, sealed, updated_at)
    select project.id, given.kind, given.name, given.sealed, coalesce($5::timestamptz, now())
    from project
    cross join unnest($2::text[], $3::text[], $4::bytea[]) as given (kind, name, sealed)
    where project.id = $1
    on conflict (project_id, kind, name) do update
      set sealed = excluded.sealed, updated_at = excluded.updated_at
    returning kind, name`,
  values: ({ projectId, secrets, now }) => [
    projectId,
    secrets.map((each) => each.kind),
    secrets.map((each) => each.name),
    secrets.map((each) => each.sealed),
    now,
  ],
});
