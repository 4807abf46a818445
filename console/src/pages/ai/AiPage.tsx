import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { SpendQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  bucketFor,
  Chart,
  Code,
  costText,
  countText,
  dollarText,
  durationText,
  Empty,
  Facts,
  Filters,
  fillBuckets,
  NothingMatches,
  PageHead,
  Panel,
  Select,
  Stack,
  serviceNow,
  shareText,
  unpricedCalls,
} from '../../design/index.ts';
import { NameFilters } from '../../router/NameFilters.tsx';
import { setFilters, withoutFilters } from '../../router/setFilters.ts';
import { useTitle } from '../../router/useTitle.ts';
import { Budgets } from '../flow/Budgets.tsx';
import styles from './AiPage.module.css';
import { aiBudgetsDocument, spendDocument } from './aiDocuments.ts';
import { type AiSearch, defaultRange, type Figure, spanOf } from './aiSearch.ts';
import { Spenders } from './Spenders.tsx';
import { Models, Workflows } from './SpendTables.tsx';
import { spendSeries } from './spendSeries.ts';

type Spend = SpendQuery['aiSpend'];

const route = getRouteApi('/p/$project/ai');
const labels = { app: 'app', workflow: 'workflow', model: 'model' };

const ranges = [
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
];

/** The cost of calls of models: over time, by model and workflow, by session and run. */
export default function AiPage(): ReactNode {
  useTitle('AI spend');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: AiSearch): void => void navigate({ search: next });
  const { app, workflow, model } = search;
  const { since, from, to, spanMs } = spanOf(search, serviceNow());
  const bucketMs = bucketFor(spanMs);
  const read = useRead(spendDocument, { app, workflow, model, since, bucket: bucketMs / 1000 }, { pollMs: 60_000 });
  const budgets = useRead(aiBudgetsDocument, { app, workflow }, { pollMs: 60_000 });
  const set = setFilters<AiSearch>(search, labels, change);
  const range = search.range ?? defaultRange;
  const known = ranges.some(({ value }) => value === range) ? ranges : [...ranges, { value: range, label: range }];
  return (
    <>
      <PageHead title="AI spend" />
      <Filters set={set} onClear={() => change(withoutFilters<AiSearch>(search, labels))}>
        <Select
          label="Time"
          isBare
          value={range}
          options={known}
          onChoose={(value) => change({ ...search, range: value === defaultRange ? undefined : value })}
        />
        <NameFilters search={search} onChange={(names) => change({ ...search, ...names })} by={['app', 'workflow']} />
      </Filters>
      <Stack>
        <Answer
          read={read}
          skeleton={{ rows: 12 }}
          isEmpty={({ aiSpend }) => aiSpend.totals.calls === 0}
          nothingMatches={
            (set.length > 0 || range !== defaultRange) && (
              <Panel title="Spend" hasHiddenTitle>
                <NothingMatches
                  title="No model was called"
                  set={set.length > 0 ? set : [{ name: 'time', value: range, drop: () => change({}) }]}
                />
              </Panel>
            )
          }
          empty={<NoCalls />}
        >
          {({ aiSpend }) => (
            <Stack>
              <Totals spend={aiSpend} />
              <Over spend={aiSpend} span={{ from, to, bucketMs }} search={search} onChange={change} />
              <div className={styles['halves']}>
                <Models models={aiSpend.byModel} search={search} onChange={change} />
                <Workflows spend={aiSpend} search={search} onChange={change} />
              </div>
              <Spenders variables={{ app, workflow, model, since }} hasUnpriced={unpricedCalls(aiSpend.byModel) > 0} />
            </Stack>
          )}
        </Answer>
        {budgets.data && <Budgets budgets={budgets.data.flowState.budgets} />}
      </Stack>
    </>
  );
}

function Totals({ spend: { totals, byModel } }: { spend: Spend }): ReactNode {
  const unpriced = unpricedCalls(byModel);
  return (
    <Panel title="Total">
      <Facts
        facts={[
          [
            'Cost',
            <span key="cost" className={styles['large']}>
              {costText(totals, unpriced)}
            </span>,
          ],
          [
            'Calls',
            <span key="calls" className={styles['large']}>
              {countText(totals.calls)}
            </span>,
          ],
          [
            'Tokens',
            <span key="tokens" className={styles['large']}>
              {countText(totals.tokens)}
            </span>,
          ],
          ['Tokens in and out', `${countText(totals.tokensIn)} in, ${countText(totals.tokensOut)} out`],
          [
            'Calls without a price',
            unpriced === 0 ? 'none' : `${countText(unpriced)}, ${shareText(unpriced, totals.calls)} of all`,
          ],
          [
            'Answered by the cache',
            totals.cacheEligible === 0
              ? 'no call was eligible'
              : `${shareText(totals.cacheHits, totals.cacheEligible)} of ${countText(totals.cacheEligible)} eligible`,
          ],
          ['Mean latency', totals.avgLatencyMs === null ? 'not reported' : durationText(totals.avgLatencyMs)],
          ['Perhaps billed, without an answer', totals.unknown === 0 ? 'none' : `${countText(totals.unknown)} calls`],
        ]}
      />
      {unpriced > 0 && (
        <p className={styles['note']}>
          The service knows no price of some models, so the cost is at least what is shown. The operator sets prices in{' '}
          <code>AI_PRICES</code>.
        </p>
      )}
    </Panel>
  );
}

const figures = [
  { value: 'cost', label: 'Cost' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'calls', label: 'Calls' },
] as const;

interface OverProps {
  spend: Spend;
  span: { from: number; to: number; bucketMs: number };
  search: AiSearch;
  onChange: (search: AiSearch) => void;
}

function Over({ spend, span, search, onChange }: OverProps): ReactNode {
  const figure: Figure = search.by ?? 'cost';
  const { from, to, bucketMs } = span;
  const { series, columns } = useMemo(() => {
    const drawn = spendSeries(spend.byHourAndModel, figure);
    return { series: drawn.series, columns: fillBuckets(drawn.rows, drawn.series, { from, to, bucketMs }) };
  }, [spend, figure, from, to, bucketMs]);
  const label = figures.find(({ value }) => value === figure)?.label ?? '';
  return (
    <Panel
      title="Over time, by model"
      actions={
        <Select
          label="Figure"
          isBare
          value={figure}
          options={figures}
          onChoose={(by) => onChange({ ...search, by: by === 'cost' ? undefined : by })}
        />
      }
    >
      <Chart
        label={`${label} of calls by model, per ${durationText(bucketMs)}`}
        columns={columns}
        series={series}
        valueText={figure === 'cost' ? dollarText : countText}
      />
    </Panel>
  );
}

function NoCalls(): ReactNode {
  return (
    <Panel title="Spend" hasHiddenTitle>
      <Empty title="No model was called in this time">
        <p>A step calls a model, and its tokens and cost are counted here:</p>
        <Code
          what="step"
          text={`await step.ai.generate('draft', { model: 'claude-sonnet-4-5', prompt: event.data.text });`}
        />
      </Empty>
    </Panel>
  );
}
