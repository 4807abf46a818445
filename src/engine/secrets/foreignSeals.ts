import type { EngineContext } from '../context.ts';
import {
  boundTo,
  knownPrefixes,
  openSecret,
  type SealContext,
  type SecretKind,
  sealPrefix,
  sealSecret,
  secretKinds,
} from './seal.ts';
import type { SecretRef } from './sql/findSealedSecret.ts';
import { type ForeignSeal, listForeignSeals } from './sql/listForeignSeals.ts';
import { resealSecrets } from './sql/resealSecrets.ts';

/** Secrets that are read, opened and sealed in one step. */
const pageSize = 500;
const beforeAll: SecretRef = { projectId: '00000000-0000-0000-0000-000000000000', kind: '', name: '' };

/** Kinds whose loss would be noticed: a previous secret only serves for a day. */
const lastingKinds: readonly SecretKind[] = secretKinds.filter((kind) => !kind.endsWith('_previous'));

/** Whether the database holds a secret that none of the known operator keys sealed. */
export async function hasForeignSeals(ctx: EngineContext): Promise<boolean> {
  const of = { prefixes: knownPrefixes(ctx), kinds: lastingKinds, limit: 1 };
  return (await readPage(ctx, beforeAll, of)).length > 0;
}

export interface Resealed {
  /** Secrets that were sealed again. */
  resealed: number;
  /** Secrets that none of the keys opens. */
  unreadable: number;
  /** The first of them. */
  examples: SecretRef[];
}

const maxExamples = 10;

/**
 * Seals under the present operator key all secrets that a former key opens: one of the settings,
 * or one of `further`. Secrets that none of them opens stay as they are, so that their key can be
 * restored. Runs beside a service: a secret that is replaced meanwhile stays replaced. A page is
 * one statement, so a crash in between leaves each secret readable under one of the keys.
 */
export async function resealForeign(ctx: EngineContext, further: readonly string[] = []): Promise<Resealed> {
  const done: Resealed = { resealed: 0, unreadable: 0, examples: [] };
  const { operatorKey, formerOperatorKeys } = ctx.settings;
  const opener: SealContext = { settings: { operatorKey, formerOperatorKeys: [...formerOperatorKeys, ...further] } };
  let page: ForeignSeal[];
  let after = beforeAll;
  do {
    page = await readPage(ctx, after, { prefixes: [sealPrefix(ctx)], kinds: secretKinds, limit: pageSize });
    const secrets = page.flatMap((row) => {
      const secret = openIfPossible(opener, row);
      if (secret !== undefined)
        return [{ ...row, unreadable: row.sealed, sealed: sealSecret(ctx, secret, boundTo(row)) }];
      const { projectId, kind, name } = row;
      done.unreadable += 1;
      if (done.examples.length < maxExamples) done.examples.push({ projectId, kind, name });
      return [];
    });
    done.resealed += (await resealSecrets(ctx.db, { secrets })).length;
    after = page.at(-1) ?? after;
  } while (page.length === pageSize);
  return done;
}

/** Undefined if no key opens the secret, or if it is damaged. */
function openIfPossible(opener: SealContext, row: ForeignSeal): string | undefined {
  try {
    return openSecret(opener, row.sealed, boundTo(row));
  } catch {
    return undefined;
  }
}

interface PageOf {
  /** The beginnings of secrets that are left out. */
  prefixes: readonly Buffer[];
  kinds: readonly SecretKind[];
  limit: number;
}

const readPage = (ctx: EngineContext, after: SecretRef, of: PageOf): Promise<ForeignSeal[]> =>
  listForeignSeals(ctx.db, {
    ...of,
    afterProject: after.projectId,
    afterKind: after.kind,
    afterName: after.name,
  });
