import { getRouteApi } from '@tanstack/react-router';
import { GitCompareArrows } from 'lucide-react';
import type { ReactNode } from 'react';
import { Answer, Button, Empty, PageHead, Stack, visibleText } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { Candidates, ChooseById } from './ChooseRun.tsx';
import { Comparison } from './Comparison.tsx';
import type { CompareSearch } from './compareSearch.ts';
import { type ComparedRun, useComparedRun } from './useComparedRun.ts';

const route = getRouteApi('/p/$project/runs/compare');

/** Two runs side by side, the earlier one at the left. */
export default function ComparePage(): ReactNode {
  useTitle('Compare runs');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (next: CompareSearch): void => void navigate({ search: next });
  const change = (next: CompareSearch): void => void navigate({ search: next, replace: true, resetScroll: false });
  return (
    <Stack>
      <PageHead
        above={<PageLink to={['runs']}>Runs</PageLink>}
        title="Compare two runs"
        actions={
          (search.a || search.b) && (
            <Button icon={GitCompareArrows} onClick={() => choose({})}>
              Choose others
            </Button>
          )
        }
      />
      {search.a || search.b ? (
        <Both search={search} onChoose={choose} onChange={change} />
      ) : (
        <ChooseById known={undefined} onChoose={choose} />
      )}
    </Stack>
  );
}

interface BothProps {
  search: CompareSearch;
  onChoose: (search: CompareSearch) => void;
  onChange: (search: CompareSearch) => void;
}

function Both({ search, onChoose, onChange }: BothProps): ReactNode {
  const a = search.a ?? search.b;
  const first = useComparedRun(a);
  const b = (search.a && search.b) || (first.isOld ? undefined : (first.data?.run?.replayOf ?? undefined));
  const isSame = a !== undefined && a === b;
  const second = useComparedRun(isSame ? undefined : b);
  return (
    <Answer read={first} skeleton={{ rows: 8 }} isEmpty={({ run }) => run === null} empty={<UnknownRun id={a ?? ''} />}>
      {({ run }) => {
        if (!run) return null;
        if (b === undefined || isSame)
          return (
            <Stack>
              <Candidates run={run} isSame={isSame} />
              <ChooseById known={run.id} onChoose={onChoose} />
            </Stack>
          );
        return (
          <Answer
            read={second}
            skeleton={{ rows: 8 }}
            isEmpty={({ run: other }) => other === null}
            empty={<UnknownRun id={b} />}
          >
            {({ run: other }) =>
              other &&
              other.id !== run.id && <Comparison {...inOrder(run, other)} search={search} onChange={onChange} />
            }
          </Answer>
        );
      }}
    </Answer>
  );
}

/** The earlier run is the one to compare with, whichever was opened first. */
const inOrder = (a: ComparedRun, b: ComparedRun): { before: ComparedRun; after: ComparedRun } =>
  a.createdAt <= b.createdAt ? { before: a, after: b } : { before: b, after: a };

function UnknownRun({ id }: { id: string }): ReactNode {
  return (
    <Empty title="No run of this project has this id">
      <p>
        <code>{visibleText(id)}</code> may belong to another project, or its time has passed and it was deleted.
      </p>
    </Empty>
  );
}
