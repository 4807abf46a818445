import { bytea, statement, text, uuid } from '../../../db/index.ts';
import type { Handshake, SourceScheme } from '../../config/index.ts';

/** The part of a source that decides about messages. */
export interface SourceRow {
  id: string;
  projectId: string;
  app: string | null;
  eventName: string;
  targetApp: string | null;
  dedupeKey: string | null;
  scheme: SourceScheme;
  handshake: Handshake | null;
  exposeHeaders: string[];
  enabled: boolean;
  /** The version of the row. Any change of the source, or a rotation, changes it. */
  version: string;
}

/** SQL: the columns of a `SourceRow`. */
const sourceColumns = `s.id, s.project_id, s.app, s.event_name, s.target_app, s.dedupe_key, s.scheme, s.handshake,
      s.expose_headers, s.enabled, s.xmin::text as version`;

export interface SourceSecretsRow extends SourceRow {
  /** The SHA-256 of the token in hex. */
  hash: string;
  secret: Buffer | null;
  previous: Buffer | null;
  previousAt: Date | null;
}

/**
 * The sources with these tokens, and their sealed secrets. Rides the unique index on `token_hash`
 * and the primary key of `sealed_secret`.
 */
export const findSources = statement<SourceSecretsRow>('findSources').reads({
  params: { hashes: bytea.list, kind: text, previousKind: text },
  text: `
    select encode(s.token_hash, 'hex') as hash, ${sourceColumns}, c.sealed as secret, p.sealed as previous,
      p.updated_at as previous_at
    from webhook_source s
    left join sealed_secret c on c.project_id = s.project_id and c.kind = $kind and c.name = s.id::text
    left join sealed_secret p on p.project_id = s.project_id and p.kind = $previousKind and p.name = s.id::text
    where s.token_hash = any($hashes)`,
});

export const findSourceById = statement<SourceRow>('findSourceById').reads({
  params: { id: uuid, projectId: uuid },
  text: `select ${sourceColumns} from webhook_source s where s.id = $id and s.project_id = $projectId`,
});
