import { bytea, statement } from '../../../db/index.ts';
import type { SourceRow } from '../source.ts';
import { sourceColumns } from './columns.ts';

/** Rides the unique index on the hash. */
export const findTokenRow = statement<SourceRow>('findTokenRow').reads({
  params: { tokenHash: bytea },
  text: `
    select ${sourceColumns}
    from webhook_source as s
    where s.token_hash = $tokenHash`,
});
