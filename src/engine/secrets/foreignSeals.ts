import type { EngineContext } from '../context.ts';
import { boundTo, openSecret, type SecretKind, sealPrefix, sealSecret, secretKinds } from './seal.ts';
import { type ForeignSeal, listForeignSeals } from './sql/listForeignSeals.ts';
import { resealSecrets } from './sql/resealSecrets.ts';

/** Secrets that are read, opened and sealed in one step. */
const pageSize = 500;
const beforeAll = { projectId: '00000000-0000-0000-0000-000000000000', kind: '', name: '' };

/** Kinds whose loss would be noticed: a previous secret only serves for a day. */
const lastingKinds: readonly SecretKind[] = secretKinds.filter((kind) => !kind.endsWith('_previous'));

/** Whether the database holds a secret that was sealed under another operator key. */
export async function hasForeignSeals(ctx: EngineContext): Promise<boolean> {
  return (await readPage(ctx, { after: beforeAll, kinds: lastingKinds, limit: 1 })).length > 0;
}

/**
 * Seals under this operator key all secrets that one of the `former` keys opens. Secrets that none
 * of them opens stay as they are, so that their key can be restored. A page is one statement, so a
 * crash in between leaves each secret readable under one of the keys.
 */
export async function resealForeign(ctx: EngineContext, former: readonly string[]): Promise<void> {
  let unreadable = 0;
  let resealed = 0;
  let page: ForeignSeal[];
  let after: Omit<ForeignSeal, 'sealed'> = beforeAll;
  do {
    page = await readPage(ctx, { after, kinds: secretKinds, limit: pageSize });
    const secrets = page.flatMap((row) => {
      const secret = openWithAny(former, row);
      if (secret === undefined) return [];
      return [{ ...row, unreadable: row.sealed, sealed: sealSecret(ctx, secret, boundTo(row)) }];
    });
    await resealSecrets(ctx.db, { secrets });
    resealed += secrets.length;
    unreadable += page.length - secrets.length;
    after = page.at(-1) ?? after;
  } while (page.length === pageSize);
  if (resealed + unreadable > 0) ctx.log.warn({ resealed, unreadable }, 'new operator key accepted');
}

/** Undefined if no key opens the secret, or if it is damaged. */
function openWithAny(operatorKeys: readonly string[], row: ForeignSeal): string | undefined {
  for (const operatorKey of operatorKeys) {
    try {
      return openSecret({ settings: { operatorKey } }, row.sealed, boundTo(row));
    } catch {
      // Another key may open it.
    }
  }
  return undefined;
}

interface PageOf {
  after: Omit<ForeignSeal, 'sealed'>;
  kinds: readonly SecretKind[];
  limit: number;
}

const readPage = (ctx: EngineContext, { after, kinds, limit }: PageOf): Promise<ForeignSeal[]> =>
  listForeignSeals(ctx.db, {
    prefix: sealPrefix(ctx),
    kinds,
    afterProject: after.projectId,
    afterKind: after.kind,
    afterName: after.name,
    limit,
  });
