import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { usePages, useRead } from '../../data/queries.ts';
import {
  Answer,
  Badge,
  Button,
  Cell,
  Code,
  Countdown,
  countText,
  Empty,
  Field,
  Filters,
  Head,
  NothingMatches,
  PageHead,
  Panel,
  type SetFilter,
  Stack,
  Table,
  useNow,
  visibleText,
} from '../../design/index.ts';
import { NameFilters } from '../../router/NameFilters.tsx';
import { PageLink } from '../../router/PageLink.tsx';
import { instantOf } from '../../router/searchFields.ts';
import { useTitle } from '../../router/useTitle.ts';
import { triggerText } from './policySentences.ts';
import { workflowListDocument, workflowRatesDocument } from './workflowDocuments.ts';

const route = getRouteApi('/p/$project/workflows');

/** All workflows, with what starts them and how their runs of a day went. */
export default function WorkflowsPage(): ReactNode {
  useTitle('Workflows');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: typeof search): void => void navigate({ search: next, replace: true });
  const set: SetFilter[] = (['app', 'find'] as const).flatMap((name) => {
    const value = search[name];
    return value ? [{ name, value, drop: () => change({ ...search, [name]: undefined }) }] : [];
  });
  return (
    <Stack>
      <PageHead title="Workflows" />
      <Filters set={set.filter(({ name }) => name !== 'find')} onClear={() => change({})}>
        <Field
          label="Find a workflow"
          isBare
          type="search"
          placeholder="Find a workflow"
          value={search.find ?? ''}
          onChange={(event) => change({ ...search, find: event.target.value || undefined })}
        />
        <NameFilters search={search} onChange={(names) => change({ ...search, ...names })} by={['app']} />
      </Filters>
      <List app={search.app} find={search.find} set={set} />
    </Stack>
  );
}

interface ListProps {
  app: string | undefined;
  find: string | undefined;
  set: readonly SetFilter[];
}

function List({ app, find, set }: ListProps): ReactNode {
  const pages = usePages(
    workflowListDocument,
    { app, first: 200 },
    {
      next: ({ workflowPage: { pageInfo } }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined),
    },
  );
  const rates = useDayRates();
  const wanted = find?.toLowerCase() ?? '';
  const workflows = (pages.data ?? [])
    .flatMap(({ workflowPage }) => workflowPage.nodes)
    .filter(({ name, app: of }) => name.toLowerCase().includes(wanted) || of.toLowerCase().includes(wanted));
  return (
    <Panel title="Workflows" hasHiddenTitle isFlush>
      <Answer
        read={pages}
        skeleton={{ rows: 8 }}
        isEmpty={() => workflows.length === 0}
        nothingMatches={set.length > 0 && <NothingMatches title="No workflow matches" set={set} />}
        empty={
          <Empty title="No workflow is registered yet">
            <p>A runner registers its workflows when it connects. The demo starts one:</p>
            <Code text="npm run demo" what="command" />
          </Empty>
        }
      >
        {() => (
          <>
            <Table
              label="Workflows"
              isCards
              head={
                <>
                  <Head>Workflow</Head>
                  <Head>App</Head>
                  <Head>Started by</Head>
                  <Head>Next</Head>
                  <Head isNumber>Runs, 24 h</Head>
                  <Head isNumber>Failed</Head>
                </>
              }
            >
              {workflows.map(({ app: of, name, triggers, schedules, retiredAt }) => {
                const next = schedules?.map(({ nextFireAt }) => nextFireAt).sort()[0];
                const rate = rates.get(`${of}\n${name}`);
                return (
                  <tr key={`${of} ${name}`}>
                    <Cell>
                      <PageLink to={['workflows', of, name]}>{visibleText(name)}</PageLink>{' '}
                      {retiredAt && <Badge>retired</Badge>}
                      {schedules?.some(({ isStale }) => isStale) && <Badge tone="bad">schedule late</Badge>}
                    </Cell>
                    <Cell>{visibleText(of)}</Cell>
                    <Cell isCut>{triggers?.map(triggerText).join(', ') ?? 'its name'}</Cell>
                    <Cell name={next && 'next'}>{next && <Countdown until={next} />}</Cell>
                    <Cell isNumber name="runs in 24 h">
                      {countText(rate?.total ?? 0)}
                    </Cell>
                    <Cell isNumber name={rate && rate.failed > 0 ? 'failed' : undefined}>
                      {rate && rate.failed > 0 ? `${((100 * rate.failed) / (rate.ended || 1)).toFixed(1)} %` : '–'}
                    </Cell>
                  </tr>
                );
              })}
            </Table>
            {pages.hasMore && (
              <Button kind="quiet" isBusy={pages.isLoadingMore} onClick={pages.loadMore}>
                More workflows
              </Button>
            )}
          </>
        )}
      </Answer>
    </Panel>
  );
}

interface Rate {
  total: number;
  failed: number;
  ended: number;
}

/** Runs and failures of the last day by workflow. The list does not wait for them. */
function useDayRates(): ReadonlyMap<string, Rate> {
  const tenMinutes = 600_000;
  const since = instantOf('24h', Math.floor(useNow() / tenMinutes) * tenMinutes);
  const { data } = useRead(workflowRatesDocument, { filter: { since } }, { pollMs: 60_000 });
  return useMemo(
    () =>
      new Map(
        data?.runStatsBy.map(({ app, workflow, total, byStatus: { failed, succeeded } }) => [
          `${app}\n${workflow}`,
          { total, failed, ended: failed + succeeded },
        ]),
      ),
    [data],
  );
}
