import { Fragment, type ReactNode } from 'react';
import { printExact } from '../../data/exactJson.ts';
import type { ControlActionsQuery } from '../../data/generated/graphql.ts';
import { Badge, Cell, Code, Head, Table, Time, visibleText, wordsOf } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './Audit.module.css';
import { type Part, partsOf, surfaceOf } from './auditWords.ts';

interface AuditRowsProps {
  rows: ControlActionsQuery['controlActions']['nodes'];
}

/** Entries with links to what they changed; the recorded detail unfolds. */
export function AuditRows({ rows }: AuditRowsProps): ReactNode {
  return (
    <Table
      label="List of entries"
      isCards
      head={
        <>
          <Head width="15rem">When</Head>
          <Head width="15rem">Action</Head>
          <Head width="14rem">Who</Head>
          <Head>What</Head>
        </>
      }
    >
      {rows.map((row) => {
        const surface = surfaceOf(row.detail);
        return (
          <tr key={row.id}>
            <Cell className={styles['soft']}>
              <Time at={row.createdAt} form="both" />
            </Cell>
            <Cell className={styles['action']}>{wordsOf(row.action)}</Cell>
            <Cell className={styles['soft']}>
              {row.actor ? visibleText(row.actor) : 'the service'} {surface && <Badge>{surface}</Badge>}
            </Cell>
            <Cell className={styles['what']}>
              <Parts parts={partsOf(row)} />
              {row.detail != null && (
                <details>
                  <summary>Detail</summary>
                  <Code text={printExact(row.detail, 2)} what="detail" isWrapped />
                </details>
              )}
            </Cell>
          </tr>
        );
      })}
    </Table>
  );
}

function Parts({ parts }: { parts: readonly Part[] }): ReactNode {
  return parts.map(({ text, to, search }, index) => (
    <Fragment key={text}>
      {index > 0 && ' · '}
      {to ? (
        <PageLink to={to} {...(search && { search })}>
          {visibleText(text)}
        </PageLink>
      ) : (
        visibleText(text)
      )}
    </Fragment>
  ));
}
