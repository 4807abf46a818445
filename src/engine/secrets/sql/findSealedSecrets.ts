import { bigint, instant, statement, text, uuid } from '../../db/index.ts';

export interface FoundSecret {
  kind: string;
  sealed: Buffer;
  /** Whether it was stored within the overlap of a rotation. */
  isRecent: boolean;
}

/** Secrets of several kinds with one name, as of one instant. */
export const findSealedSecrets = statement<FoundSecret>('findSealedSecrets').reads({
  params: { now: instant, projectId: uuid, kinds: text.list, name: text, overlapMs: bigint },
  text: `
    select kind, sealed, updated_at > $now - $overlapMs * interval '1 ms' as is_recent
    from sealed_secret
    where project_id = $projectId and kind = any($kinds) and name = $name`,
});
