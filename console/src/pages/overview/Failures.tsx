import type { ReactNode } from 'react';
import { useRead } from '../../data/queries.ts';
import { Answer, Cell, countText, Empty, Head, Panel, Table, Time, visibleText } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './Overview.module.css';
import { failingWorkflows } from './overview.ts';
import { failuresDocument } from './overviewDocuments.ts';
import { type Range, ranges } from './overviewSearch.ts';
import { useSpan, useVersions } from './useSpan.ts';

/** Failed runs by their error, the largest group first. Each leads to its runs in the list. */
export function Failures({ range }: { range: Range }): ReactNode {
  const { since, maxAge } = useSpan(range);
  const read = useRead(failuresDocument, { filter: { since }, maxAge }, { pollMs: ranges[range].pollMs });
  return (
    <Panel title="Failures by error" isFlush>
      <Answer
        read={read}
        isEmpty={({ failureGroups }) => failureGroups.groups.length === 0}
        empty={<Empty title="No run of this time failed" />}
      >
        {({ failureGroups }) => (
          <>
            <Table
              label="Failures by error"
              head={
                <>
                  <Head isNumber width="5rem">
                    Runs
                  </Head>
                  <Head>Error</Head>
                  <Head>Workflows</Head>
                  <Head>Last</Head>
                </>
              }
            >
              {failureGroups.groups.map(({ errorGroup, count, error, workflows, sample, last }) => (
                <tr key={errorGroup}>
                  <Cell isNumber>{countText(count)}</Cell>
                  <Cell isCut>
                    <PageLink to={['runs']} search={{ status: ['failed'], group: errorGroup, since }}>
                      {errorLine(error)}
                    </PageLink>
                  </Cell>
                  <Cell>{workflows === 1 && sample ? visibleText(sample.workflow) : `${workflows} workflows`}</Cell>
                  <Cell>
                    <Time at={last} form="relative" />
                  </Cell>
                </tr>
              ))}
            </Table>
            {failureGroups.isCapped && (
              <p className={styles['note']}>The newest {countText(failureGroups.examined)} failures were looked at.</p>
            )}
          </>
        )}
      </Answer>
    </Panel>
  );
}

const errorLine = (error: { name?: string | null; message: string } | null | undefined): string =>
  visibleText([error?.name, error?.message.split('\n', 1)[0]].filter(Boolean).join(': ') || 'an error without a text');

/** Workflows with failed runs, with the share of runs that failed. */
export function FailingWorkflows({ range }: { range: Range }): ReactNode {
  const { since } = useSpan(range);
  const read = useVersions(range);
  return (
    <Panel title="Failing workflows" isFlush>
      <Answer
        read={read}
        isEmpty={(data) => failingWorkflows(data).length === 0}
        empty={<Empty title="No workflow failed" />}
      >
        {(data) => (
          <Table
            label="Failing workflows"
            head={
              <>
                <Head>Workflow</Head>
                <Head isNumber>Failed</Head>
                <Head isNumber>Rate</Head>
              </>
            }
          >
            {failingWorkflows(data)
              .slice(0, 10)
              .map(({ app, workflow, failed, rate }) => (
                <tr key={`${app} ${workflow}`}>
                  <Cell isCut>
                    <PageLink to={['runs']} search={{ app, workflow, status: ['failed'], since }}>
                      {visibleText(workflow)}
                    </PageLink>
                  </Cell>
                  <Cell isNumber>{countText(failed)}</Cell>
                  <Cell isNumber>{(rate * 100).toFixed(rate < 0.1 ? 1 : 0)} %</Cell>
                </tr>
              ))}
          </Table>
        )}
      </Answer>
    </Panel>
  );
}
