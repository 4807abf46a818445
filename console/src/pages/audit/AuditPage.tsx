import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { usePages } from '../../data/queries.ts';
import {
  Answer,
  countText,
  Empty,
  Filters,
  ListEnd,
  NothingMatches,
  PageHead,
  Panel,
  SinceSelect,
  TextFilter,
} from '../../design/index.ts';
import { setFilters, withoutFilters } from '../../router/setFilters.ts';
import { useTitle } from '../../router/useTitle.ts';
import { ActionSelect } from './AuditFilters.tsx';
import { AuditRows } from './AuditRows.tsx';
import { auditDocument } from './auditDocuments.ts';
import { type AuditSearch, auditFilters, auditVariables } from './auditSearch.ts';

const route = getRouteApi('/p/$project/audit');

/** The audit log: who changed what, and when. */
export default function AuditPage(): ReactNode {
  useTitle('Audit log');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (next: AuditSearch): void => void navigate({ search: next });
  const key = JSON.stringify(search);
  // Relative times become instants once, or each rendering would ask anew.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the search.
  const variables = useMemo(() => auditVariables(search), [key]);
  const pages = usePages(auditDocument, variables, {
    next: ({ controlActions: { pageInfo } }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined),
  });
  const rows = pages.data?.flatMap(({ controlActions }) => controlActions.nodes) ?? [];
  const set = setFilters(search, auditFilters, change);
  return (
    <>
      <PageHead title="Audit log" below="Who changed what, newest first. Refused calls have no entry." />
      <Filters set={set} onClear={() => change(withoutFilters(search, auditFilters))}>
        <ActionSelect action={search.action} onChoose={(action) => change({ ...search, action })} />
        <SinceSelect label="Made" since={search.since} onChoose={(since) => change({ ...search, since })} />
        <TextFilter label="Key" value={search.actor} onSet={(actor) => change({ ...search, actor })} />
        <TextFilter label="Run id" value={search.run} onSet={(run) => change({ ...search, run })} />
      </Filters>
      <Panel title="Entries" hasHiddenTitle isFlush>
        <Answer
          read={pages}
          skeleton={{ rows: 10 }}
          isEmpty={() => rows.length === 0}
          nothingMatches={set.length > 0 && <NothingMatches title="No entry matches these filters" set={set} />}
          empty={
            <Empty title="Nothing has been changed yet">
              <p>Cancelling or replaying a run, deciding an approval, and changing webhooks or keys make entries.</p>
            </Empty>
          }
        >
          {() => (
            <>
              <AuditRows rows={rows} />
              <ListEnd pages={pages} shown={`${countText(rows.length)} entries`} />
            </>
          )}
        </Answer>
      </Panel>
    </>
  );
}
