import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ApprovalsQuery } from '../../data/generated/graphql.ts';
import { usePages, useRead } from '../../data/queries.ts';
import { useFollow } from '../../data/useFollow.ts';
import { useReadAgain } from '../../data/useReadAgain.ts';
import {
  Answer,
  Badge,
  Code,
  countText,
  Empty,
  Filters,
  ListEnd,
  NothingMatches,
  PageHead,
  Panel,
  Select,
  Stack,
  Tabs,
  visibleText,
} from '../../design/index.ts';
import { NameFilters } from '../../router/NameFilters.tsx';
import { setFilters, withoutFilters } from '../../router/setFilters.ts';
import { useTitle } from '../../router/useTitle.ts';
import { ApprovalRows } from './ApprovalRows.tsx';
import { approvalChangedDocument, approvalStatsDocument, approvalsDocument } from './approvalsDocuments.ts';
import { type ApprovalsSearch, approvalFilters, approvalsVariables } from './approvalsSearch.ts';
import { groupByRisk, riskTone } from './approvalWords.ts';

const route = getRouteApi('/p/$project/approvals');

/** The inbox of approvals: open ones by risk and deadline; decided ones newest first. */
export default function ApprovalsPage(): ReactNode {
  useTitle('Approvals');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: ApprovalsSearch): void => void navigate({ search: next });
  const pages = usePages(approvalsDocument, approvalsVariables(search), {
    next: ({ approvals }) => (approvals.pageInfo.hasNextPage ? (approvals.pageInfo.endCursor ?? undefined) : undefined),
  });
  const { data: counted } = useRead(approvalStatsDocument, {});
  const readAgain = useReadAgain([approvalsDocument, approvalStatsDocument] as never);
  useFollow(approvalChangedDocument, {}, { onMessage: readAgain, onGap: readAgain });
  const rows = pages.data?.flatMap(({ approvals }) => approvals.nodes) ?? [];
  const set = setFilters(search, approvalFilters, change);
  const stats = counted?.approvalStats;
  const tab = search.open === '1' ? 'open' : search.open === '0' ? 'decided' : 'all';
  return (
    <>
      <PageHead title="Approvals" below="Runs that wait for a person, and what was decided." />
      <Tabs
        label="Which approvals"
        open={tab}
        onOpen={(name) => change({ ...search, open: ({ open: '1', decided: '0', all: undefined } as const)[name] })}
        tabs={[
          { name: 'open', label: 'Open', count: stats?.open },
          { name: 'decided', label: 'Decided' },
          { name: 'all', label: 'All' },
        ]}
      >
        <Filters set={set} onClear={() => change(withoutFilters(search, approvalFilters))}>
          <RiskSelect search={search} onChange={change} byRisk={stats?.byRisk ?? []} />
          <NameFilters search={search} onChange={(names) => change({ ...search, ...names })} by={['app', 'workflow']} />
        </Filters>
        <Answer
          read={pages}
          skeleton={{ rows: 6 }}
          isEmpty={() => rows.length === 0}
          nothingMatches={
            set.length > 0 && (
              <Panel>
                <NothingMatches title="No approval matches these filters" set={set} />
              </Panel>
            )
          }
          empty={
            <Panel>
              <NoApprovals tab={tab} />
            </Panel>
          }
        >
          {() =>
            tab === 'open' ? (
              <OpenByRisk rows={rows} pages={pages} />
            ) : (
              <Panel title="Approvals" hasHiddenTitle isFlush>
                <ApprovalRows label="List of approvals" rows={rows} />
                <ListEnd pages={pages} shown={`${countText(rows.length)} approvals`} />
              </Panel>
            )
          }
        </Answer>
      </Tabs>
    </>
  );
}

export type ApprovalRow = ApprovalsQuery['approvals']['nodes'][number];

interface OpenByRiskProps {
  rows: readonly ApprovalRow[];
  pages: Parameters<typeof ListEnd>[0]['pages'];
}

function OpenByRisk({ rows, pages }: OpenByRiskProps): ReactNode {
  return (
    <Stack>
      {groupByRisk(rows).map(({ risk, approvals }) => (
        <Panel
          key={risk}
          isFlush
          title={
            <>
              <Badge tone={riskTone(risk)}>{visibleText(risk)}</Badge> {countText(approvals.length)} open
            </>
          }
        >
          <ApprovalRows label={`Open approvals of risk ${visibleText(risk)}`} rows={approvals} isOpenList />
        </Panel>
      ))}
      {pages.hasMore && <ListEnd pages={pages} shown={`${countText(rows.length)} approvals`} />}
    </Stack>
  );
}

interface RiskSelectProps {
  search: ApprovalsSearch;
  onChange: (search: ApprovalsSearch) => void;
  byRisk: readonly { risk: string; count: number }[];
}

function RiskSelect({ search, onChange, byRisk }: RiskSelectProps): ReactNode {
  const counted = groupByRisk(byRisk.map((each) => ({ ...each }))).map(({ risk, approvals }) => ({
    value: risk,
    label: `${visibleText(risk)} (${countText(approvals[0]?.count)} open)`,
  }));
  const isKnown = !search.risk || byRisk.some(({ risk }) => risk === search.risk);
  return (
    <Select
      label="Risk"
      isBare
      value={search.risk ?? ''}
      options={[
        { value: '', label: 'Every risk' },
        ...counted,
        ...(isKnown ? [] : [{ value: search.risk ?? '', label: visibleText(search.risk ?? '') }]),
      ]}
      onChoose={(risk) => onChange({ ...search, risk: risk || undefined })}
    />
  );
}

const titles = {
  open: 'Nothing waits for a decision',
  decided: 'Nothing has been decided yet',
  all: 'No run has asked for an approval yet',
};

const example = `const decision = await step.approval('sign off', {
  tool: 'refund', args: { orderId, cents }, risk: 'high', timeout: '4h', onTimeout: 'reject',
});`;

function NoApprovals({ tab }: { tab: keyof typeof titles }): ReactNode {
  return (
    <Empty title={titles[tab]}>
      <p>A workflow asks for a decision by this step, and waits until somebody has decided:</p>
      <Code text={example} what="step" />
    </Empty>
  );
}
