import { type FormEvent, type ReactNode, useState } from 'react';
import type { CandidateFragment, CompareCandidatesQuery } from '../../data/generated/graphql.ts';
import { useRead } from '../../data/queries.ts';
import {
  Answer,
  Button,
  Cell,
  Duration,
  Empty,
  Field,
  Head,
  isFinal,
  Panel,
  Status,
  shortId,
  Table,
  Time,
  visibleText,
} from '../../design/index.ts';
import { moveRowFocus, RowLink } from '../../router/RowLink.tsx';
import styles from './Compare.module.css';
import { candidatesDocument } from './compareDocuments.ts';
import type { CompareSearch } from './compareSearch.ts';
import type { ComparedRun } from './useComparedRun.ts';

interface ChooseByIdProps {
  /** The run that is chosen already. */
  known: string | undefined;
  onChoose: (search: CompareSearch) => void;
}

/** Fields for the ids of the runs. */
export function ChooseById({ known, onChoose }: ChooseByIdProps): ReactNode {
  const [a, setA] = useState('');
  const [b, setB] = useState('');
  const first = known ?? a.trim();
  const second = b.trim();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (first) onChoose({ a: first, b: second || undefined });
  };
  return (
    <Panel title={known ? 'Another run by its id' : 'Which runs?'}>
      <form className={styles['choose']} onSubmit={submit}>
        {!known && (
          <Field label="Id of a run" value={a} spellCheck={false} onChange={(event) => setA(event.target.value)} />
        )}
        <Field
          label="Id of the other run"
          hint={known ? undefined : 'If empty: the run that the first one repeats.'}
          value={b}
          spellCheck={false}
          onChange={(event) => setB(event.target.value)}
        />
        <Button kind="primary" type="submit" refusal={first && (second || !known) ? undefined : 'an id is missing'}>
          Compare
        </Button>
      </form>
      {!known && <p className={styles['soft']}>The list of runs compares two that are chosen by their boxes.</p>}
    </Panel>
  );
}

interface CandidatesProps {
  run: ComparedRun;
  /** The URL names one run twice. */
  isSame: boolean;
}

/** Runs to compare a run with: its replays, and the latest ones of the workflow that succeeded. */
export function Candidates({ run, isSame }: CandidatesProps): ReactNode {
  const read = useRead(candidatesDocument, { id: run.id, app: run.app, workflow: run.workflow });
  const name = `“${visibleText(run.workflow)}” ${shortId(run.id)}`;
  return (
    <Panel title={isSame ? 'Both are the same run: which other one?' : `Compare ${name} with`} isFlush>
      <Answer
        read={read}
        skeleton={{ rows: 4 }}
        isEmpty={(found) => candidatesOf(run.id, found).length === 0}
        empty={
          <Empty title="No replay of this run, and no other run of the workflow that succeeded">
            <p>Paste the id of another run below.</p>
          </Empty>
        }
      >
        {(found) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys bubble from the links of the rows.
          <div onKeyDown={moveRowFocus}>
            <Table
              label="Runs to compare with"
              isCards
              head={
                <>
                  <Head width="9.5rem">Status</Head>
                  <Head>Run</Head>
                  <Head>Started</Head>
                  <Head isNumber>Duration</Head>
                </>
              }
            >
              {candidatesOf(run.id, found).map(({ run: other, why }) => (
                <tr key={other.id}>
                  <Cell>
                    <Status status={other.status} />
                  </Cell>
                  <Cell>
                    <RowLink to={['runs', 'compare']} search={{ a: run.id, b: other.id }}>
                      {why} {shortId(other.id)}
                    </RowLink>
                  </Cell>
                  <Cell>
                    <Time at={other.startedAt ?? other.createdAt} form="both" />
                  </Cell>
                  <Cell isNumber>
                    <Duration ms={other.durationMs} since={isFinal(other.status) ? undefined : other.startedAt} />
                  </Cell>
                </tr>
              ))}
            </Table>
          </div>
        )}
      </Answer>
    </Panel>
  );
}

/** The original first, then replays, then other runs of the workflow. */
function candidatesOf(id: string, { run, runs }: CompareCandidatesQuery): { run: CandidateFragment; why: string }[] {
  const listed = [
    ...(run?.original ? [{ run: run.original, why: 'Original' }] : []),
    ...(run?.replays ?? []).map((each) => ({ run: each, why: 'Replay' })),
    ...runs.nodes.map((each) => ({ run: each, why: 'Run that succeeded' })),
  ];
  const known = new Set([id]);
  return listed.filter(({ run: each }) => !known.has(each.id) && known.add(each.id)).slice(0, 10);
}
