import type { ReactNode } from 'react';
import type { SpendQuery } from '../../data/generated/graphql.ts';
import {
  Cell,
  costText,
  countText,
  Head,
  Panel,
  shareText,
  Table,
  unpricedCalls,
  visibleText,
} from '../../design/index.ts';
import styles from './AiPage.module.css';
import type { AiSearch } from './aiSearch.ts';
import { unnamedModel } from './spendSeries.ts';

interface FilterProps {
  search: AiSearch;
  onChange: (search: AiSearch) => void;
}

type Spend = SpendQuery['aiSpend'];

/** The spend by model. A model's name filters the page. */
export function Models({ models, search, onChange }: FilterProps & { models: Spend['byModel'] }): ReactNode {
  return (
    <Panel title="By model" isFlush>
      <Table
        label="Spend by model, the most tokens first"
        isCards
        head={
          <>
            <Head>Model</Head>
            <Head isNumber>Cost</Head>
            <Head isNumber>Calls</Head>
            <Head isNumber>In</Head>
            <Head isNumber>Out</Head>
            <Head isNumber>Cached</Head>
          </>
        }
      >
        {models.map((row) => (
          <tr key={JSON.stringify(row.model)}>
            <Cell className={styles['name']}>
              {row.model === null ? (
                <span className={styles['soft']}>{unnamedModel}</span>
              ) : (
                <Choose label={row.model} onChoose={() => onChange({ ...search, model: row.model ?? undefined })} />
              )}
            </Cell>
            <Cell isNumber className={styles['cost']}>
              {costText(row)}
            </Cell>
            <Cell isNumber name="calls">
              {countText(row.calls)}
            </Cell>
            <Cell isNumber name="in">
              {countText(row.tokensIn)}
            </Cell>
            <Cell isNumber name="out">
              {countText(row.tokensOut)}
            </Cell>
            <Cell isNumber name="cached">
              {shareText(row.cacheHits, row.cacheEligible)}
            </Cell>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

/** The spend by workflow. A workflow's name filters the page. */
export function Workflows({ spend, search, onChange }: FilterProps & { spend: Spend }): ReactNode {
  const unpriced = unpricedCalls(spend.byModel);
  return (
    <Panel title="By workflow" isFlush>
      <Table
        label="Spend by workflow, the most tokens first"
        isCards
        head={
          <>
            <Head>Workflow</Head>
            <Head isNumber>Cost</Head>
            <Head isNumber>Calls</Head>
            <Head isNumber>Tokens</Head>
          </>
        }
      >
        {spend.byWorkflow.map((row) => (
          <tr key={JSON.stringify([row.app, row.workflow])}>
            <Cell className={styles['name']}>
              <Choose
                label={row.workflow}
                onChoose={() => onChange({ ...search, app: row.app, workflow: row.workflow })}
              />
              <span className={styles['soft']}>{visibleText(row.app)}</span>
            </Cell>
            <Cell isNumber className={styles['cost']}>
              {costText(row, unpriced)}
            </Cell>
            <Cell isNumber name="calls">
              {countText(row.calls)}
            </Cell>
            <Cell isNumber name="tokens">
              {countText(row.tokens)}
            </Cell>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

const Choose = ({ label, onChoose }: { label: string; onChoose: () => void }): ReactNode => (
  <button type="button" className={styles['choose']} title={`Show only ${visibleText(label)}`} onClick={onChoose}>
    {visibleText(label)}
  </button>
);
