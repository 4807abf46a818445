import { rowset, statement, text } from '../../../db/index.ts';
import { keyIdSql } from '../../sql/keySql.ts';

export interface KeyUse {
  provider: string;
  owner: string;
  lastUsedAt: Date | null;
  lastRefusedAt: Date | null;
  lastRefusal: string | null;
}

/** What calls made of provider keys. Keys without a call are left out. Rides the primary key. */
export const selectKeyUses = statement<KeyUse>('selectKeyUses').reads({
  params: { keys: rowset({ owner: text, provider: text }) },
  text: `
    select given.provider, given.owner, k.last_used_at, k.last_refused_at, k.last_refusal
    from $keys as given
    join inference_key k on k.id = ${keyIdSql('given.owner', 'given.provider')}`,
});
