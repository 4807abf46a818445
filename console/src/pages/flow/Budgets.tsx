import { CirclePause, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { BudgetRowFragment } from '../../data/generated/graphql.ts';
import { Badge, Cell, Countdown, countText, Head, Meter, Panel, Table, Time, windowText } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './FlowPage.module.css';
import { barsOf, tightestFirst } from './flowFacts.ts';
import { WorkflowCell, WorkflowColumn } from './names.tsx';

/** Budgets of AI spend as bars, the most spent first. */
export function Budgets({ budgets }: { budgets: readonly BudgetRowFragment[] }): ReactNode {
  if (budgets.length === 0) return null;
  return (
    <Panel title="Budgets" isFlush>
      <Table
        label="Budgets, by workflow"
        isCards
        head={
          <>
            <WorkflowColumn />
            <Head width="12rem">Window</Head>
            <Head width="18rem">Spent</Head>
            <Head>State</Head>
            <Head>Paused runs</Head>
          </>
        }
      >
        {tightestFirst(budgets).map((budget) => (
          <Row key={JSON.stringify([budget.app, budget.workflow])} budget={budget} />
        ))}
      </Table>
    </Panel>
  );
}

function Row({ budget }: { budget: BudgetRowFragment }): ReactNode {
  const { app, workflow, windowMs, paused } = budget;
  return (
    <tr>
      <WorkflowCell app={app} workflow={workflow} />
      <Cell>last {windowText(windowMs)}</Cell>
      <Cell>
        <span className={styles['bars']}>
          {barsOf(budget).map(({ what, value, limit, format }) => (
            <Meter key={what} label={`${workflow}: ${what}`} value={value} limit={limit} format={format} />
          ))}
        </span>
      </Cell>
      <Cell>
        <State budget={budget} />
      </Cell>
      <Cell>
        {paused > 0 ? (
          <PageLink to={['runs']} search={{ status: ['paused'], app, workflow }}>
            {countText(paused)} paused
          </PageLink>
        ) : (
          <span className={styles['beside']}>none paused</span>
        )}
      </Cell>
    </tr>
  );
}

function State({ budget: { exceededAt, warnedAt, resumesAt } }: { budget: BudgetRowFragment }): ReactNode {
  if (exceededAt)
    return (
      <span className={styles['two']}>
        <Badge tone="bad" icon={CirclePause}>
          spent
        </Badge>
        <span className={styles['beside']}>
          {resumesAt ? (
            <>
              room again <Countdown until={resumesAt} />
            </>
          ) : (
            <>
              since <Time at={exceededAt} />
            </>
          )}
        </span>
      </span>
    );
  if (warnedAt)
    return (
      <span className={styles['two']}>
        <Badge tone="hold" icon={TriangleAlert}>
          near its limit
        </Badge>
        <span className={styles['beside']}>
          since <Time at={warnedAt} />
        </span>
      </span>
    );
  return <Badge tone="good">within its limit</Badge>;
}
