import { EqualNot } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes, Duration, isFinal, Panel, Status, shortId, Tags, Time, visibleText } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import styles from './Compare.module.css';
import type { ComparedRun } from './useComparedRun.ts';

interface RunFactsProps {
  before: ComparedRun;
  after: ComparedRun;
}

interface Fact {
  name: string;
  /** The value as a text, by which two runs are compared; absent if a difference says nothing. */
  text?: (run: ComparedRun) => string;
  show: (run: ComparedRun) => ReactNode;
  /** The row is shown even if the runs are alike in it. */
  isAlways?: boolean;
}

const facts: readonly Fact[] = [
  { name: 'Status', text: ({ status }) => status, show: ({ status }) => <Status status={status} />, isAlways: true },
  textFact('Workflow', ({ app, workflow }) => `${workflow} (${app})`),
  textFact('Version', ({ version }) => version.slice(0, 12)),
  { name: 'Started', show: (run) => <Time at={run.startedAt ?? run.createdAt} form="both" />, isAlways: true },
  {
    name: 'Duration',
    show: (run) => <Duration ms={run.durationMs} since={isFinal(run.status) ? undefined : run.startedAt} />,
    isAlways: true,
  },
  textFact('Steps', ({ stepCount }) => String(stepCount)),
  textFact('Attempt', ({ attempt }) => String(attempt)),
  textFact('Error', ({ error }) => (error ? [error.name, error.message].filter(Boolean).join(': ') : '')),
  textFact('Runner', ({ runner }) => runner ?? ''),
  textFact('Session', ({ session }) => session ?? ''),
  {
    name: 'Tags',
    text: ({ tags }) => Object.entries(tagsOf(tags)).sort().map(String).join(),
    show: ({ tags }) => <Tags tags={tagsOf(tags)} limit={20} />,
  },
];

const tagsOf = (tags: unknown): Record<string, string> => (tags as Record<string, string> | null) ?? {};

function textFact(name: string, text: (run: ComparedRun) => string): Fact {
  return { name, text, show: (run) => visibleText(text(run)) };
}

/** The runs in two columns. Rows that differ are marked; those that are alike stand in one line. */
export function RunFacts({ before, after }: RunFactsProps): ReactNode {
  const isAlike = ({ text }: Fact): boolean => text?.(before) === text?.(after);
  const shown = facts.filter((fact) => fact.isAlways || !isAlike(fact));
  const same = facts.filter((fact) => !shown.includes(fact) && fact.text?.(before));
  return (
    <Panel title="The runs" isFlush>
      <table className={styles['facts']}>
        <thead>
          <tr>
            <td />
            <RunHead run={before} what="Earlier run" />
            <RunHead run={after} what={after.replayOf === before.id ? 'Later run, its replay' : 'Later run'} />
          </tr>
        </thead>
        <tbody>
          {shown.map((fact) => {
            const { name, show } = fact;
            const isDifferent = !isAlike(fact);
            return (
              <tr key={name} className={classes(isDifferent && styles['different'])}>
                <th scope="row">
                  {name}
                  {isDifferent && <EqualNot size={13} role="img" aria-label="differs" className={styles['sign']} />}
                </th>
                <td>{show(before)}</td>
                <td>{show(after)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {same.length > 0 && (
        <p className={styles['same']}>
          Alike:{' '}
          {same.map(({ name, text }) => `${name.toLowerCase()} ${visibleText(text?.(before) ?? '')}`).join(' · ')}
        </p>
      )}
    </Panel>
  );
}

function RunHead({ run, what }: { run: ComparedRun; what: string }): ReactNode {
  return (
    <th scope="col">
      <span className={styles['side']}>{what}</span>
      <PageLink to={['runs', run.id]} title={run.id}>
        {shortId(run.id)}
      </PageLink>
    </th>
  );
}
