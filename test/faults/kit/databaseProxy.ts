import { TcpProxy } from '../../support/tcpProxy.ts';
import { type Exchange, Frontend, queryMessage } from './frontend.ts';

/** The SQLSTATE with which PostgreSQL is to refuse a statement, or undefined to let it pass. */
export type Refuse = (statement: string) => string | undefined;

/**
 * Stands between the service and PostgreSQL, and has statements fail that a test chooses. The
 * server itself is made to raise the error, in place of the statement and in the transaction where
 * that stands: what follows is as in earnest.
 */
export const openDatabaseProxy = (databaseUrl: string, refuse: Refuse): Promise<TcpProxy> =>
  TcpProxy.open(databaseUrl, ({ client, backend }) => {
    const frontend = new Frontend();
    backend.pipe(client);
    client.on('end', () => backend.end());
    client.on('data', (chunk: Buffer) => {
      for (const exchange of frontend.take(chunk)) backend.write(passedOn(exchange, refuse));
    });
  });

function passedOn({ statement, bytes }: Exchange, refuse: Refuse): Buffer {
  const state = statement === undefined ? undefined : refuse(statement);
  if (state === undefined) return bytes;
  const raise = `do $$ begin raise exception 'refused' using errcode = '${state}'; end $$`;
  // A commit that fails leaves no transaction behind.
  return queryMessage(/^commit\b/i.test(statement ?? '') ? `rollback; ${raise}` : raise);
}
